//! Asks a guard at every place of a record where the run asked one.

use std::collections::BTreeMap;

use balk_guards::{
    Answer, AttemptResponse, Completion, Conclusion, Decision, Entry, FailedAttempt, Guard, GuardFault,
    Intervention, InterventionKind, Limit, Note, Origin, Question, Recovery, Repairs, Settlement, TRIES,
    Termination, ToolResult, Verdict, conclusion,
};
use balk_reports::records::FailedRecord;
use balk_scenarios::Truth;

use super::batch::Batch;
use super::compared::{Action, Compared};
use crate::engine::TruthChannel;

/// The state of a replay of one record.
pub(super) struct Asking<'a> {
    entries: &'a [Entry],
    truths: &'a [Truth],
    /// What is known of failed attempts, by entry.
    failed: BTreeMap<usize, &'a FailedRecord>,
    /// The end that guards were last asked about.
    concluded: Option<&'a Termination>,
    /// The next entry to fold.
    at: usize,
    /// Completions folded.
    pub(super) turn: u64,
    guard: &'a mut dyn Guard,
    channel: &'a TruthChannel,
    pub(super) answers: Vec<Compared>,
}

impl<'a> Asking<'a> {
    pub(super) fn new(
        entries: &'a [Entry],
        truths: &'a [Truth],
        failed: &'a [FailedRecord],
        guard: &'a mut dyn Guard,
        channel: &'a TruthChannel,
    ) -> Self {
        let failed = failed.iter().rev().map(|it| (it.entry, it)).collect();
        Self { entries, truths, failed, concluded: None, at: 0, turn: 0, guard, channel, answers: Vec::new() }
    }

    /// Folds the whole record. A fault that is also in the record is no error.
    pub(super) fn run(&mut self) -> Answer<()> {
        while let Some(entry) = self.entries.get(self.at) {
            match entry {
                Entry::Completion(_) => self.completion()?,
                Entry::Failed(failed) => self.attempt(failed)?,
                Entry::Conclusion(conclusion) => self.conclusion(&conclusion.end, Some(conclusion))?,
                Entry::End(end) if self.concluded != Some(end) => self.conclusion(end, None)?,
                Entry::Start(_)
                | Entry::User(_)
                | Entry::Tried(_)
                | Entry::Result(_)
                | Entry::Intervention(_)
                | Entry::Answer(_)
                | Entry::Compaction(_)
                | Entry::End(_) => self.fold(),
            }
        }
        Ok(())
    }

    /// Folds the next entry.
    fn fold(&mut self) {
        self.guard.observe(&self.entries[self.at]);
        self.at += 1;
    }

    /// Folds the entries before this one.
    fn fold_to(&mut self, end: usize) {
        while self.at < end {
            self.fold();
        }
    }

