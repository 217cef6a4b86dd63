//! Writes that bring a file back to an earlier state: undone and redone, or the content that it already has.

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::rounds::{Round, Rounds};
use balk_contract::{Subject, ToolCall};

/// Writes of one file in a row, including this one, that each left the file in an earlier state. Undoing one change
/// is legitimate work, and counts as the first return.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>, rule: Rule) -> Option<Finding> {
    let returns = rounds.workspace().returns(call)?;
    if returns.is_idle != (rule == Rule::NoOp) || now.has_failed(call) {
        return None;
    }
    let before = usize::try_from(returns.before).unwrap_or(usize::MAX);
    let turn = rounds.newest().map_or(0, |round| round.turn);
    let found = Finding::new(rule, Subject::Tool(call.tool.clone()), now.counted(before), turn);
    // A command may also have changed the file.
    Some(Finding { is_sure: !rounds.still().any(Round::may_change), ..found })
}
