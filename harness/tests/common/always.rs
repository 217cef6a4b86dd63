//! A guard that sends everything again at once, whatever happened.

use balk_guards::{Answer, AttemptFailure, Entry, Guard, Recovery, Wait};

/// The guard.
pub(crate) struct Always;

impl Guard for Always {
    fn name(&self) -> &'static str {
        "always"
    }

    fn observe(&mut self, _: &Entry) {}

    fn recover(&self, _: &AttemptFailure) -> Answer<Option<Recovery>> {
        Ok(Some(Recovery::Resend { after: Wait::exactly(0) }))
    }
}
