//! The results of a trial: pure functions from a trial to numbers and to its record.

use std::borrow::Cow;
use std::slice;

use balk_guards::{
    AttemptResponse, Completion, Entry, Intervention, InterventionKind, Origin, Termination, ToolCall,
};
use balk_reports::records::{Drawn, EntryRecord, FailedRecord, Grade, SCHEMA, TrialRecord, TurnRecord};
use balk_scenarios::{Truth, World};

use crate::engine::{FailedFacts, Trial, TurnFacts};

/// Judges a trial.
#[must_use]
pub fn grade(trial: &Trial) -> Grade {
    grade_each(trial, |_, _| ())
}

/// Judges a trial, and calls `see` with each intervention and whether it is false.
pub fn grade_each(trial: &Trial, see: impl FnMut(&Intervention, bool)) -> Grade {
    let mut grading = Grading {
        grade: of_truths(trial),
        turns: trial.turns.iter(),
        failed: trial.failed.iter(),
        last: None,
        meant: None,
        concluded: false,
        aside: false,
        turn: 0,
        written: 0,
        see,
    };
    for (at, entry) in trial.entries.iter().enumerate() {
        if let Entry::Completion(completion) = entry {
            grading.meant = meant(completion, &trial.entries[at + 1..]);
        }
        grading.fold(entry);
    }
    let tokens_out = u64::try_from(grading.written).unwrap_or(u64::MAX) / BYTES_PER_TOKEN;
    Grade { tokens_out, ..grading.grade }
}

/// The part of a grade that depends only on the world and the truths of the turns, not on the entries.
fn of_truths(trial: &Trial) -> Grade {
    let count =
        |wanted: fn(Truth) -> bool| number(trial.turns.iter().filter(|turn| wanted(turn.truth)).count());
    let stuck_turn = trial.turns.iter().position(|turn| turn.truth.is_onset());
    let stuck_attempt = trial.failed.iter().find(|it| it.truth.is_onset());
    // A failed attempt belongs to the turn that it delays.
    let delayed = stuck_attempt.map(|it| trial.turns.partition_point(|turn| turn.entry < it.entry));
    let onset = [stuck_turn, delayed].into_iter().flatten().min();
    let onset = onset.map(|at| number(at) + 1);
    let last_stuck = trial.turns.iter().rposition(|turn| turn.truth.is_onset());
    Grade {
        goal: trial.goal,
        onset,
        last_stuck: last_stuck.map(|at| number(at) + 1).max(onset),
        told: trial.turns.iter().any(|turn| turn.tells_user),
        turns: number(trial.turns.len()),
        stuck_turns: count(Truth::is_stuck),
        healthy_turns: count(Truth::is_healthy),
        ticks: trial.ticks,
        double_effects: trial.double_effects,
        tokens_in: trial.turns.iter().map(|turn| turn.view_bytes).sum::<u64>() / BYTES_PER_TOKEN,
        ..Grade::default()
    }
}

/// A trial's entries, folded into its grade.
struct Grading<'t, F> {
    grade: Grade,
    /// The hidden facts about the turns to come.
    turns: slice::Iter<'t, TurnFacts>,
    /// The hidden facts about the failed attempts to come.
    failed: slice::Iter<'t, FailedFacts>,
    /// The truth of the last completion or failed attempt, which the next interventions are about.
    last: Option<Truth>,
    /// The guard whose repair of the last completion is what the model meant.
    meant: Option<Cow<'static, str>>,
    concluded: bool,
    /// Whether the last entry is a resend or a repair: a notice beside it is about that, not about the task.
    aside: bool,
    /// The turn that an entry is about, from 1.
    turn: u32,
    /// Bytes that the model wrote.
    written: usize,
    see: F,
}

