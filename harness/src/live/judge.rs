//! Interventions for people to judge: a sample of those that disturbed a model that got on, by the rule, and a sample
//! of the others. Whether an intervention was right is a question that only a reader answers.
//!
//! The sample does not depend on the order of the units: it takes the interventions with the lowest hashes.

use std::collections::BTreeMap;
use std::path::Path;

use balk_guards::Intervention;
use balk_reports::records::JudgedIntervention;
use xxhash_rust::xxh3::xxh3_64;

use super::play::Played;
use crate::error::Error;
use crate::replay::labels::{self, Label, Point, Weight};
use crate::validity::written;

/// So many interventions of each kind are drawn.
const SAMPLE: usize = 25;
/// The two kinds, as the table names them.
const DISTURBING: &str = "disturbing";
const IN_DOUBT: &str = "in-doubt";

/// Interventions to judge, drawn from all that were seen.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    disturbing: Lot,
    in_doubt: Lot,
}

/// Interventions of one kind.
#[derive(Clone, Debug, Default)]
struct Lot {
    seen: u64,
    drawn: BTreeMap<u64, Drawn>,
}

/// An intervention that was drawn.
#[derive(Clone, Debug)]
struct Drawn {
    /// The id of the run.
    run: String,
    /// The run in the neutral form, in one line.
    transcript: String,
    /// The index of the message that the intervention is about.
    message: usize,
    /// The turn, guard and rule, and a command that shows the trial.
    reason: String,
}

impl Sample {
    /// Adds the interventions of a trial under this id; the command shows it.
    pub(super) fn add(&mut self, run: &str, command: &str, played: &Played) {
        let mut whole = None;
        for (turn, it, disturbs) in played.interventions() {
            let Some(turn) = turn.checked_sub(1) else { continue };
            let lot = if disturbs { &mut self.disturbing } else { &mut self.in_doubt };
            let hash = xxh3_64(format!("{run}\n{turn}").as_bytes());
            lot.seen += 1;
            if lot.drawn.contains_key(&hash) || lot.is_above(hash) {
                continue;
            }
            let whole = whole.get_or_insert_with(|| written(run, &played.trial, true));
            let Some(reply) = whole.replies.get(turn) else { continue };
            let Intervention { note, .. } = it;
            let drawn = Drawn {
                run: run.to_owned(),
                transcript: whole.line(None),
                message: reply.message,
                reason: format!("turn {}: {} {}; {command}", turn + 1, note.guard, note.rule),
            };
            lot.drawn.insert(hash, drawn);
            lot.cut();
        }
    }

    /// Adds what another one has seen.
    pub fn merge(&mut self, other: Self) {
        for (mine, more) in [(&mut self.disturbing, other.disturbing), (&mut self.in_doubt, other.in_doubt)] {
            mine.seen += more.seen;
            mine.drawn.extend(more.drawn);
            mine.cut();
        }
    }

    /// The table to fill in, as `balk replay --labels` reads it, and the transcripts that it names. Both are empty if
    /// there is nothing to judge.
    #[must_use]
    pub fn files(&self) -> (String, String) {
        let mut points = Vec::new();
        let mut transcripts = BTreeMap::new();
        for (lot, kind) in [(&self.disturbing, DISTURBING), (&self.in_doubt, IN_DOUBT)] {
            for it in lot.drawn.values() {
                points.push(Point {
                    trajectory: it.run.as_str().into(),
                    message: it.message,
                    label: Label::Unsure,
                    kind: kind.into(),
                    onset: None,
                    confidence: 1,
                    control: false,
                    weight: Weight(lot.seen * 1_000 / lot.drawn.len() as u64),
                    reason: it.reason.as_str().into(),
                    place: None,
                });
                transcripts.insert(&it.run, &it.transcript);
            }
        }
        if points.is_empty() {
            return Default::default();
        }
        let lines = transcripts.values().map(|line| format!("{line}\n")).collect();
        (labels::text(&points), lines)
    }
}

/// The interventions of a table that [`Sample::files`] made, with what a reader says of them.
///
/// # Errors
/// A file that cannot be read, or that has other contents.
pub fn judged(table: &Path) -> Result<Vec<JudgedIntervention>, Error> {
    let judged = |Point { trajectory, message, label, kind, weight, .. }| {
        let disturbing = match &*kind {
            DISTURBING => true,
            IN_DOUBT => false,
            _ => {
                let expected = format!("the kind `{DISTURBING}` or `{IN_DOUBT}`");
                let found = format!("`{kind}` for message {message} of `{trajectory}`");
                return Err(Error::file(table, &expected, found).hint("change the column `label` alone"));
            }
        };
        let is_false = match label {
            Label::Stuck => Some(false),
            Label::Legit => Some(true),
            Label::Unsure => None,
        };
        Ok(JudgedIntervention { run: trajectory.to_string(), disturbing, is_false, weight: weight.0 })
    };
    labels::read(table)?.into_iter().map(judged).collect()
}

impl Lot {
    /// Whether this hash is higher than all that are drawn, and no more are wanted.
    fn is_above(&self, hash: u64) -> bool {
        self.drawn.len() >= SAMPLE && self.drawn.last_key_value().is_some_and(|(last, _)| hash > *last)
    }

    fn cut(&mut self) {
        while self.drawn.len() > SAMPLE {
            self.drawn.pop_last();
        }
    }
}
