//! Nearly the same arguments, exactly the same answer: the changes did not matter.

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::look::{Look, Step};
use super::rounds::Rounds;
use crate::failure::Failure;
use balk_contract::{Subject, ToolCall};

/// The last rounds that each changed little in the previous call and got the same answer, as this call did: the same
/// failure, or the same text about the same things ([`spelling`](super::spelling)). `None` if nothing differed at all,
/// because that is a duplicate.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let newest = rounds.newest()?;
    let last = newest.only()?;
    let is_near = |look: &Look| match last.failure {
        Some(failure) => {
            matches!(look.step, Step::NearFailure | Step::Grown)
                && look.failure.is_some_and(|it| it.exact == failure.exact)
        }
        None => matches!(look.step, Step::NearAnswer | Step::Tuned) && look.result == last.result,
    };
    let near = || rounds.still().take_while(|round| round.only().is_some_and(is_near));
    // The first of them is near to an earlier call, which counts too.
    let seen = near().count() + 1;
    // A result that does not depend on a number is worth knowing, once.
    let tunes = near().flat_map(|round| &round.looks).any(|look| look.step == Step::Tuned);
    let is_this = |look: &Look| look.call == call.key && now.agrees(rounds, look);
    if rounds.still().take(seen).all(|round| round.only().is_some_and(is_this)) {
        return None;
    }
    let subject = Subject::Tool(call.tool.clone());
    let found = Finding::new(Rule::NearCall, subject, now.counted(seen), newest.turn);
    Some(Finding {
        failed: last.failed,
        patience: last.failure.map_or(if tunes { 2 } else { 1 }, Failure::patience),
        ..found
    })
}
