//! A guard that refuses one call of a run.

use balk_guards::{
    Answer, AttemptCause, AttemptFailure, Blocked, Completion, Decision, Entry, Guard, Note, Recovery,
    Subject, Verdict, Wait,
};

/// Refuses the call with this number, whatever it is.
#[derive(Clone, Debug)]
pub(super) struct RefuseOne {
    call: Option<usize>,
    /// Calls of the completions so far.
    seen: usize,
}

impl RefuseOne {
    pub(super) fn new(call: Option<usize>) -> Self {
        Self { call, seen: 0 }
    }
}

impl Guard for RefuseOne {
    fn name(&self) -> &'static str {
        "refuse-one"
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Completion(completion) = entry {
            self.seen += completion.calls.len();
        }
    }

    /// A broken attempt is sent again, when the provider allows it: only the refusal is to be seen.
    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        let after = match failure.cause {
            AttemptCause::Status { retry_after, .. } => retry_after.unwrap_or(0),
            AttemptCause::Empty
            | AttemptCause::Connect
            | AttemptCause::TimedOut
            | AttemptCause::Disconnected => 0,
        };
        Ok(Some(Recovery::resend(Wait::exactly(after))))
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let before = self.seen - completion.calls.len();
        let here = self.call.and_then(|call| call.checked_sub(before));
        let Some(call) = here.filter(|call| *call < completion.calls.len()) else {
            return Ok(Decision::pass());
        };
        let note = Note {
            guard: "refuse-one".into(),
            rule: "refusal".into(),
            level: 1,
            subject: Subject::Run,
            text: "This call is not allowed here.".into(),
        };
        Ok(Verdict::Block(vec![Blocked { call, note }]).into())
    }
}
