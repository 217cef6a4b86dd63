//! Waiting: the same call, and each time the answer that something is still going on.
//!
//! A tool can be declared as one that waits ([`Purpose::Wait`](crate::Purpose)). Else it is told from the call,
//! where that is a short one with a `sleep` in it, or from words of the tools, in short answers. They only buy
//! patience: where they are not recognised, the other rules apply. An answer whose volatile parts alone differ is
//! no sign of waiting by itself: so does that of `date`.

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::rounds::Rounds;
use balk_contract::{Origin, Subject, ToolCall};

/// Looks at what is still going on, in a row or not.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let waiting = || rounds.looks(call.key).take_while(|(_, look)| look.waits);
    let (newest, _) = waiting().next()?;
    let goes_on = now.results.is_none_or(|results| {
        let mut of_call = results.iter().filter(|it| it.call.key == call.key).peekable();
        of_call.peek().is_some()
            && of_call.all(|it| {
                it.origin == Origin::Executed && waiting().any(|(_, look)| look.result == it.text.key())
            })
    });
    let count = waiting().count();
    goes_on.then(|| Finding::new(Rule::Waiting, Subject::Call(call.key), now.counted(count), newest.turn))
}
