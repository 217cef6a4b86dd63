//! Different arguments, the same failure, loosely compared ([`failure`](crate::failure)).

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::look::Step;
use super::program::is_program;
use super::rounds::{Round, Rounds};
use crate::failure::Failure;
use balk_contract::key::CallKey;
use balk_contract::reading::Prospect;
use balk_contract::{Origin, Subject, ToolCall};

/// Rounds in which one tool, with arguments that it did not have before, failed in the same way, and every call of it
/// did. Before a call runs its answer is unknown, so then the newest round must be one of them. Trying numbers one
/// after another gets twice the patience, and so does an answer that names nothing, because it may have a different
/// cause each time.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let has_tool = |round: &Round| round.looks.iter().any(|look| look.tool == call.tool_key);
    let failure = match now.results {
        Some(_) => common_failure(&call.tool, now)?,
        None => rounds.newest()?.looks.iter().find(|look| look.tool == call.tool_key)?.failure?,
    };
    let fails_so = |round: &Round| {
        let mut looks = round.looks.iter().filter(|look| look.tool == call.tool_key);
        looks.all(|look| look.failure.is_some_and(|it| it.is_alike(failure)))
    };
    // If something may have changed in between, it is another failure.
    let still = || rounds.still().take_while(|round| !round.may_change());
    let same = || still().filter(|round| has_tool(round)).take_while(|round| fails_so(round));
    let is_now = |call: CallKey| now.results.is_some() && now.calls.iter().any(|it| it.key == call);
    let has_other_arguments = |nth: usize, round: &Round| {
        let mut looks = round.looks.iter().filter(|look| look.tool == call.tool_key);
        looks.any(|look| !is_now(look.call) && !same().take(nth).any(|newer| newer.calls(look.call)))
    };
    let exactly = |round: &Round| {
        let mut looks = round.looks.iter().filter(|look| look.tool == call.tool_key);
        looks.all(|look| look.failure.is_some_and(|it| it.is_same(failure)))
    };
    let other = || same().enumerate().filter(|(nth, round)| has_other_arguments(*nth, round));
    let (seen, exact) = (other().count(), other().take_while(|(_, round)| exactly(round)).count());
    // Trying one number after another excludes them one by one, but a program is not written anew for each.
    let stepped = |step| same().flat_map(|round| &round.looks).filter(|look| look.step == step).count();
    let counts = stepped(Step::Counted) * 2 >= seen.max(1);
    let turn = rounds.newest().map_or(0, |round| round.turn);
    // Another version of a file is another attempt; the guard against abandonment counts those.
    let tries = counts || stepped(Step::Renamed) > 0 || call.effect.is_known_change();
    let excludes = counts && !is_program(call);
    let is_vague = excludes || !failure.specific || failure.prospect == Prospect::Passing;
    // Errors that differ in what they name each rule something out, and so do names that are tried one by one.
    let is_exact = exact * 2 >= seen;
    let patience = match (is_vague, tries || !is_exact) {
        (true, _) => 4,
        (false, true) => 2,
        (false, false) => 1,
    };
    let seen = if is_exact && patience == 1 { exact } else { seen };
    let found = Finding::new(Rule::SameFailure, Subject::Tool(call.tool.clone()), now.counted(seen), turn);
    Some(Finding { failed: true, patience, ..found })
}

/// The common failure of all of this tool's calls, if they failed in the same way.
fn common_failure(tool: &str, now: CurrentRound<'_>) -> Option<Failure> {
    let mut failures = now
        .looked_at()
        .filter(|(it, _)| *it.call.tool == *tool && it.origin == Origin::Executed)
        .map(|(_, failure)| failure);
    let first = failures.next()??;
    failures.all(|other| other.is_some_and(|it| it.is_alike(first))).then_some(first)
}
