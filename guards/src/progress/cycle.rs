//! The same two to six rounds in the same order, with the same answers, repeatedly.

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::rounds::{Round, Rounds};
use balk_contract::key::CallKey;
use balk_contract::{Subject, ToolCall};

/// The longest period. A longer cycle shows up as rounds that return nothing new.
const PERIOD_MAX: usize = 6;

/// The period with the most laps; among equals, the shortest. Before its calls run, any round of the cycle continues
/// it, because one of its calls may have been refused.
///
/// A cycle in which the same call alone recurs with changing answers may be stepping or paging through something: it
/// needs twice the laps, and so does one in which something fails that may pass.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let found = (2..=PERIOD_MAX).rev().filter_map(|period| {
        let one = || rounds.still().take(period);
        let goes_on = match now.results {
            Some(_) => one().nth(period - 1).is_some_and(|due| repeats(rounds, due, now)),
            None => one().count() == period && one().any(|round| round.calls(call.key)),
        };
        // Rounds that are all alike are no cycle.
        let newest = rounds.newest()?;
        if !goes_on || one().any(Round::waits) || one().all(|round| round.is_like(newest)) {
            return None;
        }
        let pairs = rounds.still().zip(rounds.still().skip(period));
        let back = pairs.take_while(|(later, earlier)| later.is_like(earlier)).count();
        let looks = || one().flat_map(|round| &round.looks);
        let first = looks().next()?;
        // Repeating what a compaction removed is a good reason for one more lap, and so is reading through something
        // a second time, page by page.
        let in_view = rounds.still().take(back + period).all(Round::is_in_view);
        let reads_on = period > 2 && looks().all(|look| !look.failed && look.tool == first.tool);
        let seen = if in_view && !reads_on { back + period } else { back };
        // The sum of the calls: the same at every point of the cycle.
        let subject = Subject::Call(CallKey::of_all(looks().map(|look| look.call)));
        // Other work between the tries, and not only other failures.
        let tries_again = looks().any(|look| look.may_pass) && looks().any(|look| !look.failed);
        (back > 0).then(|| Finding {
            period: u32::try_from(period).unwrap_or(u32::MAX),
            patience: if looks().all(|look| look.call == first.call) || tries_again { 2 } else { 1 },
            failed: looks().any(|look| look.failed),
            is_sure: !one().any(Round::may_change),
            is_wanted: one().any(Round::is_wanted),
            ..Finding::new(Rule::Cycle, subject, now.counted(seen), newest.turn)
        })
    });
    found.max_by_key(|finding| finding.seen / finding.period)
}

/// Whether this round is the one that is due, with the same calls and answers.
fn repeats(rounds: &Rounds, due: &Round, now: CurrentRound<'_>) -> bool {
    now.calls.iter().all(|call| due.calls(call.key)) && due.looks.iter().all(|look| now.agrees(rounds, look))
}
