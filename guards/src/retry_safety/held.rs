//! Calls of broken attempts that may not run again before the model or the user has checked.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ran::Outcome;
use balk_contract::key::CallKey;
use balk_contract::wording::one_line;
use balk_contract::{Completion, Effect, Origin, Status, Subject, ToolCall, ToolResult};

/// How many calls are held; no recorded completion makes more that change things.
const CALLS: usize = 16;
/// Characters of the description of a call.
const ABOUT_CHARS: usize = 80;

/// The calls that ran in a broken attempt, held until another call has run: after that, the model can know the state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Held(Vec<HeldCall>);

/// A call that ran in a broken attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HeldCall {
    key: CallKey,
    tool: Arc<str>,
    /// A short description of the call, for the user.
    about: String,
    outcome: Outcome,
    /// How often it was refused.
    refused: u32,
}

impl HeldCall {
    pub(super) fn tool(&self) -> &Arc<str> {
        &self.tool
    }

    pub(super) fn about(&self) -> &str {
        &self.about
    }

    pub(super) fn outcome(&self) -> Outcome {
        self.outcome
    }

    pub(super) fn refused(&self) -> u32 {
        self.refused
    }

    pub(super) fn subject(&self) -> Subject {
        Subject::Call(self.key)
    }
}

impl Held {
    /// Holds a call of a broken attempt if it may have changed something.
    pub(super) fn hold(&mut self, result: &ToolResult) {
        let call = &result.call;
        let Some(outcome) = Outcome::of(result).filter(|it| *it != Outcome::Failed) else { return };
        if call.effect == Effect::ReadOnly || self.0.iter().any(|it| it.key == call.key) {
            return;
        }
        if self.0.len() == CALLS {
            self.0.remove(0);
        }
        self.0.push(HeldCall {
            key: call.key,
            tool: call.tool.clone(),
            about: about(call),
            outcome,
            refused: 0,
        });
    }

    /// Releases all calls once another call has answered.
    pub(super) fn looked(&mut self, result: &ToolResult) {
        let known = result.status != Status::Unknown || result.call.effect == Effect::ReadOnly;
        let answered = result.origin == Origin::Executed && known;
        if answered && self.of(&result.call).is_none() {
            self.0.clear();
        }
    }

    pub(super) fn refused(&mut self, subject: &Subject) {
        if let Some(held) = self.0.iter_mut().find(|it| it.subject() == *subject) {
            held.refused = held.refused.saturating_add(1);
        }
    }

    /// The user was asked about a call: it may run, or its count of refusals begins again.
    pub(super) fn answered(&mut self, subject: &Subject, may_run: bool) {
        if may_run {
            self.0.retain(|it| it.subject() != *subject);
        } else if let Some(held) = self.0.iter_mut().find(|it| it.subject() == *subject) {
            held.refused = 0;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The calls of a completion that are held, by index.
    pub(super) fn called<'a>(
        &'a self,
        completion: &'a Completion,
    ) -> impl Iterator<Item = (usize, &'a HeldCall)> {
        completion.calls.iter().enumerate().filter_map(|(at, call)| Some((at, self.of(call)?)))
    }

    fn of(&self, call: &ToolCall) -> Option<&HeldCall> {
        self.0.iter().find(|it| it.key == call.key)
    }
}

/// What distinguishes a call from others of its tool: its path, else its arguments.
fn about(call: &ToolCall) -> String {
    match call.path() {
        Some(path) => one_line(&path, ABOUT_CHARS),
        None => one_line(&call.arguments, ABOUT_CHARS),
    }
}