impl<F: FnMut(&Intervention, bool)> Grading<'_, F> {
    fn fold(&mut self, entry: &Entry) {
        let is_aside = std::mem::take(&mut self.aside);
        match entry {
            Entry::Completion(completion) => {
                self.last = self.turns.next().map(|turn| turn.truth);
                self.concluded = false;
                self.turn = self.completions();
                let texts: usize = completion.texts().map(|text| text.len()).sum();
                let calls: usize = completion.calls.iter().map(|it| it.tool.len() + it.arguments.len()).sum();
                self.written += texts + calls;
            }
            Entry::Failed(attempt) => {
                let facts = self.failed.next();
                self.last = facts.map(|it| it.truth);
                let asked = matches!(attempt.response, AttemptResponse::Asked);
                self.grade.needless_questions +=
                    u32::from(asked && facts.is_some_and(|it| !it.unsafe_effect));
                self.turn = self.completions() + 1;
                if let AttemptResponse::Resent { .. } = attempt.response {
                    self.grade.resends += 1;
                    self.aside = true;
                    self.helped();
                }
            }
            Entry::Tried(_) => self.grade.calls += 1,
            Entry::Result(result) => self.grade.calls += u32::from(result.origin == Origin::Executed),
            Entry::Intervention(it) => self.intervention(it, is_aside),
            Entry::Conclusion(_) => self.concluded = true,
            Entry::End(Termination::GuardFault(_)) => self.grade.guard_fault = true,
            Entry::Start(_) | Entry::User(_) | Entry::Answer(_) | Entry::Compaction(_) | Entry::End(_) => {}
        }
    }

    fn intervention(&mut self, it: &Intervention, is_aside: bool) {
        self.grade.interventions += 1;
        self.helped();
        // A message at the end of a run interrupts no work.
        let is_repair = matches!(it.kind, InterventionKind::Repair(_) | InterventionKind::Notice);
        let is_meant = is_repair && self.meant.as_ref() == Some(&it.note.guard);
        let is_false = !self.concluded && !is_meant && self.last.is_some_and(Truth::is_healthy);
        self.grade.false_interventions += u32::from(is_false);
        (self.see)(it, is_false);
        self.aside = matches!(it.kind, InterventionKind::Repair(_));
        self.grade.told |= match it.kind {
            InterventionKind::Notice => !is_aside,
            InterventionKind::Question(_) | InterventionKind::Stop => true,
            InterventionKind::Repair(_)
            | InterventionKind::Feedback
            | InterventionKind::Note
            | InterventionKind::Block => false,
        };
    }

    /// Completions so far.
    fn completions(&self) -> u32 {
        self.grade.turns - number(self.turns.len())
    }

    /// Records the first answer that could help after the onset.
    fn helped(&mut self) {
        let is_late = self.grade.onset.is_some_and(|onset| onset <= self.turn);
        if is_late && self.grade.first_help.is_none() {
            self.grade.first_help = Some(self.turn);
        }
    }
}

/// The guard that repaired this completion, if the model meant what was made of it: it sent these calls itself, and all
/// that were changed ran and did not fail. What was made of a text is judged like any other intervention.
fn meant(completion: &Completion, then: &[Entry]) -> Option<Cow<'static, str>> {
    let mut turn = then.iter().take_while(|it| !matches!(it, Entry::Completion(_)));
    let (guard, repaired) = turn.find_map(|it| {
        let Entry::Intervention(Intervention { kind, note, .. }) = it else { return None };
        if let InterventionKind::Repair(repaired) = kind { Some((&note.guard, repaired)) } else { None }
    })?;
    let ran_well = |call: &ToolCall| {
        turn.clone().any(|it| {
            let Entry::Result(result) = it else { return false };
            result.call.id == call.id && result.origin == Origin::Executed && !result.is_failure()
        })
    };
    let is_same = completion.calls.len() == repaired.calls.len();
    let mut changed =
        completion.calls.iter().zip(&repaired.calls).filter(|(sent, made)| sent.key != made.key);
    (is_same && changed.all(|(_, made)| ran_well(made))).then(|| guard.clone())
}

/// The usual estimate for English and code; every table of tokens states it.
const BYTES_PER_TOKEN: u64 = 4;

/// The record of a trial.
#[must_use]
pub fn record(world: &World, guard: &str, set: &[(String, String)], trial: &Trial) -> TrialRecord {
    let drawn = |(name, value): &(String, String)| Drawn { name: name.clone(), value: value.clone() };
    TrialRecord {
        schema: SCHEMA,
        balk: env!("CARGO_PKG_VERSION").into(),
        scenario: world.scenario().name.to_string(),
        skeleton: world.skeleton().to_owned(),
        seed: world.seed().to_string(),
        guard: guard.to_owned(),
        set: set.iter().map(drawn).collect(),
        world: world.drawn().iter().map(drawn).collect(),
        entries: trial.entries.iter().map(EntryRecord::from).collect(),
        turns: trial
            .turns
            .iter()
            .map(|turn| TurnRecord {
                entry: turn.entry,
                truth: turn.truth,
                tells_user: turn.tells_user,
                failed_attempts: turn.failed_attempts,
            })
            .collect(),
        failed: trial
            .failed
            .iter()
            .map(|it| FailedRecord { entry: it.entry, truth: it.truth, unsafe_effect: it.unsafe_effect })
            .collect(),
        grade: grade(trial),
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
