//! Reads that return nothing new, with no change in between (spec H6).

use serde::{Deserialize, Serialize};

use super::lengths::NAME_CHARS;
use crate::change::Change;
use crate::circling::Circling;
use balk_contract::key::CallKey;
use balk_contract::wording::keep;
use balk_contract::{Effect, Origin, ResultKey, ToolCall, ToolResult};

/// The widest cycle of reads that is recognised; a wider one looks like exploration.
const READS: usize = 16;

/// The last different reads since anything may have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reads {
    seen: Vec<Read>,
    /// How long it has been going in circles.
    again: Circling,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Read {
    key: CallKey,
    /// Its result; `None` if it never ran.
    result: Option<ResultKey>,
    /// What was read; empty unless it was read again.
    what: String,
}

impl Reads {
    /// Reads that returned what was known; a new result halves the count.
    pub(super) fn again(&self) -> u32 {
        self.again.rounds()
    }

    /// What was read again, in the order of the first reads.
    pub(super) fn what(&self) -> Vec<String> {
        self.seen.iter().filter(|it| !it.what.is_empty()).map(|it| it.what.clone()).collect()
    }

    /// Something may have changed, or earlier reads are out of view.
    pub(super) fn clear(&mut self) {
        self.seen.clear();
        self.again = Circling::default();
    }

    /// Folds one result. A refused read shows that it was wanted, again or for the first time.
    pub(super) fn observe(&mut self, result: &ToolResult) {
        let is_read = result.call.effect == Effect::ReadOnly;
        match result.origin {
            Origin::Executed if is_read => self.read(&result.call, Some(result.text.key())),
            Origin::Synthetic if is_read => self.read(&result.call, None),
            Origin::Executed | Origin::Synthetic | Origin::Missing => {
                if Change::of(result) != Change::Nothing {
                    self.clear();
                }
            }
        }
    }

    fn read(&mut self, call: &ToolCall, result: Option<ResultKey>) {
        let Some(at) = self.seen.iter().position(|it| it.key == call.key) else {
            return self.first(call.key, result);
        };
        let before = self.seen[at].result;
        if before.is_some() && result.is_some() && before != result {
            // The world changes: earlier reads may be outdated too.
            self.clear();
            return self.first(call.key, result);
        }
        let read = &mut self.seen[at];
        read.result = before.or(result);
        if read.what.is_empty() {
            let subject = call.path().unwrap_or_else(|| call.arguments.to_string());
            keep(&mut read.what, &format!("`{}` {subject}", call.tool), NAME_CHARS);
        }
        self.again.nothing_new();
    }

    fn first(&mut self, key: CallKey, result: Option<ResultKey>) {
        if self.seen.len() >= READS {
            self.seen.remove(0);
        }
        self.again.something_new();
        if self.again() == 0 {
            for read in &mut self.seen {
                read.what.clear();
            }
        }
        self.seen.push(Read { key, result, what: String::new() });
    }
}
