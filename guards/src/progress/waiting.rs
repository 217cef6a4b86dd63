//! Waiting: the same call, each time with the answer that something is still in progress; pauses in a row, which look
//! at nothing; or the same look after pauses of other lengths.
//!
//! A tool can be declared as one that waits ([`Purpose::Wait`](crate::Purpose)). Otherwise the evidence is the call, if
//! it is short and contains a `sleep`, the name of its tool, or the words and states of tools in short answers. They
//! only add patience: without them, the other rules apply. An answer that differs only in its volatile parts is not by
//! itself a sign of waiting: the answer of `date` does too.

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::look::{Look, Step};
use super::rounds::{Round, Rounds};
use crate::failure::{only_pauses, pauses};
use balk_contract::{Origin, Subject, ToolCall};

/// Looks at something that is still in progress, or pauses one after another. `step` is how the call follows the last
/// one.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>, step: Step) -> Option<Finding> {
    let found = [
        looking(rounds, call, now),
        pausing(rounds, call, now),
        between_pauses(rounds, call, now),
        longer(rounds, call, now, step),
    ];
    // A pause weighs more, because fewer are needed (`ProgressSettings::waits`).
    found.into_iter().flatten().max_by_key(|it| it.seen.saturating_mul(if it.is_same { 2 } else { 1 }))
}

/// Whether this call may go on with pauses: a quick test.
pub(super) fn may_go_on(rounds: &Rounds, call: &ToolCall, step: Step) -> bool {
    let last = rounds.newest().and_then(Round::only);
    last.is_some_and(|it| it.only_pauses || it.waits && step == Step::Counted) || only_pauses(call)
}

/// Whether this call pauses, and the last round did nothing else.
fn pauses_again(rounds: &Rounds, call: &ToolCall) -> bool {
    rounds.newest().and_then(Round::only).is_some_and(|it| it.only_pauses) && only_pauses(call)
}

/// Pauses in a row, however long each is, with nothing done in between and the same answer: the model does not look at
/// what it waits for.
fn pausing(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    if !pauses_again(rounds, call) {
        return None;
    }
    let newest = rounds.newest()?;
    let last = newest.only()?;
    let is_one = |it: &Look| it.only_pauses && it.result == last.result;
    let count = rounds.still().take_while(|round| round.only().is_some_and(is_one)).count();
    let mut results = now.results.into_iter().flatten();
    let goes_on = results.all(|it| it.origin == Origin::Executed && now.key(rounds, it) == last.result);
    let found =
        Finding::new(Rule::Waiting, Subject::Tool(call.tool.clone()), now.counted(count), newest.turn);
    goes_on.then_some(Finding { is_same: true, ..found })
}

/// Looks at something that is still in progress, in a row or not. After another call that may have begun something,
/// looks and ladder are those of another job.
fn looking(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let began = rounds.still().find(|round| may_begin(round, call)).map(|round| round.turn);
    let of_job = |round: &Round| began.is_none_or(|turn| round.turn > turn);
    let waiting = || rounds.looks(call.key).take_while(|(round, look)| look.waits && of_job(round));
    let (newest, last) = waiting().next()?;
    let goes_on = now.results.is_none_or(|results| {
        let mut of_call = results.iter().filter(|it| it.call.key == call.key).peekable();
        of_call.peek().is_some()
            && of_call.all(|it| {
                it.origin == Origin::Executed && waiting().any(|(_, look)| look.result == now.key(rounds, it))
            })
    });
    let count = waiting().count();
    let job = began.map_or(call.key, |turn| call.key.since(turn));
    let is_still = waiting().all(|(_, look)| look.result == last.result && now.agrees(rounds, look));
    let found = Finding::new(Rule::Waiting, Subject::Call(job), now.counted(count), newest.turn);
    goes_on.then_some(Finding { is_still, ..found })
}

/// Looks at one thing with the same answer, with nothing but pauses in between, however long each is.
fn between_pauses(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let alone = || rounds.still().map_while(|round| Some((round, round.only()?)));
    let (newest, last) = alone().find(|(_, look)| !look.only_pauses)?;
    let is_look = last.call == call.key;
    if last.failed || !is_look && !only_pauses(call) || is_look && !now.agrees(rounds, last) {
        return None;
    }
    let is_one = |look: &Look| look.only_pauses || look.call == last.call && look.result == last.result;
    let row = || alone().take_while(|(_, look)| is_one(look));
    let pauses = row().filter(|(_, look)| look.only_pauses).count();
    let looks = row().count() - pauses;
    let seen = if is_look { now.counted(looks) } else { u32::try_from(looks).unwrap_or(u32::MAX) };
    let found = Finding::new(Rule::Waiting, Subject::Call(last.call), seen, newest.turn);
    (pauses + 1 >= looks).then_some(Finding { is_still: true, ..found })
}

/// A call that pauses and looks, each time for longer or shorter and with the same answer.
fn longer(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>, step: Step) -> Option<Finding> {
    let newest = rounds.newest()?;
    let last = newest.only()?;
    if step != Step::Counted || !last.waits || !pauses(call) {
        return None;
    }
    let is_one = |look: &Look| look.waits && look.step == Step::Counted && look.result == last.result;
    let row = rounds.still().take_while(|round| round.only().is_some_and(is_one)).count();
    // The first of them has none before it.
    let found =
        Finding::new(Rule::Waiting, Subject::Tool(call.tool.clone()), now.counted(row + 1), newest.turn);
    Some(Finding { is_still: true, ..found })
}

/// Whether something may have begun in this round that this call looks at: another call that may change something
/// answered something new.
fn may_begin(round: &Round, call: &ToolCall) -> bool {
    round.may_change() && round.is_new() && !round.waits() && !round.calls(call.key)
}
