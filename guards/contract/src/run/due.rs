//! What a run waits for.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::attempt::{AttemptFailure, Wait};
use crate::completion::{Completion, ToolCall};
use crate::entry::{Entry, Intervention, InterventionKind, ToolResult};
use crate::guard::Decision;
use crate::note::{Note, Question, Termination};
use crate::offer::Effect;

/// What the host has to do before anything else happens.
#[derive(Debug)]
pub(super) enum Due {
    /// Ask the model.
    Model,
    /// Run the calls of the turn.
    Tools,
    /// Wait, and then run one call of the turn again.
    Rerun {
        /// Ticks.
        after: u64,
    },
    /// Wait, and then ask the model again.
    Resend {
        /// The failed attempt.
        failure: AttemptFailure,
        /// How long.
        after: Wait,
        /// What the user is told then.
        notice: Option<Note>,
    },
    /// Ask the user.
    Answer {
        /// The question, which is already committed.
        question: Question,
        /// Who asks.
        asker: Asker,
    },
    /// Let the user speak.
    Reply,
    /// Nothing: the run has ended.
    Ended(Termination),
}

impl Due {
    /// What is due where a transcript ends with an answer without a call, or with a question that has no answer yet.
    /// Notices may follow.
    pub(super) fn at_end(transcript: &[Entry]) -> Option<Self> {
        let is_notice =
            |it: &Entry| matches!(it, Entry::Intervention(it) if it.kind == InterventionKind::Notice);
        let last = transcript.iter().rposition(|it| !is_notice(it))?;
        if completion(&transcript[last]).is_some_and(|it| it.calls.is_empty()) {
            return Some(Self::Reply);
        }
        let Entry::Intervention(Intervention { kind: InterventionKind::Question(options), note, .. }) =
            &transcript[last]
        else {
            return None;
        };
        let before = last.checked_sub(1).map(|at| &transcript[at]);
        let asker = if let Some(Entry::Conclusion(it)) = before {
            Asker::End(it.end.clone(), it.gap.as_ref().and_then(|gap| gap.constraint.clone()))
        } else if let Some(Entry::Failed(_)) = before {
            Asker::Attempt
        } else {
            Asker::Review
        };
        let question = Question { note: note.clone(), options: options.clone() };
        Some(Self::Answer { question, asker })
    }
}

/// The completion that an entry commits: of the model, or as a guard repaired it.
pub(super) fn completion(entry: &Entry) -> Option<&Arc<Completion>> {
    if let Entry::Completion(it)
    | Entry::Intervention(Intervention { kind: InterventionKind::Repair(it), seen: true, .. }) = entry
    {
        Some(it)
    } else {
        None
    }
}

/// Who asked the user, which decides what follows the answer.
#[derive(Debug)]
pub(super) enum Asker {
    /// A review: the turn continues.
    Review,
    /// A failed attempt: the model is asked again.
    Attempt,
    /// The end of the run: it ends with this, unless the user wants to try with this note.
    End(Termination, Option<Note>),
}

/// A turn between its completion and the next one.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) completion: Arc<Completion>,
    pub(super) decision: Decision,
    /// For each call, the answer that replaces its result; `None` if it runs.
    pub(super) refused: Vec<Option<ToolResult>>,
    /// A result for each call, complete once all due calls have run.
    pub(super) results: Vec<ToolResult>,
    /// The results that were committed before the run was resumed, by index.
    pub(super) known: BTreeSet<usize>,
    /// The calls to run now, by index.
    pub(super) calls: Vec<usize>,
    /// Which try of these calls it is.
    pub(super) attempt: u32,
    pub(super) finished: bool,
    pub(super) fatal: Option<Arc<str>>,
    /// The attempt broke while these calls ran.
    pub(super) broken: Option<AttemptFailure>,
}

impl Turn {
    pub(super) fn new(
        completion: Arc<Completion>,
        decision: Decision,
        broken: Option<AttemptFailure>,
    ) -> Self {
        Self {
            completion,
            decision,
            refused: Vec::new(),
            results: Vec::new(),
            known: BTreeSet::new(),
            calls: Vec::new(),
            attempt: 1,
            finished: false,
            fatal: None,
            broken,
        }
    }

    /// The calls to run now.
    pub(super) fn calls_to_run(&self) -> Vec<Arc<ToolCall>> {
        self.calls.iter().map(|&at| self.completion.calls[at].clone()).collect()
    }

    /// Adds the calls that ran to the facts of a broken attempt.
    pub(super) fn note_what_ran(&mut self) {
        let Some(failure) = &mut self.broken else { return };
        let ran = self.results.iter().filter(|it| it.tries > 0).map(|it| &it.call);
        let facts = &mut failure.facts;
        facts.started = ran.clone().map(|call| call.tool.clone()).collect();
        facts.tool_execution_started = Some(!facts.started.is_empty());
        let mut effects = ran.map(|call| call.effect);
        facts.unsafe_side_effect_started = Some(effects.any(|effect| effect != Effect::ReadOnly));
    }
}
