//! A task that is declared finished again and again, and is not.

use super::finding::{Finding, Now, Rule, counted};
use super::names::Names;
use super::rounds::Rounds;
use crate::completion::ToolCall;
use crate::entry::Subject;

/// How often the tool that ends the task was refused since anything moved.
pub(super) fn find(rounds: &Rounds, names: &Names, call: &ToolCall, now: Now<'_>) -> Option<Finding> {
    if !names.finishes(&call.tool) || now.results.is_some() && !now.has_failed(call) {
        return None;
    }
    let refused =
        rounds.still().filter(|round| round.looks.iter().any(|it| it.tool == call.tool && it.failed));
    let found = Finding::new(
        Rule::Finish,
        Subject::Tool(call.tool.clone()),
        counted(refused.count(), now),
        rounds.turn(),
    );
    Some(Finding { failed: true, ..found })
}
