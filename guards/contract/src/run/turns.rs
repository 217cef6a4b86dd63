//! A turn after its completion: review, calls, results, and the guards' notes.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

use super::due::{Asker, Due, Turn};
use super::{Batch, Run, TRIES, fault};
use crate::attempt::AttemptFailure;
use crate::completion::Completion;
use crate::entry::{Entry, InterventionKind, Origin, ToolResult};
use crate::guard::{Answer, Decision, Guard, GuardFault, Repair, Settlement, Verdict};
use crate::note::{Limit, Note, Termination};

/// The guards that repaired one completion. Each may do so once: two that disagree would repair for ever.
#[derive(Debug, Default)]
pub struct Repairs(Vec<Arc<str>>);

impl Repairs {
    /// Counts one more repair.
    ///
    /// # Errors
    /// The same guard repaired the completion before.
    pub fn add(&mut self, repair: &Repair) -> Answer<()> {
        let guard = &*repair.note.guard;
        if self.0.iter().any(|it| **it == *guard) {
            let reason = "expected one repair of a completion, found a second one".to_owned();
            return Err(GuardFault { guard: guard.to_owned(), reason });
        }
        self.0.push(guard.into());
        Ok(())
    }
}

/// What a guard says about a completion that nobody repairs, for hosts that only watch: its first decision and, after
/// each repair that keeps the calls, the one about the repaired completion.
///
/// # Errors
/// The guard is broken, or repaired the completion twice.
pub fn watched(guard: &(impl Guard + ?Sized), completion: &Completion) -> Answer<Vec<Decision>> {
    let mut decisions = vec![guard.review(completion)?];
    let mut repairs = Repairs::default();
    while let Some(Verdict::Repair(repair)) = decisions.last().map(|it| &it.verdict)
        && repair.keeps_calls(completion)
    {
        repairs.add(repair)?;
        let next = guard.review(&repair.completion)?;
        decisions.push(next);
    }
    Ok(decisions)
}

impl<G: Guard> Run<G> {
    /// Commits a completion and asks about it.
    pub(super) fn begin_turn(&mut self, completion: Arc<Completion>, broken: Option<AttemptFailure>) {
        self.spent.turns = self.spent.turns.saturating_add(1);
        self.commit(Entry::Completion(completion.clone()));
        self.review(completion, broken);
    }

    pub(super) fn review(&mut self, completion: Arc<Completion>, broken: Option<AttemptFailure>) {
        match self.reviewed(completion, broken.is_some()) {
            Err(fault) => self.broke(fault),
            Ok((completion, decision)) => {
                self.refuse_or_run(completion, decision, broken, BTreeMap::new());
            }
        }
    }

    /// The guards' decision about a completion, after their repairs of it.
    fn reviewed(
        &mut self,
        mut completion: Arc<Completion>,
        is_broken: bool,
    ) -> Result<(Arc<Completion>, Decision), GuardFault> {
        let mut repairs = Repairs::default();
        loop {
            let decision = self.guard.review(&completion)?;
            let Verdict::Repair(repair) = &decision.verdict else {
                return Ok((completion, decision));
            };
            repairs.add(repair)?;
            if is_broken && repair.completion.calls.is_empty() {
                // The model would be asked again after a message of its own, which no provider takes.
                let reason = "expected a repair that leaves a broken attempt at least one call, found none";
                return Err(GuardFault { guard: repair.note.guard.to_string(), reason: reason.to_owned() });
            }
            completion = repair.completion.clone();
            for intervention in decision.interventions(true) {
                self.intervene(intervention);
            }
        }
    }

    /// Refuses what does not run; the rest is due, but for the calls with a known result.
    pub(super) fn refuse_or_run(
        &mut self,
        completion: Arc<Completion>,
        decision: Decision,
        broken: Option<AttemptFailure>,
        mut known: BTreeMap<usize, ToolResult>,
    ) {
        let committed = known.keys().copied().collect();
        let left = self.limits.calls.saturating_sub(self.spent.calls);
        let mut calls = Vec::new();
        let mut refused = Vec::with_capacity(completion.calls.len());
        let refusals = decision.verdict.refusals(completion.calls.len());
        for (at, (call, refusal)) in completion.calls.iter().zip(refusals).enumerate() {
            let has_room = u32::try_from(calls.len()).is_ok_and(|run| run < left);
            refused.push(match (known.remove(&at), refusal) {
                (Some(result), _) => Some(result),
                (None, Some(reason)) => Some(ToolResult::refused(call, reason)),
                (None, None) if has_room => {
                    calls.push(at);
                    None
                }
                (None, None) => Some(ToolResult::refused(call, "no more calls are allowed in this run.")),
            });
        }
        let nothing_runs = calls.is_empty();
        self.turn =
            Some(Turn { calls, refused, known: committed, ..Turn::new(completion, decision, broken) });
        self.due = Due::Tools;
        if nothing_runs {
            self.executed(Vec::new());
        }
    }

