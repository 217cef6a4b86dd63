//! The same call with the same answer, with something else in between: what a guard against duplicates lets
//! through, for who does something else meanwhile may be looking whether a job has come on.

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::rounds::{Round, Rounds};
use balk_contract::{Subject, ToolCall};

/// The last looks, as long as they had the same answer. None where the last rounds are nothing but this call,
/// and none where the model waits for something meanwhile: then a pause between two looks is a call that comes
/// back too. Who learns something new between looks that did not fail may be looking at what others change, and
/// has twice the time.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let (newest, last) = rounds.looks(call.key).next()?;
    if !now.agrees(last) {
        return None;
    }
    let looks = rounds.still().enumerate().filter(|(_, round)| round.calls(call.key));
    let same = looks.take_while(|(_, round)| round.has(call.key, last.result));
    let (seen, first) = same.fold((0, 0), |(seen, _), (nth, _)| (seen + 1, nth));
    // Counted from the newest round, so that nothing stands between where all rounds up to the first are looks.
    let between = || rounds.still().take(first);
    if first + 1 == seen || between().any(Round::waits) {
        return None;
    }
    let learns = !last.failed && between().any(Round::is_new);
    Some(Finding {
        is_sure: !between().any(Round::may_change),
        failed: last.failed,
        patience: if learns { 2 } else { 1 },
        ..Finding::new(Rule::Repeat, Subject::Call(call.key), now.counted(seen), newest.turn)
    })
}
