//! The last tries in a row of failures: in another spelling, a call may return that is known to fail.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::look::{Look, beginning, is_near, save_beginning};
use super::rounds::Rounds;
use crate::failure::Failure;
use balk_contract::key::{CallKey, ToolKey};
use balk_contract::reading::Prospect;
use balk_contract::{Subject, ToolCall};

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
}

/// The rounds since a call failed that was nearly this one, if this one failed in the same way, and another did in
/// between, in another way: two in a row are for the rule about near calls. Failures that name nothing or may pass are
/// no evidence.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let Tries(tries) = rounds.tries();
    let [_, .., last] = &tries[..] else { return None };
    let (Some([_]), Some(Some(failure))) = (now.results, now.failures.first()) else { return None };
    let stays = failure.specific && failure.prospect != Prospect::Passing;
    let came_before = |it: &&Try| {
        it.turn < last.turn
            && it.tool == call.tool_key
            && it.call != call.key
            && it.failure.is_some_and(|before| before.is_same(*failure))
            && is_near(&it.arguments, beginning(&call.arguments))
    };
    let first = tries.iter().rev().filter(|_| stays).find(came_before)?;
    // An error of the same kind that names something else rules that out.
    let is_another = |it: &Try| it.failure.is_none_or(|between| !between.is_alike(*failure));
    if !tries.iter().filter(|it| it.turn > first.turn).all(is_another) {
        return None;
    }
    // A turn without a call is no round.
    let rounds_since = rounds.past().take_while(|round| round.turn >= first.turn).count();
    let found = Finding::new(Rule::Repeat, Subject::Call(first.call), now.counted(rounds_since), last.turn);
    Some(Finding { failed: true, only_failures: true, is_near: true, ..found })
}
