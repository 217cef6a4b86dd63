//! Who answers the guards' questions.

use balk_guards::{Question, UserAnswer};
use balk_scenarios::{User, template::Template};

/// Somebody who can be asked.
pub trait Person<'a> {
    /// What is answered, and the facts that hold from then on; nothing where nobody is there to answer.
    fn answer(&mut self, question: &Question) -> Option<(UserAnswer, &'a [Template])>;
}

/// The scenario's own user.
impl<'a> Person<'a> for User<'_, 'a> {
    fn answer(&mut self, question: &Question) -> Option<(UserAnswer, &'a [Template])> {
        Some(User::answer(self, &question.options))
    }
}