    /// The entries from `from` on, as long as `pick` returns a value.
    fn following<T>(&self, from: usize, pick: fn(&'a Entry) -> Option<T>) -> Vec<T> {
        self.entries[from..].iter().map_while(pick).collect()
    }

    fn completion(&mut self) -> Answer<()> {
        let Entry::Completion(completion) = &self.entries[self.at] else { return Ok(()) };
        self.turn += 1;
        self.concluded = None;
        self.channel.tell(self.truths[usize::try_from(self.turn - 1).unwrap_or(usize::MAX)], false);
        self.fold();
        let mut compared = Compared { turn: self.turn, recorded: Vec::new(), found: Vec::new() };
        let (completion, decision) = self.reviewed(completion, &mut compared);
        let of_repairs = compared.recorded.len();
        let turn = self.rest_of_turn(completion, &mut compared);
        let decision = match decision {
            Ok(decision) => decision,
            Err(fault) => return self.broke(compared, fault),
        };
        if turn.is_cut_off {
            // The results over which the guard broke were never committed, and neither was its earlier decision: only
            // the repairs can be compared.
            compared.recorded.truncate(of_repairs);
            self.compare(compared);
            self.at = turn.batch_end;
            return Ok(());
        }
        let mut said: Vec<Intervention> = Vec::new();
        if let Err(fault) = self.settled(completion, &turn, &mut compared, &mut said) {
            return self.broke(compared, fault);
        }
        match &decision.verdict {
            Verdict::Ask(question) if self.was_out_of_questions(turn.end) => said.push(unasked(question)),
            Verdict::Pass
            | Verdict::Block(_)
            | Verdict::Retry(_)
            | Verdict::Ask(_)
            | Verdict::Stop(_)
            | Verdict::Repair(_) => said.extend(decision.interventions(true)),
        }
        if said.is_empty() && turn.results.is_empty() {
            // The guard let a text pass and broke all the same: when it was asked about the end that followed, which
            // was never committed.
            compared.recorded.retain(|it| !matches!(it, Action::Broke { .. }));
        }
        compared.found.extend(said.iter().map(|it| Action::Intervened(it.into())));
        self.compare(compared);
        self.fold_to(turn.end);
        Ok(())
    }

    /// Asks about a completion and, after each recorded repair, about the repaired completion. Returns the last
    /// completion and the answer to it.
    fn reviewed(
        &mut self,
        mut completion: &'a Completion,
        compared: &mut Compared,
    ) -> (&'a Completion, Answer<Decision>) {
        let mut repairs = Repairs::default();
        loop {
            let decision = self.guard.review(completion).and_then(|decision| match &decision.verdict {
                Verdict::Repair(repair) => repairs.add(repair).map(|()| decision),
                Verdict::Pass
                | Verdict::Block(_)
                | Verdict::Retry(_)
                | Verdict::Ask(_)
                | Verdict::Stop(_) => Ok(decision),
            });
            let Some(Entry::Intervention(Intervention { kind: InterventionKind::Repair(repaired), .. })) =
                self.entries.get(self.at)
            else {
                return (completion, decision);
            };
            let decision = match decision {
                Ok(decision) => decision,
                Err(fault) => return (completion, Err(fault)),
            };
            let said = decision.interventions(true);
            let committed = self.following(self.at, intervention);
            // Without results in between, no entry says whether a notice belongs to the repair or to the next
            // decision. If the guard would repeat the committed entries, they belong to the repair.
            let is_said_again = !said.is_empty() && committed.iter().copied().take(said.len()).eq(&said);
            let of_repair =
                if is_said_again { said.len() } else { 1 + self.following(self.at + 1, notice).len() };
            compared
                .recorded
                .extend(committed[..of_repair].iter().map(|it| Action::Intervened((*it).into())));
            compared.found.extend(said.iter().map(|it| Action::Intervened(it.into())));
            self.fold_to(self.at + of_repair);
            completion = repaired;
        }
    }

    /// The recorded rest of the turn, from here on.
    fn rest_of_turn(&self, completion: &Completion, compared: &mut Compared) -> Turn<'a> {
        let tried = self.following(self.at, tried);
        let results = self.following(self.at + tried.len(), result);
        let batch_end = self.at + tried.len() + results.len();
        let interventions = self.following(batch_end, intervention);
        let batch = Batch::new(&tried, &results);
        let index = |it: &ToolResult| {
            let of_result = batch.places_of(it).first().copied();
            of_result.or_else(|| completion.calls.iter().position(|call| call.id == it.call.id))
        };
        compared.recorded.extend(tried.iter().filter_map(|it| index(it)).map(|call| Action::Reran { call }));
        compared.recorded.extend(interventions.iter().map(|it| Action::Intervened((*it).into())));
        // A fault ends a trial at once. A fault after the results is about the attempt that followed, which was never
        // committed and cannot be asked about.
        let answered = results.len() == completion.calls.len() && !results.is_empty();
        let broke = match self.entries.get(batch_end) {
            Some(Entry::End(Termination::GuardFault(why))) if !answered => Some(why.to_string()),
            _ => None,
        };
        let is_cut_off = broke.is_some() && !completion.calls.is_empty();
        compared.recorded.extend(broke.map(|why| Action::Broke { why }));
        Turn { tried, results, batch_end, end: batch_end + interventions.len(), is_cut_off }
    }

    /// Asks about the results, as often as the run did.
    fn settled(
        &mut self,
        completion: &Completion,
        Turn { tried, results, .. }: &Turn<'a>,
        compared: &mut Compared,
        said: &mut Vec<Intervention>,
    ) -> Answer<()> {
        if results.iter().all(|it| it.origin == Origin::Synthetic) {
            return Ok(());
        }
        let mut batch = Batch::new(tried, results);
        let mut tried = tried.iter();
        loop {
            let next = tried.next();
            match self.guard.settle(completion, batch.now())? {
                Settlement::Rerun { call, .. } if next.is_some() || self.may_rerun(batch.now(), call) => {
                    compared.found.push(Action::Reran { call });
                }
                Settlement::Rerun { .. } => {}
                Settlement::Accept(notes) => said.extend(notes.into_iter().map(seen_note)),
            }
            let Some(next) = next else { return Ok(()) };
            batch.replace(next);
            self.fold();
        }
    }

    /// Whether the run ended at this entry because the limit of questions was reached.
    fn was_out_of_questions(&self, at: usize) -> bool {
        let end = match self.entries.get(at) {
            Some(Entry::End(end)) => end,
            Some(Entry::Conclusion(conclusion)) => &conclusion.end,
            _ => return false,
        };
        *end == Termination::Limit(Limit::Questions)
    }

    /// Whether the loop would have run this call again. The limit of calls is not in the record. Reaching it ends the
    /// run, so it can only have applied if no completion follows.
    fn may_rerun(&self, batch: &[ToolResult], call: usize) -> bool {
        let goes_on = self.entries[self.at..].iter().any(|it| matches!(it, Entry::Completion(_)));
        goes_on && batch.get(call).is_some_and(|it| it.origin == Origin::Executed && it.tries < TRIES)
    }

