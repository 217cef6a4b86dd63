//! The same call with the same answer, with other calls in between or beside it. The guard against duplicates lets this
//! pass, because a model that does something else in between may be checking whether a job has advanced.

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::rounds::{Round, Rounds};
use balk_contract::key::CallKey;
use balk_contract::reading::Prospect;
use balk_contract::{Subject, ToolCall};

/// The last looks, as long as they had the same answer; in a row of failures, all rounds since the first of them,
/// because none brought anything. `None` if the last rounds were nothing but this call, and if the model waits for
/// something in between, because then a pause between two looks is a call that recurs too. A model that learns
/// something new between looks that did not fail may be watching what others change, and has twice the patience; an
/// error that stays is nothing to learn. So has one that tries again what may pass, after other work and not only after
/// other failures.
///
/// A look after each step is a check (spec P2): that it says the same is what the model wants to know. So a look that
/// did not fail has four times the patience where a new call that may have changed something worked before each, and
/// is no standstill at all where these calls seem to write.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let (newest, last) = rounds.looks(call.key).next()?;
    if !now.agrees(rounds, last) || now.results.is_none() && last.failed && may_be_mended(rounds, call.key) {
        return None;
    }
    let looks = of_this_job(rounds, call.key).enumerate().filter(|(_, round)| round.calls(call.key));
    let same = looks.take_while(|(_, round)| round.has(call.key, last.result));
    let (seen, first) = same.fold((0, 0), |(seen, _), (nth, _)| (seen + 1, nth));
    // Counted from the newest round, so nothing is in between if all rounds up to the first look are looks.
    let between = || rounds.still().take(first);
    // The guard against duplicates takes a number that rises with every answer for news.
    let counts = between().any(|round| round.looks.iter().any(|look| look.counts));
    let is_alone = first + 1 == seen && between().all(|round| round.only().is_some()) && !counts;
    if is_alone || between().any(Round::waits) {
        return None;
    }
    let lasts = last.failure.is_some_and(|it| it.prospect != Prospect::Passing);
    let only_failures = lasts && first + 1 > seen && between().all(Round::fails);
    let seen = if only_failures { first + 1 } else { seen };
    let steps = |is_step: fn(&Round) -> bool| between().filter(|it| it.is_news() && is_step(it)).count();
    // One of the looks may come before the first step.
    let checks = |is_step| !last.failed && steps(is_step) + 1 >= seen;
    if checks(Round::seems_to_write) {
        return None;
    }
    let patience = match !last.failed && between().any(Round::is_news) {
        true if checks(Round::may_change) => 4,
        true => 2,
        false => 1,
    };
    let tries_again = last.may_pass && between().flat_map(|round| &round.looks).any(|look| !look.failed);
    Some(Finding {
        is_sure: !between().any(Round::may_change),
        is_wanted: last.is_wanted || between().any(Round::is_wanted),
        failed: last.failed,
        only_failures,
        patience: if tries_again { 2 } else { patience },
        ..Finding::new(Rule::Repeat, Subject::Call(call.key), now.counted(seen), newest.turn)
    })
}

/// Whether something new that may have changed something worked since this call failed: only its answer can say what
/// that was good for, so it is judged once it ran.
fn may_be_mended(rounds: &Rounds, call: CallKey) -> bool {
    rounds.still().take_while(|round| !round.calls(call)).any(|round| round.is_new() && round.may_change())
}

/// The rounds since something new began after a series of looks: before that, they may have been at another job (spec
/// P4).
fn of_this_job(rounds: &Rounds, call: CallKey) -> impl Iterator<Item = &Round> {
    let all = || rounds.still();
    let is_look = |round: &Round| round.only().is_some_and(|look| look.call == call);
    let begins = |round: &Round| round.is_new() && round.may_change() && !round.calls(call);
    let mut with_series = all().zip(all().skip(1)).zip(all().skip(2));
    let began =
        with_series.position(|((round, last), before)| begins(round) && is_look(last) && is_look(before));
    all().take(began.unwrap_or(usize::MAX))
}

/// The rounds since a call failed that was nearly this one, in a row of failures.
pub(super) fn comes_back(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let Some([_]) = now.results.filter(|_| rounds.tries().are_several()) else { return None };
    let failure = now.failures().first().copied().flatten()?;
    let first = rounds.tries().like(call, failure)?;
    // A turn without a call is no round.
    let since = rounds.past().take_while(|round| round.turn >= first.turn).count();
    let found = Finding::new(Rule::Repeat, Subject::Call(first.call), now.counted(since), first.last);
    Some(Finding { failed: true, only_failures: true, is_near: true, ..found })
}
