//! A guard with somebody at its side who sees each entry as it is committed.

use balk_guards::{
    Answer, AttemptFailure, Completion, Conclusion, Decision, Entry, Guard, Recovery, Settlement,
    Termination, ToolResult,
};
use serde_json::Value;

/// A guard, and who sees what it folds.
pub struct Watched<'t> {
    guard: &'t mut dyn Guard,
    see: &'t mut (dyn FnMut(&Entry) + Send),
}

impl<'t> Watched<'t> {
    /// This guard, watched.
    pub fn new(guard: &'t mut dyn Guard, see: &'t mut (dyn FnMut(&Entry) + Send)) -> Self {
        Self { guard, see }
    }
}

impl Guard for Watched<'_> {
    fn name(&self) -> &str {
        self.guard.name()
    }

    fn observe(&mut self, entry: &Entry) {
        (self.see)(entry);
        self.guard.observe(entry);
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        self.guard.review(completion)
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        self.guard.settle(completion, results)
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        self.guard.recover(failure)
    }

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        self.guard.conclude(end)
    }

    fn save(&self) -> Value {
        self.guard.save()
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.guard.load(state)
    }
}
