//! Replays our own records: folds the entries unchanged, and compares the decisions with the recorded ones.
//!
//! Nothing is inserted. At every place where the loop asked the guard, the replay asks it again, and compares the
//! additions with the recorded ones. The guard of the record must answer as it did. Another guard is asked in an open
//! loop: it sees what happened under the recorded one.
//!
//! The replay folds a record and does not drive a [`Run`](balk_guards::Run). A run decides from its guard's answers
//! what happens next, so it could follow a record only if something gave the recorded answers in the guard's place. A
//! record does not have everything that this needs: limits, the call that a block was about, the guard of a fault. A
//! law in the tests keeps the two together: a replayed guard is asked what the run asked it, in the same order.

mod asking;
mod compared;

use balk_guards::{Entry, Guard, Transcript};
use balk_reports::records::{FailedRecord, SCHEMA, TrialRecord, transcript};
use balk_scenarios::Truth;
use memchr::memmem;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::engine::TruthChannel;
use crate::import::{BadLine, Object, Outcome, one_line, parse};
use asking::Asking;

pub use compared::{Action, Compared, Own};

/// Whether a line is one of our records, valid or not: an object with `schema` and `entries`.
pub(super) fn is_own(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Probe {
        schema: Option<IgnoredAny>,
        entries: Option<IgnoredAny>,
        messages: Option<IgnoredAny>,
    }
    // Most lines are foreign and long, so avoid parsing them twice.
    if !(has(text, "\"schema\"") && has(text, "\"entries\"")) {
        return false;
    }
    serde_json::from_str::<Object<Probe>>(text)
        .is_ok_and(|Object(it)| it.schema.is_some() && it.entries.is_some() && it.messages.is_none())
}

/// `contains`, at the pace of long vectors.
fn has(text: &str, word: &str) -> bool {
    memmem::find(text.as_bytes(), word.as_bytes()).is_some()
}

/// Whether a line has the counts of many trials, as `balk scenario --seeds` writes them.
pub(super) fn is_counts(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Probe {
        counts: Option<IgnoredAny>,
        seeds: Option<IgnoredAny>,
        messages: Option<IgnoredAny>,
    }
    has(text, "\"counts\"")
        && serde_json::from_str::<Object<Probe>>(text)
            .is_ok_and(|Object(it)| it.counts.is_some() && it.seeds.is_some() && it.messages.is_none())
}

/// A record with its transcript, read from a line.
pub(super) struct Recorded {
    pub(super) guard: String,
    scenario: String,
    seed: String,
    entries: Transcript,
    truths: Vec<Truth>,
    failed: Vec<FailedRecord>,
    outcome: Outcome,
}

/// Reads a record.
///
/// # Errors
/// Another version of the format, an invalid member, entries that are not a transcript.
pub(super) fn read(text: &str) -> Result<Recorded, BadLine> {
    #[derive(Deserialize)]
    struct Versioned {
        schema: u32,
    }
    let Versioned { schema } = parse(text)?;
    if schema != SCHEMA {
        return Err(BadLine::shape("schema".into(), &format!("expected {SCHEMA}, found {schema}")));
    }
    let record: TrialRecord = parse(text)?;
    let entries = transcript(&record.entries)
        .map_err(|bad| BadLine::shape(format!("entries[{}]", bad.entry), &bad.reason))?;
    let turns: Vec<usize> =
        (0..entries.len()).filter(|&at| matches!(entries[at], Entry::Completion(_))).collect();
    let told: Vec<usize> = record.turns.iter().map(|turn| turn.entry).collect();
    if turns != told {
        let why = format!("expected the completions at entries {turns:?}, found {told:?}");
        return Err(BadLine::shape("turns".into(), &one_line(&why, 160)));
    }
    let truths = record.turns.iter().map(|turn| turn.truth).collect();
    let TrialRecord { guard, scenario, seed, failed, grade, .. } = record;
    let outcome = if grade.goal { Outcome::Resolved } else { Outcome::Failed };
    Ok(Recorded { guard, scenario, seed, entries, truths, failed, outcome })
}

/// Replays a record through `guard`. The truth channel tells the oracle the recorded truth.
pub(super) fn replay(recorded: Recorded, asked: &str, guard: &mut dyn Guard, channel: &TruthChannel) -> Own {
    let mut asking = Asking::new(&recorded.entries, &recorded.truths, &recorded.failed, guard, channel);
    let fault = asking.run().err().map(|fault| (asking.turn, fault));
    Own {
        turns: asking.turn,
        answers: asking.answers,
        outcome: recorded.outcome,
        scenario: recorded.scenario,
        seed: recorded.seed,
        recorded: recorded.guard,
        asked: asked.to_owned(),
        fault,
        entries: recorded.entries,
    }
}
