//! The same call with the same answer, with something else in between: what a guard against duplicates lets
//! through, for who does something else meanwhile may be looking whether a job has come on.

use super::finding::{Finding, Now, Rule};
use super::rounds::Rounds;
use crate::completion::ToolCall;
use crate::entry::Subject;

/// Looks with the same answer. None where the last rounds are nothing but this call, and none where the model
/// waits for something meanwhile: then a pause between two looks is a call that comes back too.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: Now<'_>) -> Option<Finding> {
    let (newest, last) = rounds.looks(call.key).next()?;
    if rounds.waits() || !now.agrees(last) {
        return None;
    }
    let is_look = |round: &&super::rounds::Round| round.has(call.key, last.result);
    let seen = rounds.still().filter(is_look).count();
    let rounds_since_first =
        rounds.still().enumerate().filter(|(_, it)| is_look(it)).map(|(nth, _)| nth + 1).last()?;
    if rounds_since_first == seen {
        return None;
    }
    Some(Finding {
        rule: Rule::Repeat,
        subject: Subject::Call(call.key),
        seen: u32::try_from(seen).unwrap_or(u32::MAX).saturating_add(now.rounds()),
        period: 1,
        turn: newest.turn,
        failed: last.failed,
    })
}
