//! A guard in a run that goes on from a transcript.

use std::sync::Mutex;

use balk_guards::{
    Answer, AttemptFailure, Completion, Decision, Entry, Guard, Recovery, Settlement, ToolResult,
};

/// The guard, as a run sees it that is resumed with it: it knows what was committed before. It hears nothing of the
/// end, after which a test may go on, nor of the words that a run needs between two answers.
pub(super) struct Shown<'a> {
    pub(super) guard: &'a mut dyn Guard,
    /// Entries to come that the guard knows.
    pub(super) skips: usize,
    pub(super) said: Mutex<Said>,
}

/// What a guard said in one turn, first.
#[derive(Default)]
pub(super) struct Said {
    pub(super) decision: Option<Decision>,
    pub(super) recovery: Option<Recovery>,
}

impl Guard for Shown<'_> {
    fn name(&self) -> &str {
        self.guard.name()
    }

    fn observe(&mut self, entry: &Entry) {
        if self.skips > 0 {
            self.skips -= 1;
        } else if !matches!(entry, Entry::End(_) | Entry::User(_)) {
            self.guard.observe(entry);
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let decision = self.guard.review(completion)?;
        self.said.lock().expect("nobody panicked").decision.get_or_insert_with(|| decision.clone());
        Ok(decision)
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        self.guard.settle(completion, results)
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        let recovery = self.guard.recover(failure)?;
        self.said.lock().expect("nobody panicked").recovery = recovery.clone();
        Ok(recovery)
    }
}
