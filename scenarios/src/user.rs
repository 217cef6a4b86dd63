//! The person: what they say to a message without a call, and what they answer to a guard's question.

use std::sync::Arc;

use balk_contract::{Choice, ChoiceKind, UserAnswer};

use crate::environment::Environment;
use crate::scenario::ReplySpec;
use crate::scenario::template::Template;
use crate::world::World;

/// The person in one trial.
#[derive(Clone, Debug)]
pub struct User {
    world: Arc<World>,
    replied: usize,
    /// How many of the replies in turn were given.
    in_turn: usize,
    /// How often each rule applied.
    applied: Vec<u32>,
}

impl User {
    /// A person who has said nothing yet.
    #[must_use]
    pub fn new(world: &Arc<World>) -> Self {
        Self {
            replied: 0,
            in_turn: 0,
            applied: vec![0; world.scenario().user.rules.len()],
            world: world.clone(),
        }
    }

    /// The first message.
    #[must_use]
    pub fn opening(&self) -> Arc<str> {
        self.world.user().opening.clone()
    }

    /// The reply to a message without a call, which can change facts. `None` where the person leaves, because they have
    /// no reply left, they want to, or the goal holds.
    pub fn reply(&mut self, message: &str, environment: &mut Environment) -> Option<Arc<str>> {
        let spec = &self.world.scenario().user;
        let replied = self.replied;
        self.replied += 1;
        if replied >= spec.stays_for && environment.goal() {
            return None;
        }
        let said = [("said", message)];
        let applies = |at: usize, rule: &ReplySpec| {
            rule.times.is_none_or(|times| self.applied[at] < self.world.number(times))
                && environment.holds_for(&rule.when, &said)
        };
        let Some((at, rule)) = spec.rules.iter().enumerate().find(|(at, rule)| applies(*at, rule)) else {
            let reply = self.world.user().replies.get(self.in_turn).cloned();
            self.in_turn += 1;
            return reply;
        };
        environment.clear(&rule.clears);
        environment.set(&rule.sets);
        let wordings = &self.world.user().rules[at];
        let wording = usize::try_from(self.applied[at]).unwrap_or(0).checked_rem(wordings.len());
        self.applied[at] += 1;
        wording.map(|at| wordings[at].clone())
    }

    /// The answer to a question, with the facts that it sets: the first answer whose choice is offered. A person
    /// without such an answer ends the run.
    #[must_use]
    pub fn answer(&self, options: &[Choice]) -> (UserAnswer, Vec<Template>) {
        let specs = &self.world.scenario().user.answers;
        let found = specs.iter().find(|spec| options.iter().any(|choice| choice.kind == spec.choice));
        match found {
            Some(spec) => self.chooses(spec.choice),
            None => self.chooses(ChoiceKind::Stop),
        }
    }

    /// The words and the facts that go with a choice. Both are empty where the scenario has none.
    #[must_use]
    pub fn chooses(&self, choice: ChoiceKind) -> (UserAnswer, Vec<Template>) {
        let specs = &self.world.scenario().user.answers;
        let said = specs.iter().zip(&self.world.user().answers).find(|(spec, _)| spec.choice == choice);
        match said {
            Some((spec, text)) => (UserAnswer { choice, text: text.clone() }, spec.sets.clone()),
            None => (UserAnswer { choice, text: "".into() }, Vec::new()),
        }
    }
}
