//! A call that grows: the one before it with something put in, again and again, and the same answer.

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::look::Step;
use super::rounds::Rounds;
use balk_contract::{Subject, ToolCall};

/// The last rounds of which each made the call of the one before it longer, and learnt nothing from it; this
/// call did.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let grown =
        rounds.still().take_while(|round| round.only().is_some_and(|look| look.step == Step::Grown)).count();
    let newest = rounds.newest()?;
    // The call that was there first has not grown.
    let found =
        Finding::new(Rule::Growing, Subject::Tool(call.tool.clone()), now.counted(grown + 1), newest.turn);
    Some(Finding { failed: newest.only()?.failed, ..found })
}
