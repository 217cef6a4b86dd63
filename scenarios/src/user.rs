//! The person: what is said when the model sends no call, and what is answered to a guard's question.

use std::sync::Arc;

use balk_contract::{Choice, ChoiceKind, UserAnswer};

use crate::template::Template;
use crate::world::World;

/// The person in one trial.
#[derive(Clone, Debug)]
pub struct User<'w, 'a> {
    world: &'w World<'a>,
    replied: usize,
}

impl<'w, 'a> User<'w, 'a> {
    /// A person who has said nothing yet.
    #[must_use]
    pub fn new(world: &'w World<'a>) -> Self {
        Self { world, replied: 0 }
    }

    /// The first message.
    #[must_use]
    pub fn opening(&self) -> Arc<str> {
        self.world.user().opening.clone()
    }

    /// What is said to a message without a call; nothing where the person leaves, which happens when there
    /// is nothing left to say, or nothing left to want.
    pub fn reply(&mut self, goal: bool) -> Option<Arc<str>> {
        if goal && self.replied >= self.world.scenario().user.stays_for {
            return None;
        }
        let reply = self.world.user().replies.get(self.replied).cloned();
        self.replied += 1;
        reply
    }

    /// What is answered to a question: the first answer whose choice is offered, with what it changes. A
    /// person who has no answer ends the run.
    #[must_use]
    pub fn answer(&self, options: &[Choice]) -> (UserAnswer, &'a [Template]) {
        let specs = &self.world.scenario().user.answers;
        let found = specs.iter().find(|spec| options.iter().any(|choice| choice.kind == spec.choice));
        match found {
            Some(spec) => self.chooses(spec.choice),
            None => self.chooses(ChoiceKind::Stop),
        }
    }

    /// What is said with a choice, and what it changes; nothing where the scenario does not say.
    #[must_use]
    pub fn chooses(&self, choice: ChoiceKind) -> (UserAnswer, &'a [Template]) {
        let specs = &self.world.scenario().user.answers;
        let said = specs.iter().zip(&self.world.user().answers).find(|(spec, _)| spec.choice == choice);
        match said {
            Some((spec, text)) => (UserAnswer { choice, text: text.clone() }, &spec.sets),
            None => (UserAnswer { choice, text: "".into() }, &[]),
        }
    }
}
