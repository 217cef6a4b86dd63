//! A long run of rounds that return only what was already seen, with nothing changed or tested in between.

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::rounds::Rounds;
use balk_contract::{Subject, ToolCall};

/// Rounds that returned nothing new, if this one returns nothing new either. Before its calls run, only a call whose
/// answer is still in the view continues the run.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let goes_on = rounds.is_known(call.key)
        && now.results.is_none_or(|results| {
            results.iter().all(|it| rounds.has_brought(it.call.key, now.key(rounds, it)))
        });
    let circling = usize::try_from(rounds.circling()).unwrap_or(usize::MAX);
    let turn = rounds.newest().map_or(0, |round| round.turn);
    goes_on.then(|| Finding::new(Rule::Wandering, Subject::Run, now.counted(circling), turn))
}