    fn attempt(&mut self, failed: &FailedAttempt) -> Answer<()> {
        let interventions = self.following(self.at + 1, intervention);
        let mut compared = Compared { turn: self.turn + 1, recorded: Vec::new(), found: Vec::new() };
        self.concluded = None;
        if let AttemptResponse::Resent { after } = failed.response {
            compared.recorded.push(Action::Resent { after });
        }
        compared.recorded.extend(interventions.iter().map(|it| Action::Intervened((*it).into())));
        let facts = self.failed.get(&self.at);
        let seen = failed.failure.facts.unsafe_side_effect_started == Some(true);
        self.channel.tell(Truth::Faulted, !seen && facts.is_some_and(|it| it.unsafe_effect));
        // If no guard and no user ended the run, and the failure itself did not, then it reached its limit.
        let nobody_ended_it = match self.entries.get(self.at + 1) {
            Some(Entry::End(end)) => !matches!(end, Termination::FatalExecution(_)),
            Some(Entry::Conclusion(conclusion)) => !matches!(conclusion.end, Termination::FatalExecution(_)),
            _ => false,
        };
        let bounded = failed.response == AttemptResponse::Ended && nobody_ended_it;
        match self.guard.recover(&failed.failure) {
            Err(fault) => return self.broke(compared, fault),
            Ok(None) => {}
            Ok(Some(Recovery::Resend { .. })) if bounded => {}
            Ok(Some(Recovery::Resend { after: wait, notice })) => {
                let after = match failed.response {
                    AttemptResponse::Resent { after } if wait.has(after) => after,
                    AttemptResponse::Resent { .. } | AttemptResponse::Asked | AttemptResponse::Ended => {
                        wait.at_least
                    }
                };
                compared.found.push(Action::Resent { after });
                let notice =
                    notice.map(|note| Intervention { kind: InterventionKind::Notice, note, seen: true });
                compared.found.extend(notice.map(|it| Action::Intervened((&it).into())));
            }
            Ok(Some(Recovery::Ask(question))) if failed.response == AttemptResponse::Ended => {
                compared.found.push(Action::Intervened((&unasked(&question)).into()));
            }
            Ok(Some(Recovery::Ask(question))) => {
                compared.found.push(Action::Intervened((&question.intervention(true)).into()));
            }
            Ok(Some(Recovery::Stop(note))) => {
                let stop = Intervention { kind: InterventionKind::Stop, note, seen: true };
                compared.found.push(Action::Intervened((&stop).into()));
            }
        }
        self.compare(compared);
        self.fold_to(self.at + 1 + interventions.len());
        Ok(())
    }

    /// Asks the guard about an end, and compares its conclusion with the recorded one.
    fn conclusion(&mut self, end: &'a Termination, recorded: Option<&Conclusion>) -> Answer<()> {
        self.concluded = Some(end);
        let mut compared = Compared { turn: self.turn, recorded: Vec::new(), found: Vec::new() };
        compared.recorded.extend(recorded.cloned().map(|it| Action::Concluded(Box::new(it))));
        match conclusion(self.guard, end) {
            Err(fault) => return self.broke(compared, fault),
            Ok(found) => compared.found.extend(found.map(|it| Action::Concluded(Box::new(it)))),
        }
        self.compare(compared);
        self.fold();
        Ok(())
    }

    fn compare(&mut self, compared: Compared) {
        if !(compared.recorded.is_empty() && compared.found.is_empty()) {
            self.answers.push(compared);
        }
    }

    /// The guard broke, so the replay ends. That is no error if the trial ended in the same way.
    fn broke(&mut self, mut compared: Compared, fault: GuardFault) -> Answer<()> {
        compared.found.push(Action::Broke { why: fault.to_string() });
        let same = compared.recorded == compared.found;
        self.compare(compared);
        self.at = self.entries.len();
        if same { Ok(()) } else { Err(fault) }
    }
}

/// The recorded part of a turn after the review of its completion.
struct Turn<'a> {
    tried: Vec<&'a ToolResult>,
    results: Vec<&'a ToolResult>,
    /// The index after the results.
    batch_end: usize,
    /// The index after the entries that guards added.
    end: usize,
    /// Whether a guard broke before the results were committed.
    is_cut_off: bool,
}

fn seen_note(note: Note) -> Intervention {
    Intervention { kind: InterventionKind::Note, note, seen: true }
}

/// The entry that replaces a question after the limit of questions.
fn unasked(question: &Question) -> Intervention {
    Intervention { kind: InterventionKind::Notice, note: question.statement(), seen: true }
}

fn tried(entry: &Entry) -> Option<&ToolResult> {
    if let Entry::Tried(result) = entry { Some(result) } else { None }
}

fn result(entry: &Entry) -> Option<&ToolResult> {
    if let Entry::Result(result) = entry { Some(result) } else { None }
}

/// A notice that follows a repair.
fn notice(entry: &Entry) -> Option<&Intervention> {
    intervention(entry).filter(|it| it.kind == InterventionKind::Notice)
}

fn intervention(entry: &Entry) -> Option<&Intervention> {
    if let Entry::Intervention(it) = entry { Some(it) } else { None }
}
