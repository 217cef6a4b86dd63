//! Our own records, replayed: the entries as they stand, the decisions compared with the recorded ones.
//!
//! Nothing is inserted. At every place where the loop asked the guard, it is asked again; what it would add is
//! held against what was added. The guard of the record must answer as it did. Another guard is asked in an
//! open loop: it sees what happened under the recorded one.

use balk_guards::{
    Answer, AttemptResponse, Conclusion, Entry, FailedAttempt, Guard, GuardFault, Intervention,
    InterventionKind, Limit, Note, Origin, Question, Recovery, Settlement, TRIES, Termination, ToolResult,
    Transcript, Verdict, conclusion,
};
use balk_reports::records::{FailedRecord, InterventionRecord, SCHEMA, TrialRecord, transcript};
use balk_scenarios::Truth;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::bad::BadLine;
use super::strict::Object;
use crate::engine::TruthChannel;

/// One of our records, replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    /// The scenario's name.
    pub scenario: String,
    /// The seed, as text.
    pub seed: String,
    /// The guards of the record.
    pub recorded: String,
    /// The guards that were asked now.
    pub asked: String,
    /// Completions.
    pub turns: u64,
    /// Every turn in which either of them did something, and the first difference.
    pub answers: Vec<Compared>,
    /// Where a guard broke now, and did not when it was recorded.
    pub fault: Option<(u64, GuardFault)>,
}

/// What was done in one turn, then and now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// The turn, from 1. A failed attempt belongs to the turn that it delays.
    pub turn: u64,
    /// What the record holds.
    pub recorded: Vec<Deed>,
    /// What the guards would do.
    pub found: Vec<Deed>,
}

/// Something that the loop does because a guard wants it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "did", rename_all = "kebab-case")]
pub enum Deed {
    /// An intervention.
    Intervened(InterventionRecord),
    /// A call runs again. How long is waited is in no record.
    Reran {
        /// Its index in the completion.
        call: usize,
    },
    /// A request is sent again.
    Resent {
        /// Ticks waited before.
        after: u64,
    },
    /// The end is explained to the user.
    Concluded(Box<Conclusion>),
    /// The guard broke.
    Broke {
        /// Who and why.
        why: String,
    },
}

impl Own {
    /// True where the guards of the record were asked: then both columns must be equal.
    #[must_use]
    pub fn is_held_to_record(&self) -> bool {
        self.recorded == self.asked
    }

    /// What is worth showing: every turn in which something was or would be done; where the record is held to
    /// what it says, the first difference alone, because everything after it follows from it.
    pub fn shown(&self) -> impl Iterator<Item = &Compared> {
        let all = !self.is_held_to_record();
        let first = self.difference().map(|it| it.turn);
        self.answers
            .iter()
            .filter(move |it| all || (Some(it.turn) == first && it.recorded != it.found))
            .take(if all { usize::MAX } else { 1 })
    }

    /// The first turn in which something else was done.
    #[must_use]
    pub fn difference(&self) -> Option<&Compared> {
        self.answers.iter().find(|it| it.recorded != it.found)
    }
}

/// True for a line that is one of our records, good or bad: an object with `schema` and `entries`.
pub(super) fn is_own(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Probe {
        schema: Option<IgnoredAny>,
        entries: Option<IgnoredAny>,
        messages: Option<IgnoredAny>,
    }
    // Most lines are foreign and long; they are not to be parsed twice.
    if !(text.contains("\"schema\"") && text.contains("\"entries\"")) {
        return false;
    }
    serde_json::from_str::<Object<Probe>>(text)
        .is_ok_and(|Object(it)| it.schema.is_some() && it.entries.is_some() && it.messages.is_none())
}

/// A record with its transcript, read from a line.
pub(super) struct Recorded {
    pub(super) guard: String,
    scenario: String,
    seed: String,
    entries: Transcript,
    truths: Vec<Truth>,
    failed: Vec<FailedRecord>,
}

/// Reads a record.
///
/// # Errors
/// Another version of the format, a member that is broken, entries that make no transcript.
pub(super) fn read(text: &str) -> Result<Recorded, BadLine> {
    #[derive(Deserialize)]
    struct Versioned {
        schema: u32,
    }
    let Object(Versioned { schema }) = super::neutral::parse(text)?;
    if schema != SCHEMA {
        return Err(BadLine::shape("schema".into(), &format!("expected {SCHEMA}, found {schema}")));
    }
    let Object(record): Object<TrialRecord> = super::neutral::parse(text)?;
    let entries = transcript(&record.entries)
        .map_err(|bad| BadLine::shape(format!("entries[{}]", bad.entry), &bad.reason))?;
    let turns: Vec<usize> =
        (0..entries.len()).filter(|&at| matches!(entries[at], Entry::Completion(_))).collect();
    let told: Vec<usize> = record.turns.iter().map(|turn| turn.entry).collect();
    if turns != told {
        let why = format!("expected the completions at entries {turns:?}, found {told:?}");
        return Err(BadLine::shape("turns".into(), &super::one_line::one_line(&why, 160)));
    }
    let truths = record.turns.iter().map(|turn| turn.truth).collect();
    let TrialRecord { guard, scenario, seed, failed, .. } = record;
    Ok(Recorded { guard, scenario, seed, entries, truths, failed })
}

