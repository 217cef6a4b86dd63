//! A task that is declared finished repeatedly but is not.

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::offer_index::OfferIndex;
use super::rounds::{Round, Rounds};
use balk_contract::{Subject, ToolCall};

/// How often the tool that ends the task was refused with the same answer since the last progress. Twice as often is
/// required if a call of unknown effect ran in between.
pub(super) fn find(
    rounds: &Rounds,
    offer: &OfferIndex,
    call: &ToolCall,
    now: CurrentRound<'_>,
) -> Option<Finding> {
    if !offer.finishes(&call.tool) || now.results.is_some() && !now.has_failed(call) {
        return None;
    }
    let refused = || {
        let looks = rounds
            .still()
            .filter_map(|round| Some((round, round.looks.iter().find(|it| it.tool == call.tool_key)?)));
        looks.filter(|(_, look)| look.failed)
    };
    let (newest, last) = refused().next()?;
    let same = refused().take_while(|(_, look)| look.result == last.result).count();
    let agrees = now.results.is_none_or(|results| {
        results.iter().any(|it| it.call.key == call.key && now.key(rounds, it) == last.result)
    });
    if !agrees {
        return None;
    }
    let is_sure = !rounds.still().any(Round::may_change);
    let found = Finding::new(Rule::Finish, Subject::Tool(call.tool.clone()), now.counted(same), newest.turn);
    Some(Finding { failed: true, is_sure, patience: if is_sure { 1 } else { 2 }, ..found })
}
