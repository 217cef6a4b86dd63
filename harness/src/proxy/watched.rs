//! The guards of a conversation, as far as a proxy can let them act.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use balk_guards::{
    Answer, AttemptFailure, Completion, Conclusion, Decision, Entry, Guard, Intervention, InterventionKind,
    Recovery, Settlement, Sight, Stack, Termination, ToolResult, watched,
};
use serde_json::Value;

/// The guards of a conversation. A proxy runs no calls, so what they want to run again is left as it is. While they are
/// only to watch, they are asked all the same, and what they would have done is kept.
#[derive(Debug)]
pub(super) struct Watched {
    stack: Stack,
    only_watches: AtomicBool,
    would: Mutex<Vec<Intervention>>,
}

impl Watched {
    pub(super) fn new(stack: Stack, only_watches: bool) -> Self {
        Self { stack, only_watches: only_watches.into(), would: Mutex::default() }
    }

    /// Lets everything pass, or no longer.
    pub(super) fn only_watch(&self, only_watches: bool) {
        self.only_watches.store(only_watches, Ordering::Relaxed);
    }

    /// What they would have done since the last time.
    pub(super) fn would_have(&self) -> Vec<Intervention> {
        std::mem::take(&mut *self.would.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn watches(&self, interventions: impl IntoIterator<Item = Intervention>) -> bool {
        let only_watches = self.only_watches.load(Ordering::Relaxed);
        if only_watches {
            self.would.lock().unwrap_or_else(PoisonError::into_inner).extend(interventions);
        }
        only_watches
    }
}

/// Lets guards work. They may be other programs, and take their time: other requests go on meanwhile, as long as tokio
/// has threads left, of which it starts 512 beside its workers by default.
pub(super) fn at_work<T>(guards: impl FnOnce() -> T) -> T {
    tokio::task::block_in_place(guards)
}

#[warn(clippy::missing_trait_methods, reason = "a method that is not passed on is lost")]
impl Guard for Watched {
    fn name(&self) -> &str {
        self.stack.name()
    }

    fn observe(&mut self, entry: &Entry) {
        self.stack.observe(entry);
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        if !self.only_watches.load(Ordering::Relaxed) {
            return self.stack.review(completion);
        }
        let decisions = watched(&self.stack, completion)?;
        self.watches(decisions.iter().flat_map(|it| it.interventions(false)));
        Ok(Decision::pass())
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        Ok(match self.stack.settle(completion, results)? {
            Settlement::Accept(notes) => {
                let note = |note| Intervention { kind: InterventionKind::Note, note, seen: false };
                let passes = self.watches(notes.iter().cloned().map(note));
                Settlement::Accept(if passes { Vec::new() } else { notes })
            }
            Settlement::Rerun { .. } => Settlement::Accept(Vec::new()),
        })
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        let recovery = self.stack.recover(failure)?;
        Ok(if self.watches([]) { None } else { recovery })
    }

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        self.stack.conclude(end)
    }

    fn must_see(&self) -> Sight {
        self.stack.must_see()
    }

    fn save(&self) -> Value {
        self.stack.save()
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.stack.load(state)
    }
}