/// Replays a record through `guard`; the oracle, where it is asked, hears the recorded truth by the whisper.
pub(super) fn replay(recorded: Recorded, asked: &str, guard: &mut dyn Guard, whisper: &TruthChannel) -> Own {
    let mut replaying = Replaying {
        entries: &recorded.entries,
        truths: &recorded.truths,
        failed: &recorded.failed,
        concluded: None,
        at: 0,
        turn: 0,
        guard,
        whisper,
        answers: Vec::new(),
    };
    let fault = replaying.run().err().map(|fault| (replaying.turn, fault));
    Own {
        turns: replaying.turn,
        answers: replaying.answers,
        scenario: recorded.scenario,
        seed: recorded.seed,
        recorded: recorded.guard,
        asked: asked.to_owned(),
        fault,
    }
}

struct Replaying<'a> {
    entries: &'a [Entry],
    truths: &'a [Truth],
    failed: &'a [FailedRecord],
    /// The end that guards were last asked about.
    concluded: Option<&'a Termination>,
    /// The next entry to fold.
    at: usize,
    turn: u64,
    guard: &'a mut dyn Guard,
    whisper: &'a TruthChannel,
    answers: Vec<Compared>,
}

impl<'a> Replaying<'a> {
    fn run(&mut self) -> Answer<()> {
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

    /// The next entries for which `pick` has something.
    fn following<T>(&self, from: usize, pick: fn(&'a Entry) -> Option<T>) -> Vec<T> {
        self.entries[from..].iter().map_while(pick).collect()
    }

    fn completion(&mut self) -> Answer<()> {
        let Entry::Completion(completion) = &self.entries[self.at] else { return Ok(()) };
        self.turn += 1;
        self.whisper.tell(self.truths[usize::try_from(self.turn - 1).unwrap_or(usize::MAX)], false);
        self.fold();
        let tried = self.following(self.at, tried);
        let results = self.following(self.at + tried.len(), result);
        let batch_end = self.at + tried.len() + results.len();
        let interventions = self.following(batch_end, intervention);
        let mut compared = Compared { turn: self.turn, recorded: Vec::new(), found: Vec::new() };
        let index = |it: &ToolResult| completion.calls.iter().position(|call| call.id == it.call.id);
        compared.recorded.extend(tried.iter().filter_map(|it| index(it)).map(|call| Deed::Reran { call }));
        compared.recorded.extend(interventions.iter().map(|it| Deed::Intervened((*it).into())));
        // A fault ends a trial at once. After the results it is about the attempt that followed, which was never
        // committed and cannot be asked about.
        let answered = results.len() == completion.calls.len() && !results.is_empty();
        let broke = match self.entries.get(batch_end) {
            Some(Entry::End(Termination::GuardFault(why))) if !answered => Some(why.to_string()),
            _ => None,
        };
        let cut_off = broke.is_some() && !completion.calls.is_empty();
        compared.recorded.extend(broke.map(|why| Deed::Broke { why }));

        let decision = match self.guard.review(completion) {
            Ok(decision) => decision,
            Err(fault) => return self.broke(compared, fault),
        };
        if cut_off {
            // The results that the guard broke over were never committed, and neither was what it had decided
            // before: nothing is left to compare.
            self.at = batch_end;
            return Ok(());
        }
        let mut said: Vec<Intervention> = Vec::new();
        if results.iter().any(|it| it.origin != Origin::Synthetic) {
            for asked in 0..=tried.len() {
                let batch = batch_at(&tried, &results, asked);
                let settlement = match self.guard.settle(completion, &batch) {
                    Ok(settlement) => settlement,
                    Err(fault) => return self.broke(compared, fault),
                };
                match settlement {
                    Settlement::Rerun { call, .. } if asked < tried.len() || self.may_rerun(&batch, call) => {
                        compared.found.push(Deed::Reran { call });
                    }
                    Settlement::Rerun { .. } => {}
                    Settlement::Accept(notes) => said.extend(notes.into_iter().map(seen_note)),
                }
                if asked < tried.len() {
                    self.fold();
                }
            }
        }
        match &decision.verdict {
            Verdict::Ask(question) if self.was_out_of_questions(batch_end + interventions.len()) => {
                said.push(unasked(question));
            }
            Verdict::Pass
            | Verdict::Block(_)
            | Verdict::Retry(_)
            | Verdict::Ask(_)
            | Verdict::Stop(_)
            | Verdict::Repair(_) => {
                said.extend(decision.interventions(true));
            }
        }
        compared.found.extend(said.iter().map(|it| Deed::Intervened(it.into())));
        self.compare(compared);
        while self.at < batch_end + interventions.len() {
            self.fold();
        }
        Ok(())
    }

    /// Whether the run ended at this entry because nobody could be asked any more.
    fn was_out_of_questions(&self, at: usize) -> bool {
        let end = match self.entries.get(at) {
            Some(Entry::End(end)) => end,
            Some(Entry::Conclusion(conclusion)) => &conclusion.end,
            _ => return false,
        };
        *end == Termination::Limit(Limit::Questions)
    }

    /// Whether the loop would have run this call again. The bound on calls is in no record; it ends the run,
    /// so it is only to be thought of where no completion follows.
    fn may_rerun(&self, batch: &[ToolResult], call: usize) -> bool {
        let goes_on = self.entries[self.at..].iter().any(|it| matches!(it, Entry::Completion(_)));
        goes_on && batch.get(call).is_some_and(|it| it.origin == Origin::Executed && it.tries < TRIES)
    }

    fn attempt(&mut self, failed: &FailedAttempt) -> Answer<()> {
        let interventions = self.following(self.at + 1, intervention);
        let mut compared = Compared { turn: self.turn + 1, recorded: Vec::new(), found: Vec::new() };
        if let AttemptResponse::Resent { after } = failed.response {
            compared.recorded.push(Deed::Resent { after });
        }
        compared.recorded.extend(interventions.iter().map(|it| Deed::Intervened((*it).into())));
        let facts = self.failed.iter().find(|it| it.entry == self.at);
        let seen = failed.failure.facts.unsafe_side_effect_started == Some(true);
        self.whisper.tell(Truth::Faulted, !seen && facts.is_some_and(|it| it.unsafe_effect));
        // A run that ended here without anybody's word, and not over the failure itself, had come to its bound.
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
            Ok(Some(Recovery::Resend { after: wait })) => {
                let after = match failed.response {
                    AttemptResponse::Resent { after } if wait.has(after) => after,
                    AttemptResponse::Resent { .. } | AttemptResponse::Asked | AttemptResponse::Ended => {
                        wait.at_least
                    }
                };
                compared.found.push(Deed::Resent { after });
            }
            Ok(Some(Recovery::Ask(question))) if failed.response == AttemptResponse::Ended => {
                compared.found.push(Deed::Intervened((&unasked(&question)).into()));
            }
            Ok(Some(Recovery::Ask(question))) => {
                compared.found.push(Deed::Intervened((&question.intervention(true)).into()));
            }
            Ok(Some(Recovery::Stop(note))) => {
                let stop = Intervention { kind: InterventionKind::Stop, note, seen: true };
                compared.found.push(Deed::Intervened((&stop).into()));
            }
        }
        self.compare(compared);
        for _ in 0..=interventions.len() {
            self.fold();
        }
        Ok(())
    }

    /// Asks what guards make of an end, beside what they made of it.
    fn conclusion(&mut self, end: &'a Termination, recorded: Option<&Conclusion>) -> Answer<()> {
        self.concluded = Some(end);
        let mut compared = Compared { turn: self.turn, recorded: Vec::new(), found: Vec::new() };
        compared.recorded.extend(recorded.cloned().map(|it| Deed::Concluded(Box::new(it))));
        match conclusion(self.guard, end) {
            Err(fault) => return self.broke(compared, fault),
            Ok(found) => compared.found.extend(found.map(|it| Deed::Concluded(Box::new(it)))),
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

    /// The guard broke: the replay ends, well where the trial ended so.
    fn broke(&mut self, mut compared: Compared, fault: GuardFault) -> Answer<()> {
        compared.found.push(Deed::Broke { why: fault.to_string() });
        let same = compared.recorded == compared.found;
        self.compare(compared);
        self.at = self.entries.len();
        if same { Ok(()) } else { Err(fault) }
    }
}

/// The results as they stood when the guard was asked about them for the `asked`-th time, from 0: a call that
/// was run again later still had its earlier result.
fn batch_at(tried: &[&ToolResult], results: &[&ToolResult], asked: usize) -> Vec<ToolResult> {
    let earlier = |result: &ToolResult| {
        tried[asked..]
            .iter()
            .find(|it| it.call.id == result.call.id)
            .map_or_else(|| result.clone(), |it| (*it).clone())
    };
    results.iter().map(|it| earlier(it)).collect()
}

fn seen_note(note: Note) -> Intervention {
    Intervention { kind: InterventionKind::Note, note, seen: true }
}

/// What is committed in place of a question that nobody can be asked.
fn unasked(question: &Question) -> Intervention {
    Intervention { kind: InterventionKind::Notice, note: question.statement(), seen: true }
}

fn tried(entry: &Entry) -> Option<&ToolResult> {
    if let Entry::Tried(result) = entry { Some(result) } else { None }
}

fn result(entry: &Entry) -> Option<&ToolResult> {
    if let Entry::Result(result) = entry { Some(result) } else { None }
}

fn intervention(entry: &Entry) -> Option<&Intervention> {
    if let Entry::Intervention(it) = entry { Some(it) } else { None }
}