    /// The host ran the calls that were due.
    pub fn executed(&mut self, batch: impl Into<Batch>) {
        let batch = batch.into();
        let (Due::Tools, Some(turn)) = (&self.due, &mut self.turn) else {
            return self.out_of_turn("results");
        };
        let wanted = turn.calls.iter().map(|&at| &turn.completion.calls[at].id);
        if !wanted.clone().eq(batch.results.iter().map(|it| &it.call.id)) {
            let ids = |ids: Vec<&Arc<str>>| ids.iter().map(|id| &***id).collect::<Vec<_>>().join(", ");
            let found = ids(batch.results.iter().map(|it| &it.call.id).collect());
            let reason =
                format!("expected results of the calls [{}], found [{found}]", ids(wanted.collect()));
            return self.broke(fault(reason));
        }
        let ran = u32::try_from(turn.calls.len()).unwrap_or(u32::MAX);
        self.spent.calls = self.spent.calls.saturating_add(ran);
        if turn.attempt == 1 {
            let mut executed = batch.results.into_iter();
            let refused = mem::take(&mut turn.refused).into_iter();
            turn.results = refused.filter_map(|refused| refused.or_else(|| executed.next())).collect();
            turn.finished = batch.finished;
            turn.fatal = batch.fatal;
        } else if let (Some(&at), Some(again)) = (turn.calls.first(), batch.results.into_iter().next()) {
            let again = ToolResult { tries: turn.attempt, ..again };
            let tried = mem::replace(&mut turn.results[at], again);
            self.commit(Entry::Tried(tried));
        }
        self.settle();
    }

    /// The host has waited; `ticks` (ms) is how long, by its own account.
    pub fn waited(&mut self, ticks: u64) {
        match mem::replace(&mut self.due, Due::Tools) {
            Due::Rerun { .. } => {}
            Due::Resend { failure, after, notice } if after.has(ticks) => {
                self.resend(failure, ticks, notice);
            }
            due @ Due::Resend { .. } => {
                self.due = due;
                self.broke(fault(format!(
                    "expected a wait within the span that was due, found {ticks} ticks"
                )));
            }
            due @ (Due::Model | Due::Tools | Due::Answer { .. } | Due::Reply | Due::Ended(_)) => {
                self.due = due;
                self.out_of_turn("a wait");
            }
        }
    }

    /// Asks about the results, until no guard wants another call to run again.
    fn settle(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        if turn.results.iter().all(|it| it.origin == Origin::Synthetic) {
            return self.commit_results(Vec::new());
        }
        match self.guard.settle(&turn.completion, &turn.results) {
            Err(fault) => self.broke(fault),
            Ok(Settlement::Accept(notes)) => self.commit_results(notes),
            Ok(Settlement::Rerun { call, after }) => match turn.results.get(call) {
                Some(result)
                    if result.origin == Origin::Executed
                        && !turn.known.contains(&call)
                        && result.tries < TRIES
                        && self.spent.calls < self.limits.calls =>
                {
                    turn.attempt = result.tries + 1;
                    turn.calls = vec![call];
                    self.due = Due::Rerun { after };
                }
                Some(_) | None => self.commit_results(Vec::new()),
            },
        }
    }

    /// Commits the results with the guards' notes, and then their decision about the completion.
    fn commit_results(&mut self, notes: Vec<Note>) {
        let Some(turn) = &mut self.turn else { return };
        turn.note_what_ran();
        let results = mem::take(&mut turn.results);
        let decision = mem::take(&mut turn.decision);
        let known = mem::take(&mut turn.known);
        for (_, result) in results.into_iter().enumerate().filter(|(at, _)| !known.contains(at)) {
            self.commit(Entry::Result(result));
        }
        for note in notes {
            self.tell(InterventionKind::Note, note);
        }
        self.commit_decision(decision);
    }

    fn commit_decision(&mut self, decision: Decision) {
        if let Verdict::Ask(question) = &decision.verdict
            && self.no_question_left()
        {
            self.tell(InterventionKind::Notice, question.statement());
            return self.close(Termination::Limit(Limit::Questions));
        }
        for intervention in decision.interventions(true) {
            self.intervene(intervention);
        }
        match decision.verdict {
            Verdict::Stop(_) => self.close(Termination::StoppedByGuard),
            Verdict::Ask(question) => self.due = Due::Answer { question, asker: Asker::Review },
            Verdict::Pass | Verdict::Block(_) => self.turn_ends(true),
            Verdict::Retry(_) | Verdict::Repair(_) => self.turn_ends(false),
        }
    }

    /// Everything about the turn is committed. `passes` is true if its completion was not refused as a whole.
    pub(super) fn turn_ends(&mut self, passes: bool) {
        // A run that was resumed at a question has no turn.
        let Some(turn) = &mut self.turn else { return self.next_turn() };
        if let Some(failure) = turn.broken.take() {
            return self.attempt_failed(failure);
        }
        let fatal = turn.fatal.take();
        let (finished, no_calls) = (turn.finished, turn.completion.calls.is_empty());
        match fatal {
            Some(error) => self.close(Termination::FatalExecution(error)),
            None if passes && finished => self.close(Termination::Finished),
            None if passes && no_calls => self.due = Due::Reply,
            None => self.next_turn(),
        }
    }
}
