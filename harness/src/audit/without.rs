//! A guard without one of its rungs. The tests of the guards (`guards/tests/all/rungs.rs`) use it as well.

use std::mem;

use balk_guards::rules::Step;
use balk_guards::{
    Answer, AttemptFailure, Completion, Conclusion, Decision, Entry, Guard, Note, Recovery, Settlement,
    Sight, Termination, ToolResult, Verdict,
};
use serde_json::Value;

/// A guard that passes instead of taking this step. It never sees itself on the rung, so it reaches no higher rung
/// from there.
pub(crate) struct Without {
    pub(crate) inner: Box<dyn Guard>,
    pub(crate) removed: Removed,
}

/// The removed rung.
#[derive(Clone, Debug)]
pub(crate) struct Removed {
    pub(crate) guard: String,
    pub(crate) rule: String,
    pub(crate) step: Step,
    /// None if the level only counts.
    pub(crate) level: Option<u8>,
}

impl Without {
    fn keeps(&self, step: Step, note: &Note) -> bool {
        let Removed { guard, rule, step: removed, level } = &self.removed;
        note.guard != *guard
            || note.rule != *rule
            || step != *removed
            || level.is_some_and(|level| level != note.level)
    }

    /// Whether the guard keeps a step that carries no note.
    fn keeps_unsigned(&self, step: Step, cause: Option<&str>) -> bool {
        self.removed.step != step || cause.is_some_and(|cause| cause != self.removed.rule)
    }
}

#[warn(clippy::missing_trait_methods, reason = "a default here would hide what the wrapped guard says")]
impl Guard for Without {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn observe(&mut self, entry: &Entry) {
        self.inner.observe(entry);
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let mut decision = self.inner.review(completion)?;
        let stands = match &mut decision.verdict {
            Verdict::Pass => true,
            Verdict::Repair(repair) => self.keeps(Step::Repair, &repair.note),
            Verdict::Block(blocked) => {
                blocked.retain(|it| self.keeps(Step::Block, &it.note));
                !blocked.is_empty()
            }
            Verdict::Retry(note) => self.keeps(Step::Feedback, note),
            Verdict::Ask(question) => self.keeps(Step::Question, &question.note),
            Verdict::Stop(note) => self.keeps(Step::Stop, note),
        };
        decision.notices.retain(|note| self.keeps(Step::Notice, note));
        if stands {
            return Ok(decision);
        }
        // Without a repair that keeps the calls, what the guard says after it is left.
        let next = match mem::replace(&mut decision.verdict, Verdict::Pass) {
            Verdict::Repair(repair) if repair.keeps_calls(completion) => self.review(&repair.completion)?,
            Verdict::Pass
            | Verdict::Block(_)
            | Verdict::Retry(_)
            | Verdict::Ask(_)
            | Verdict::Stop(_)
            | Verdict::Repair(_) => Decision::pass(),
        };
        decision.verdict = next.verdict;
        decision.notices.extend(next.notices);
        Ok(decision)
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        Ok(match self.inner.settle(completion, results)? {
            Settlement::Accept(mut notes) => {
                notes.retain(|note| self.keeps(Step::Note, note));
                Settlement::Accept(notes)
            }
            Settlement::Rerun { .. } if !self.keeps_unsigned(Step::Rerun, None) => {
                Settlement::Accept(Vec::new())
            }
            rerun @ Settlement::Rerun { .. } => rerun,
        })
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        let stands = |recovery: &Recovery| match recovery {
            Recovery::Resend { .. } => self.keeps_unsigned(Step::Resend, Some(failure.cause.name())),
            Recovery::Ask(question) => self.keeps(Step::Question, &question.note),
            Recovery::Stop(note) => self.keeps(Step::Stop, note),
        };
        let mut recovery = self.inner.recover(failure)?.filter(stands);
        if let Some(Recovery::Resend { notice, .. }) = &mut recovery {
            *notice = notice.take().filter(|note| self.keeps(Step::Notice, note));
        }
        Ok(recovery)
    }

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        let conclusion = self.inner.conclude(end)?.filter(|it| self.keeps(Step::Conclusion, &it.note));
        Ok(conclusion.map(|mut conclusion| {
            if let Some(gap) = &mut conclusion.gap {
                gap.constraint = gap.constraint.take().filter(|note| self.keeps(Step::Note, note));
            }
            conclusion
        }))
    }

    fn must_see(&self) -> Sight {
        self.inner.must_see()
    }

    fn save(&self) -> Value {
        self.inner.save()
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.inner.load(state)
    }
}
