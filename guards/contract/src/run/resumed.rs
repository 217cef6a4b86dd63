//! A run that goes on from a transcript.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::due::{Due, completion};
use super::{Limits, Run, fault};
use crate::completion::Completion;
use crate::entry::{Entry, ToolResult, Transcript};
use crate::guard::{Decision, Guard, GuardFault, Verdict};
use crate::open_calls::OpenCalls;

impl<G: Guard> Run<G> {
    /// A run that continues where this transcript ends. A question to the user without an answer is still open. After
    /// an answer without a call, the user is to speak. Calls of the last completion without a result are due: if a host
    /// cannot know whether one of them ran, it answers that call with [`ToolResult::lost`].
    ///
    /// # Errors
    /// The transcript does not begin with [`Entry::Start`].
    pub fn resume(guard: G, mut transcript: Transcript, limits: Limits) -> Result<Self, GuardFault> {
        let Some(Entry::Start(start)) = transcript.first() else {
            let found = if transcript.is_empty() { "an empty transcript" } else { "another entry" };
            return Err(fault(format!("expected a transcript that begins with its start, found {found}")));
        };
        let mut run = Self::empty(guard, start.protocol, limits);
        let open = Open::of(&transcript);
        // What a guard says about a completion, it says before it knows any result.
        let results = transcript.split_off(open.as_ref().map_or(transcript.len(), |it| it.results));
        run.fold(transcript);
        let decision = open.as_ref().filter(|it| !it.known.is_empty()).map(|it| it.decision(&run.guard));
        run.fold(results);
        run.seen = run.transcript.len();
        match (open, decision, run.transcript.last()) {
            (_, _, Some(Entry::End(end))) => run.due = Due::Ended(end.clone()),
            (_, Some(Err(fault)), _) => run.broke(fault),
            (Some(open), Some(Ok(decision)), _) => {
                run.refuse_or_run(open.completion, decision, None, open.known);
            }
            (Some(open), None, _) => run.review(open.completion, None),
            (None, _, _) => match Due::at_end(&run.transcript) {
                Some(due) => run.due = due,
                None => run.next_turn(),
            },
        }
        Ok(run)
    }

    fn fold(&mut self, entries: Transcript) {
        for entry in entries {
            match &entry {
                Entry::Completion(_) => self.spent.turns = self.spent.turns.saturating_add(1),
                Entry::Result(result) => self.spent.calls = self.spent.calls.saturating_add(result.tries),
                Entry::Intervention(it) => self.spent.add_intervention(&it.kind),
                Entry::Start(_)
                | Entry::User(_)
                | Entry::Failed(_)
                | Entry::Tried(_)
                | Entry::Answer(_)
                | Entry::Compaction(_)
                | Entry::Conclusion(_)
                | Entry::End(_) => {}
            }
            self.commit(entry);
        }
    }
}

/// The last completion of a transcript, if one of its calls has no result.
struct Open {
    completion: Arc<Completion>,
    /// The results of the other calls.
    known: BTreeMap<usize, ToolResult>,
    /// Where the first result is, or would be.
    results: usize,
}

impl Open {
    fn of(transcript: &[Entry]) -> Option<Self> {
        let (at, completion) =
            transcript.iter().enumerate().rev().find_map(|(at, it)| Some((at, completion(it)?)))?;
        let mut calls = OpenCalls::new(&completion.calls);
        let mut known = BTreeMap::new();
        let mut results = transcript.len();
        for (at, entry) in transcript.iter().enumerate().skip(at) {
            if let Entry::Result(result) = entry
                && let Some((place, _)) = calls.answered_at(&result.call.id)
            {
                results = results.min(at);
                known.insert(place, result.clone());
            }
        }
        let is_open = known.len() < completion.calls.len();
        is_open.then(|| Self { completion: completion.clone(), known, results })
    }

    /// What the guard says about the completion. It is too late for a repair: calls ran.
    fn decision(&self, guard: &impl Guard) -> Result<Decision, GuardFault> {
        let decision = guard.review(&self.completion)?;
        Ok(if matches!(decision.verdict, Verdict::Repair(_)) { Decision::pass() } else { decision })
    }
}
