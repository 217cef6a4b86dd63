//! What stands still while things change: the same failure after every change, of one call or of one tool, and the same
//! file written again and again. Other memories end with the last evidence of progress; this one looks past it.

use std::{array, iter};

use serde::{Deserialize, Serialize};

use super::look::Look;
use super::place::place;
use super::program::is_whole;
use super::respelled::Respelled;
use super::rewritten::Rewritten;
use crate::change::Change;
use crate::failure::Failure;
use balk_contract::key::CallKey;
use balk_contract::{ResultKey, ToolCall, ToolResult};

/// Failing calls that are remembered; the one that failed longest ago is forgotten first.
const CALLS: usize = 8;
/// Failures of one call that are remembered beside the newest: some programs say one thing in several ways, or show now
/// a log and now the error alone.
const EARLIER: usize = 2;

/// What stands still.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Standing {
    failures: Vec<Persisting>,
    /// Increases with everything that may have changed something.
    changes: u64,
    /// Increases with what may change the reason for a call: a change that worked, a message of the user.
    reasons: u64,
    rewritten: Option<Rewritten>,
    respelled: Respelled,
}

/// A call that failed in the same way each time, or in a few ways by turns, whatever was changed in between.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Persisting {
    call: CallKey,
    /// The failure that was new last, and those that it had before.
    failure: ResultKey,
    earlier: [Option<ResultKey>; EARLIER],
    seen: u32,
    turn: u64,
    changes: u64,
    /// The reasons when it was first seen.
    reasons: u64,
}

impl Persisting {
    /// Whether the call failed so before.
    pub(super) fn has_had(&self, failure: ResultKey) -> bool {
        self.failure == failure || self.earlier.contains(&Some(failure))
    }

    /// Whether it failed in several ways.
    pub(super) fn varies(&self) -> bool {
        self.earlier[0].is_some()
    }

    /// The failure that was new last.
    pub(super) fn failure(&self) -> ResultKey {
        self.failure
    }

    /// How often it failed so, and when last.
    pub(super) fn seen(&self) -> (u32, u64) {
        (self.seen, self.turn)
    }

    /// The last failures but this one, newest first.
    fn others_than(&self, failure: ResultKey) -> [Option<ResultKey>; EARLIER] {
        let all = iter::once(self.failure).chain(self.earlier.into_iter().flatten());
        let mut others = all.filter(|it| *it != failure);
        array::from_fn(|_| others.next())
    }
}

impl Standing {
    /// Folds one result that ran in this turn; `is_new` if this call never gave this answer before.
    pub(super) fn result(&mut self, result: &ToolResult, look: &Look, is_new: bool, turn: u64) {
        let call = &result.call;
        let changed = Change::of(result) != Change::Nothing;
        self.changes = self.changes.saturating_add(u64::from(changed));
        let writes = call.effect.is_known_change() || look.seems_to_write;
        self.reasons = self.reasons.saturating_add(u64::from(changed && !look.failed && writes));
        let before = self.failures.iter().position(|it| it.call == call.key);
        let said = look.failed.then(|| Self::said(result, look.result, look.failure));
        if let Some((failure, said)) = look.failure.zip(said) {
            self.respelled.failed(call, (failure, said), turn, self.changes);
        }
        // What may pass is no matter of what was changed, and no end of what does not.
        match (said.filter(|_| !look.may_pass), before) {
            (None, Some(at)) if !look.failed => self.respelled.ended(self.failures.remove(at).failure),
            (None, _) => {}
            (Some(said), before) => {
                let before = before.map(|at| self.failures.remove(at));
                let is_whole = is_whole(call);
                let same = before.as_ref().filter(|it| it.has_had(said));
                let failure = same.map_or(said, |it| it.failure);
                let earlier = before.as_ref().map(|it| it.others_than(failure)).unwrap_or_default();
                let counts = |it: &Persisting| {
                    it.changes != self.changes || is_whole && turn.saturating_sub(it.turn) > 1
                };
                let reasons = same.map(|it| it.reasons);
                let seen = same.map_or(1, |it| it.seen.saturating_add(u32::from(counts(it))));
                if self.failures.len() == CALLS {
                    self.failures.remove(0);
                }
                let changes = self.changes;
                let reasons = reasons.unwrap_or(self.reasons);
                self.failures.push(Persisting {
                    call: call.key,
                    failure,
                    earlier,
                    seen,
                    turn,
                    changes,
                    reasons,
                });
            }
        }
        Rewritten::fold(&mut self.rewritten, call, look, is_new, turn);
    }

    /// The user spoke: a new reason for everything.
    pub(super) fn user_spoke(&mut self) {
        self.reasons = self.reasons.saturating_add(1);
        self.rewritten = None;
    }

    /// What is compared of a failure: the whole answer to a call that carries what it does, because a program may meet
    /// the same error in another place, and where no line says that it failed, as in a language without words for it.
    /// Fewer failures than before are progress, and so is one in another place, whatever the last line says.
    pub(super) fn said(result: &ToolResult, answer: ResultKey, failure: Option<Failure>) -> ResultKey {
        let says_so = || !is_whole(&result.call) && result.text.reading().line.is_some();
        match failure.filter(|_| says_so()) {
            Some(failure) => failure.exact.beside(failure.failures).beside(place(&result.text)),
            None => answer,
        }
    }

    /// How this call failed the last times, and whether anything since it was first seen is a reason to send it again.
    pub(super) fn failed_so(&self, call: &ToolCall) -> Option<(&Persisting, bool)> {
        let found = self.failures.iter().find(|it| it.call == call.key)?;
        Some((found, found.reasons != self.reasons))
    }

    /// How calls of this tool failed the last times in several spellings, how often, and when the last did, if this
    /// call fails so and goes on with it after a change.
    pub(super) fn failed_respelled(
        &self,
        call: &ToolCall,
        fails_so: impl FnOnce(ResultKey) -> bool,
    ) -> Option<(ResultKey, u32, u64)> {
        self.respelled.by(call, self.changes, fails_so)
    }

    /// Whether this call was the last of them.
    pub(super) fn failed_last(&self, call: &ToolCall) -> bool {
        self.respelled.was_last(call)
    }

    /// How often in a row that was written which this call writes, when it last was, whether it went unread, and
    /// whether it is another copy.
    pub(super) fn rewrote(&self, call: &ToolCall) -> Option<(u32, u64, bool, bool)> {
        self.rewritten.as_ref()?.by(call)
    }
}
