//! Standing still while things change: the same failure after every change, and the same file written again and again.
//!
//! The other rules forget what was before the last evidence of progress. These two look past it, because a change
//! that does not touch the failure, and a plan that nobody acts on, look like evidence one by one (spec P1, P2).

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use crate::change::Change;
use crate::failure::Failure;
use balk_contract::key::CallKey;
use balk_contract::reading::Prospect;
use balk_contract::{Effect, ResultKey, Subject, ToolCall, ToolResult};

/// Failing calls that are remembered; the one that failed longest ago is forgotten first.
const CALLS: usize = 8;
/// A rewritten file that grows or shrinks by more than one part of this many is worked on.
const PARTS: usize = 8;

/// What stands still.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Standing {
    failures: Vec<Persisting>,
    /// Increases with everything that may have changed something.
    changes: u64,
    rewritten: Option<Rewritten>,
}

/// A call that failed in the same way each time, whatever was changed in between.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Persisting {
    call: CallKey,
    failure: ResultKey,
    seen: u32,
    turn: u64,
    changes: u64,
}

/// A file that was written as a whole several times in a row, while nothing else was changed or learnt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Rewritten {
    /// Its path, as a hash.
    path: u64,
    bytes: usize,
    seen: u32,
    turn: u64,
}

impl Standing {
    /// Folds one result that ran in this turn; `is_new` if this call never gave this answer before.
    pub(super) fn result(&mut self, result: &ToolResult, failure: Option<Failure>, is_new: bool, turn: u64) {
        let call = &result.call;
        self.changes += u64::from(Change::of(result) != Change::Nothing);
        let before = self.failures.iter().position(|it| it.call == call.key);
        // What may pass is no matter of what was changed.
        match (failure.filter(|it| it.prospect != Prospect::Passing), before) {
            (None, None) => {}
            (None, Some(at)) => drop(self.failures.remove(at)),
            (Some(failure), before) => {
                let before = before.map(|at| self.failures.remove(at));
                let same = before.filter(|it| it.failure == failure.exact);
                let seen = same.map_or(1, |it| it.seen + u32::from(it.changes != self.changes));
                if self.failures.len() == CALLS {
                    self.failures.remove(0);
                }
                let changes = self.changes;
                self.failures.push(Persisting {
                    call: call.key,
                    failure: failure.exact,
                    seen,
                    turn,
                    changes,
                });
            }
        }
        self.write_or_look(call, failure.is_some(), is_new, turn);
    }

    fn write_or_look(&mut self, call: &ToolCall, failed: bool, is_new: bool, turn: u64) {
        let writes = call.effect == Effect::IdempotentWrite && !failed;
        if !writes && self.rewritten.is_none() {
            return;
        }
        let before = self.rewritten.take();
        let path = path(call);
        self.rewritten = match path.filter(|_| writes) {
            Some(path) => {
                let again = before.filter(|it| it.is_again(call));
                let seen = again.map_or(1, |it| it.seen + u32::from(it.turn != turn));
                Some(Rewritten { path, bytes: call.arguments.len(), seen, turn })
            }
            // Something else was changed.
            None if call.effect.is_known_change() && !failed => None,
            // What it wrote itself tells it nothing; anything else that is new is a reason to write once more.
            None => before.filter(|it| Some(it.path) == path || !is_new),
        };
    }

    /// The user spoke: a new reason for everything.
    pub(super) fn user_spoke(&mut self) {
        self.rewritten = None;
    }

    /// How often this call failed in the same way, if it does so now.
    pub(super) fn persisting(&self, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
        let found = self.failures.iter().find(|it| it.call == call.key)?;
        let mut answers =
            now.looked_at().filter(|(it, _)| it.call.key == call.key).map(|(_, failure)| failure);
        if now.results.is_some() && !answers.any(|it| it.is_some_and(|it| it.exact == found.failure)) {
            return None;
        }
        // Another failure of the same call is another subject.
        let subject = Subject::Call(CallKey::of(&call.tool, &format!("{} {}", call.key, found.failure)));
        let seen = now.counted(usize::try_from(found.seen).unwrap_or(usize::MAX));
        Some(Finding { failed: true, ..Finding::new(Rule::Persisting, subject, seen, found.turn) })
    }

    /// How often the file was written in a row that this call writes.
    pub(super) fn rewriting(&self, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
        let found = self.rewritten.as_ref().filter(|it| it.is_again(call))?;
        if call.effect != Effect::IdempotentWrite || now.has_failed(call) {
            return None;
        }
        let seen = now.counted(usize::try_from(found.seen).unwrap_or(usize::MAX));
        Some(Finding::new(Rule::Rewriting, Subject::Tool(call.tool.clone()), seen, found.turn))
    }
}

impl Rewritten {
    /// Whether this call writes about as much to the same place.
    fn is_again(&self, call: &ToolCall) -> bool {
        let bytes = call.arguments.len();
        self.bytes.abs_diff(bytes) <= bytes / PARTS && Some(self.path) == path(call)
    }
}

/// The path that a call names, however it spells the folder that it is in.
fn path(call: &ToolCall) -> Option<u64> {
    call.path().map(|path| xxh3_64(path.trim_start_matches("./").as_bytes()))
}
