//! **opencode**: the doom loop rule of opencode, as read at 31e22f65a2, and its retries at 0266548ac5
//! (`docs/peers.md#opencode`).
//!
//! | seen | the product | here |
//! |---|---|---|
//! | the last three parts of one assistant message are the same call | asks for the permission `doom_loop` when the third arrives; the calls have begun to run | the user is asked, nothing runs |
//! | a broken request | sends it again without a limit, after 2 s, doubled up to 30 s, or when the provider asks for it | the same, within the bounds of the run |
//!
//! An assistant message is one completion, so equal calls in three steps are never seen together (its users report
//! this as a gap), while three equal calls at once ask for a permission. Nothing is remembered, results do not matter,
//! and calls that fail count like others. What comes after the three does not matter either: each call is judged when
//! it arrives.
//!
//! *Different here*: the product compares calls as JSON in the order of their members, this rule by the argument text
//! as sent, so white space counts only here. There, a text between two calls ends the row; a completion does not say
//! where its texts stand. There, a fourth equal call asks again; a completion is reviewed once.
//!
//! *Left out*: permanent permission (the question has no such answer), agents whose settings allow or forbid
//! `doom_loop`, the compaction of a context that overflows, and replies with an unknown finish reason, after which the
//! product continues.

use super::answer::{Resends, may_pass, note};
use balk_contract::{
    Answer, AttemptCause, AttemptFailure, Choice, ChoiceKind, Completion, Decision, Entry, Guard, Question,
    Recovery, Subject, Verdict, Wait,
};

/// The guard; see the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenCode;

const NAME: &str = "opencode";
const SAME: usize = 3;
const AGAIN: Resends = Resends { times: u32::MAX, first: 2_000, most: 30_000, jitter: 0 };

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
            options: vec![
                choice(ChoiceKind::Continue, "allow it"),
                choice(ChoiceKind::Instruct, "deny it, and say what to do instead"),
                choice(ChoiceKind::Stop, "deny it"),
            ],
        })
        .into())
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        Ok(match failure.cause {
            AttemptCause::Status { retry_after: Some(ticks), .. } if may_pass(failure.cause) => {
                Some(Recovery::Resend { after: Wait::exactly(ticks) })
            }
            cause if may_pass(cause) => AGAIN.next(failure),
            AttemptCause::Empty
            | AttemptCause::Connect
            | AttemptCause::TimedOut
            | AttemptCause::Disconnected
            | AttemptCause::Status { .. } => None,
        })
    }
}
