//! The last tries in a row of failures: in another spelling, a call may return that is known to fail.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::look::{Look, is_near};
use crate::arguments::{beginning, save_beginning};
use crate::failure::Failure;
use balk_contract::ToolCall;
use balk_contract::key::{CallKey, ToolKey};
use balk_contract::reading::Prospect;

/// How many are remembered.
const TRIES: usize = 4;

/// Calls that failed, newest last, with no success in between.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tries(Vec<Try>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Try {
    turn: u64,
    call: CallKey,
    tool: ToolKey,
    #[serde(serialize_with = "save_beginning")]
    arguments: Arc<str>,
    failure: Option<Failure>,
}

impl Tries {
    /// Records a call that ran.
    pub(super) fn ran(&mut self, call: &ToolCall, look: &Look, turn: u64) {
        if !look.failed {
            return self.end();
        }
        if self.0.len() == TRIES {
            self.0.remove(0);
        }
        let (tool, arguments, failure) = (look.tool, call.arguments.clone(), look.failure);
        self.0.push(Try { turn, call: look.call, tool, arguments, failure });
    }

    /// The row has ended.
    pub(super) fn end(&mut self) {
        self.0.clear();
    }

    /// Whether this many are remembered at most.
    pub(super) fn is_sound(&self) -> bool {
        self.0.len() <= TRIES
    }

    /// Whether there are two at least.
    pub(super) fn are_several(&self) -> bool {
        self.0.len() > 1
    }

    /// The last try that was nearly this call, if that one failed in the same way, and another did in between, in
    /// another way: two in a row are for the rule about near calls. An error of the same kind that names something else
    /// rules that out. Failures that name nothing or may pass are no evidence.
    pub(super) fn like(&self, call: &ToolCall, failure: Failure) -> Option<Came> {
        let [_, .., last] = &self.0[..] else { return None };
        if !failure.specific || failure.prospect == Prospect::Passing {
            return None;
        }
        let came_before = |it: &&Try| {
            it.turn < last.turn
                && it.tool == call.tool_key
                && it.call != call.key
                && it.failure.is_some_and(|before| before.is_same(failure))
                && is_near(&it.arguments, beginning(&call.arguments))
        };
        let first = self.0.iter().rev().find(came_before)?;
        let is_another = |it: &Try| it.failure.is_none_or(|between| !between.is_alike(failure));
        let mut between = self.0.iter().filter(|it| it.turn > first.turn);
        between.all(is_another).then_some(Came { call: first.call, turn: first.turn, last: last.turn })
    }
}

/// A try that this one is like.
pub(super) struct Came {
    pub(super) call: CallKey,
    pub(super) turn: u64,
    /// The turn of the last try.
    pub(super) last: u64,
}
