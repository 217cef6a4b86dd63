//! Nearly the same arguments, exactly the same failure: changes that did not matter.

use super::finding::{Finding, Now, Rule, counted};
use super::look::Step;
use super::rounds::Rounds;
use crate::completion::ToolCall;
use crate::entry::Subject;

/// The last rounds of which each changed little of the call before it and met the same error.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: Now<'_>) -> Option<Finding> {
    let is_near = |step| matches!(step, Step::NearFailure | Step::Grown);
    let failure = rounds.still().next()?.only()?.failure?;
    if !is_near(rounds.before().step_now(call, now)) {
        return None;
    }
    let near = rounds.still().take_while(|round| {
        round.only().is_some_and(|look| {
            is_near(look.step) && look.failure.is_some_and(|it| it.exact == failure.exact)
        })
    });
    let found = Finding::new(
        Rule::NearFailure,
        Subject::Tool(call.tool.clone()),
        counted(near.count() + 1, now),
        rounds.turn(),
    );
    Some(Finding { failed: true, passing: failure.passing, ..found })
}
