//! The person: what they say to a message without a call, and what they answer to a guard's question.

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

    /// The reply to a message without a call. `None` where the person leaves, because they have no reply left or the
    /// goal holds.
    pub fn reply(&mut self, goal: bool) -> Option<Arc<str>> {
        if goal && self.replied >= self.world.scenario().user.stays_for {
            return None;
        }
        let reply = self.world.user().replies.get(self.replied).cloned();
        self.replied += 1;
        reply
    }

    /// The answer to a question, with the facts that it sets: the first answer whose choice is offered. A person
    /// without such an answer ends the run.
    #[must_use]
    pub fn answer(&self, options: &[Choice]) -> (UserAnswer, &'a [Template]) {
        let specs = &self.world.scenario().user.answers;
        let found = specs.iter().find(|spec| options.iter().any(|choice| choice.kind == spec.choice));
        match found {
            Some(spec) => self.chooses(spec.choice),
            None => self.chooses(ChoiceKind::Stop),
        }
    }

    /// The words and the facts that go with a choice. Both are empty where the scenario has none.
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
