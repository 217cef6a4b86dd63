//! A turn whose calls were made for the actor: printed ones, misspelt ones, nearly readable ones. Like a model that
//! reads its own call and the answer in the view, it goes on as if it had made them itself.

use balk_contract::{Completion, ToolCall};

use super::Actor;
use super::act::Visit;
use crate::scenario::{CallSpec, Called, Sent, State, StateId, Trigger};

/// How it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repaired {
    /// All calls of this state were made, so it is as if it had been there.
    Was(StateId),
    /// Something was made, but not all that this state does: it goes there.
    Goes(StateId),
}

impl Actor {
    /// Where a turn leads whose calls ran, but are not those that the actor sent: to what a correction would have
    /// brought it to do.
    pub(super) fn repaired(&self) -> Option<Repaired> {
        let following = &self.following;
        let completion = following.completion.as_deref()?;
        let ran = !following.intervened && !following.refused && !following.answers.is_empty();
        let states = &self.world.scenario().actor.states;
        let state = &states[self.state];
        if !ran || !self.was_changed(state, completion) {
            return None;
        }
        let meant = || state.next.iter().filter(|it| it.when == Trigger::Corrected).map(|it| it.to);
        let was = meant().find(|to| {
            let calls = || self.called(&states[*to]);
            calls().count() == completion.calls.len()
                && calls().zip(&completion.calls).all(|(spec, call)| self.is_of(spec, call))
        });
        was.map(Repaired::Was).or_else(|| meant().next().map(Repaired::Goes))
    }

    /// Whether the calls of the completion are not those of the state.
    fn was_changed(&self, state: &State, completion: &Completion) -> bool {
        if self.called(state).count() != completion.calls.len() {
            return true;
        }
        let mut calls = self.called(state).zip(&completion.calls);
        if calls.clone().any(|(spec, call)| !self.is_of(spec, call)) {
            return true;
        }
        // Most arguments are sent as they should be, and are not compared.
        let is_raw = |(spec, _): (&CallSpec, _)| matches!(spec.sent, Sent::Raw(_));
        if !calls.any(is_raw) {
            return false;
        }
        let Self { state, asked, .. } = *self;
        let (number, steps) = (self.visits[state], self.steps[state]);
        let visit =
            Visit { world: &self.world, turns: self.turns.saturating_sub(1), state, number, steps, asked };
        let sent = visit.act(1).calls;
        sent.iter().zip(&completion.calls).any(|(sent, call)| sent.arguments != call.arguments)
    }

    /// The calls of a state, without what is done in words.
    fn called<'s>(&self, state: &'s State) -> impl Iterator<Item = &'s CallSpec> + Clone {
        state.calls.iter().filter(|spec| !self.world.is_spoken(spec))
    }

    /// Whether the call has the tool of this one.
    fn is_of(&self, spec: &CallSpec, call: &ToolCall) -> bool {
        match &spec.called {
            Called::Role(role) => self.world.role(*role).is_some_and(|(name, _)| *name == call.tool),
            Called::Name(name) => self.world.offer().name_called(&name.as_str().into()) == call.tool,
        }
    }
}
