//! Writes that bring a file back to where it was: undone and done again, or what stands there already.

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::rounds::{Round, Rounds};
use balk_contract::{Subject, ToolCall};

/// Writes of one file in a row that each left behind a state that it had been in before, with this one last. To
/// undo one change is honest work, and the first return.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>, rule: Rule) -> Option<Finding> {
    let returns = rounds.workspace().returns(call)?;
    if returns.is_idle != (rule == Rule::NoOp) || now.has_failed(call) {
        return None;
    }
    let before = usize::try_from(returns.before).unwrap_or(usize::MAX);
    let turn = rounds.newest().map_or(0, |round| round.turn);
    let found = Finding::new(rule, Subject::Tool(call.tool.clone()), now.counted(before), turn);
    // A command may have brought the file back, or forth.
    Some(Finding { is_sure: !rounds.still().any(Round::may_change), ..found })
}
