//! The person who answers the guards' questions.

use balk_guards::{Question, UserAnswer};
use balk_scenarios::{User, template::Template};

/// A person who can be asked.
pub trait Person {
    /// The answer, and the facts that are true from then on; none if the person does not answer.
    fn answer(&mut self, question: &Question) -> Option<(UserAnswer, Vec<Template>)>;
}

/// The scenario's own user.
impl Person for User {
    fn answer(&mut self, question: &Question) -> Option<(UserAnswer, Vec<Template>)> {
        Some(User::answer(self, &question.options))
    }
}
