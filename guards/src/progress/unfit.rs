//! Calls that can never run: of tools that are not on offer, or without what the tool requires.

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::look::Look;
use super::offer_index::{OfferIndex, Unfit};
use super::rounds::Rounds;
use balk_contract::{Subject, ToolCall};

/// The last rounds that contained only such calls.
pub(super) fn find(
    rounds: &Rounds,
    offer: &OfferIndex,
    call: &ToolCall,
    now: CurrentRound<'_>,
    unfit: Unfit,
) -> Option<Finding> {
    let fails = match now.results {
        Some(_) => now.has_failed(call),
        None => rounds.newest().is_some_and(|round| round.looks.iter().all(|look| look.unfit.is_some())),
    };
    if !fails || offer.unfit(call) != Some(unfit) {
        return None;
    }
    let is_one = |look: &Look| {
        look.unfit == Some(unfit) && (unfit == Unfit::UnknownTool || look.tool == call.tool_key)
    };
    let seen = rounds.still().take_while(|round| round.looks.iter().all(is_one)).count();
    let turn = rounds.newest().map_or(0, |round| round.turn);
    let (rule, subject) = match unfit {
        Unfit::UnknownTool => (Rule::UnknownTool, Subject::Run),
        Unfit::Arguments => (Rule::Arguments, Subject::Tool(call.tool.clone())),
    };
    let found = Finding::new(rule, subject, now.counted(seen), turn);
    Some(Finding { failed: true, ..found })
}
