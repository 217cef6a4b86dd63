//! Writes that bring a file back to where it was: undone, and done again.

use super::finding::{Finding, Now, Rule, counted};
use super::rounds::Rounds;
use crate::completion::ToolCall;
use crate::entry::Subject;

/// Writes of one file in a row that each left behind a state that it had been in before. To undo one change is
/// honest work, and the first return.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: Now<'_>) -> Option<Finding> {
    let returns = rounds.workspace().returns(call)?;
    (!now.has_failed(call)).then(|| {
        Finding::new(
            Rule::Rewrite,
            Subject::Tool(call.tool.clone()),
            counted(returns as usize, now),
            rounds.turn(),
        )
    })
}
