//! The same two to six rounds in the same order, with the same answers or with ones that came before, repeatedly.

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::look::Look;
use super::rounds::{Round, Rounds};
use balk_contract::key::CallKey;
use balk_contract::{Subject, ToolCall};

/// The longest period. A longer cycle shows up as rounds that return nothing new.
const PERIOD_MAX: usize = 6;

/// The period with the most laps; among equals, the shortest. Before its calls run, any round of the cycle continues
/// it, because one of its calls may have been refused.
///
/// A cycle in which the same call alone recurs with changing answers may be stepping or paging through something: it
/// needs twice the laps, and so does one in which something fails that may pass. Some programs say one thing in several
/// ways: where answers differ from lap to lap, but all are known, it needs one lap more.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let found = (2..=PERIOD_MAX).rev().filter_map(|period| of_period(period, rounds, call, now));
    found.max_by_key(|finding| finding.seen / finding.period)
}

fn of_period(period: usize, rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let one = || rounds.still().take(period);
    let continues = || one().count() == period && one().any(|round| round.calls(call.key));
    let lap = match now.results {
        Some(_) => repeats(rounds, one().nth(period - 1)?, now)?,
        None => continues().then_some(Lap::Same)?,
    };
    // Rounds that are all alike are no cycle.
    let newest = rounds.newest()?;
    if one().any(Round::waits) || one().all(|round| round.is_like(newest)) {
        return None;
    }
    let looks = || one().flat_map(|round| &round.looks);
    let first = looks().next()?;
    // Repeating what a compaction removed is a good reason for one more lap, and so is reading through something
    // a second time, page by page.
    let reads_on = period > 2 && looks().all(|look| !look.failed && look.tool == first.tool);
    let seen = |is_again: &dyn Fn(&Round, &Round) -> bool| {
        let pairs = rounds.still().zip(rounds.still().skip(period));
        let back = pairs.take_while(|(later, earlier)| is_again(later, earlier)).count();
        let in_view = rounds.still().take(back + period).all(Round::is_in_view);
        if back == 0 || !in_view || reads_on { back } else { back + period }
    };
    let same = if lap == Lap::Same { seen(&Round::is_like) } else { 0 };
    // Who makes the same calls in each round looks at something that may change back and forth.
    let may_vary = !one().all(|round| round.has_calls_of(newest));
    // A new answer would be evidence of progress, so all answers since the last one are known.
    let known = if may_vary { seen(&Round::has_calls_of).saturating_sub(period) } else { 0 };
    // The sum of the calls: the same at every point of the cycle.
    let subject = Subject::Call(CallKey::of_all(looks().map(|look| look.call)));
    // Other work between the tries, and not only other failures.
    let tries_again = looks().any(|look| look.may_pass) && looks().any(|look| !look.failed);
    (same.max(known) > 0).then(|| Finding {
        period: u32::try_from(period).unwrap_or(u32::MAX),
        patience: if looks().all(|look| look.call == first.call) || tries_again { 2 } else { 1 },
        failed: looks().any(|look| look.failed),
        is_sure: !one().any(Round::may_change),
        is_wanted: one().any(Round::is_wanted),
        varies: known > same,
        ..Finding::new(Rule::Cycle, subject, now.counted(same.max(known)), newest.turn)
    })
}

/// How a round goes on with a cycle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lap {
    /// With the answers of the lap before.
    Same,
    /// With answers that its calls gave before.
    Known,
}

/// How this round is the one that is due, if it has the same calls and no new answer.
fn repeats(rounds: &Rounds, due: &Round, now: CurrentRound<'_>) -> Option<Lap> {
    let is_made = |look: &Look| now.calls.iter().any(|call| call.key == look.call);
    let is_due = now.calls.iter().all(|call| due.calls(call.key)) && due.looks.iter().all(is_made);
    let agrees = || due.looks.iter().all(|look| now.agrees(rounds, look));
    let is_known =
        || now.results.into_iter().flatten().all(|it| rounds.has_brought(it.call.key, now.key(rounds, it)));
    match is_due {
        true if agrees() => Some(Lap::Same),
        true if is_known() => Some(Lap::Known),
        true | false => None,
    }
}
