//! Nearly the same arguments, exactly the same failure: the changes did not matter.

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::look::{Look, Step};
use super::rounds::Rounds;
use balk_contract::{Subject, ToolCall};

/// The last rounds that each changed little in the previous call and failed with the same error, as this call did.
/// `None` if nothing differed at all, because that is a duplicate.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let is_near = |step| matches!(step, Step::NearFailure | Step::Grown);
    let newest = rounds.newest()?;
    let failure = newest.only()?.failure?;
    let fails_so = |look: &Look| look.failure.is_some_and(|it| it.exact == failure.exact);
    let near =
        rounds.still().take_while(|round| round.only().is_some_and(|it| is_near(it.step) && fails_so(it)));
    // The first of them is near to an earlier call, which counts too.
    let seen = near.count() + 1;
    let is_this = |look: &Look| look.call == call.key && now.agrees(look);
    if rounds.still().take(seen).all(|round| round.only().is_some_and(is_this)) {
        return None;
    }
    let subject = Subject::Tool(call.tool.clone());
    let found = Finding::new(Rule::NearFailure, subject, now.counted(seen), newest.turn);
    Some(Finding { failed: true, patience: failure.patience(), ..found })
}
