//! **opencode**: the doom loop rule of opencode and its retries, as of 31e22f65a2 (`docs/peers.md#opencode`).
//!
//! | seen | the product | here |
//! |---|---|---|
//! | the last three parts of one assistant message are the same call | asks for the permission `doom_loop` when the third arrives; the calls have begun to run | the user is asked, nothing runs |
//! | a broken request | sends it again up to 5 times, after 2 s, doubled each time, or when the provider asks for it; then the turn ends | the same |
//!
//! Each wait is up to a quarter longer, by chance. It is at most 30 s after a broken connection; a refusal has headers,
//! for which the product knows no such bound. A wait that the provider asks for is obeyed exactly.
//!
//! An assistant message is one completion, so equal calls in three steps are never seen together (its users report
//! this as a gap), while three equal calls at once ask for a permission. Nothing is remembered, results do not matter,
//! and calls that fail count like others. What comes after the three does not matter either: each call is judged when
//! it arrives.
//!
//! A rejection, with or without a message, breaks the stream with an error that no retry is made for: calls that still
//! run are aborted, the turn ends, and later requests leave the message out. So no answer of the user reaches the model
//! as long as the turn goes on, and the question here offers none; what the user writes next is a new task.
//!
//! *Different here*: the product compares calls as JSON in the order of their members, this rule by the argument text
//! as sent, so white space counts only here. There, a text between two calls ends the row; a completion does not say
//! where its texts stand. There, a fourth equal call asks again; a completion is reviewed once.
//!
//! *Left out*: permanent permission ("Allow always" has no counterpart), agents whose settings allow or forbid
//! `doom_loop`, the compaction of a context that overflows, and replies with an unknown finish reason, after which the
//! product continues.

use super::answer::{may_pass, note};
use balk_contract::{
    Answer, AttemptCause, AttemptFailure, Choice, ChoiceKind, Completion, Decision, Entry, Guard, Question,
    Recovery, Subject, Verdict, Wait,
};

/// The guard; see the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenCode;

const NAME: &str = "opencode";
const SAME: usize = 3;
/// Resends of one request.
const AGAIN: u32 = 5;
/// Ticks (ms) before the first resend; the wait doubles for each further one.
const FIRST: u64 = 2_000;
/// The longest wait, in ticks, if the provider sent no headers.
const MOST: u64 = 30_000;

/// The wait before the next attempt. A quarter of it may come on top.
fn wait(failure: &AttemptFailure) -> Wait {
    let least = FIRST << failure.attempt.saturating_sub(1).min(AGAIN);
    let most = least + least / 4;
    match failure.cause {
        AttemptCause::Status { retry_after: Some(ticks), .. } => Wait::exactly(ticks),
        AttemptCause::Status { retry_after: None, .. } => Wait { at_least: least, at_most: most },
        AttemptCause::Empty | AttemptCause::Connect | AttemptCause::TimedOut | AttemptCause::Disconnected => {
            Wait { at_least: least.min(MOST), at_most: most.min(MOST) }
        }
    }
}

impl Guard for OpenCode {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, _: &Entry) {}

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let mut runs = completion.calls.chunk_by(|a, b| a.tool == b.tool && a.arguments == b.arguments);
        let Some([call, ..]) = runs.find(|run| run.len() >= SAME) else { return Ok(Decision::pass()) };
        let text = format!("`{}` is called {SAME} times in a row with the same arguments.", call.tool);
        let choice = |kind, label: &'static str| Choice { kind, label: label.into() };
        Ok(Verdict::Ask(Question {
            note: note(NAME, "doom-loop", 1, Subject::Call(call.key), text),
            options: vec![choice(ChoiceKind::Continue, "Allow once"), choice(ChoiceKind::Stop, "Reject")],
        })
        .into())
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        let goes_on = failure.attempt <= AGAIN && may_pass(failure.cause);
        Ok(goes_on.then(|| Recovery::resend(wait(failure))))
    }
}
