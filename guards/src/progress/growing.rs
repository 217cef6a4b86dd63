//! A call that grows: each is the previous one with something inserted, and the answer stays the same.

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::look::Step;
use super::rounds::Rounds;
use balk_contract::{Subject, ToolCall};

/// The last rounds that each extended the previous call without learning anything, if this call does the same.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let grown =
        rounds.still().take_while(|round| round.only().is_some_and(|look| look.step == Step::Grown)).count();
    let newest = rounds.newest()?;
    // The first call of the series has not grown, so one is added.
    let found =
        Finding::new(Rule::Growing, Subject::Tool(call.tool.clone()), now.counted(grown + 1), newest.turn);
    Some(Finding { failed: newest.only()?.failed, ..found })
}
