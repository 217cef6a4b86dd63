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
mod batch;
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

/// The most earlier results of calls in one turn: of a thousand calls, each run five times. After each of them, the
/// guard is asked about all results of the turn.
const TRIED_MAX: usize = 4_000;

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
/// Another version of the format, an invalid member, entries that are not a transcript, calls that ran again more often
/// than any guard is asked about.
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
    let tried = entries.split(|it| !matches!(it, Entry::Tried(_))).map(<[_]>::len).max().unwrap_or(0);
    if tried > TRIED_MAX {
        let why =
            format!("expected at most {TRIED_MAX} results of one turn before calls ran again, found {tried}");
        return Err(BadLine::shape("entries".into(), &why));
    }
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use balk_guards::{
        Completion, FinishReason, Offer, Protocol, RawCall, Start, Status, Tool, ToolCall, ToolResult, Usage,
    };
    use balk_reports::records::{EntryRecord, Grade, TurnRecord};

    use super::*;

    /// A record of one answer with so many calls, each of which ran five times.
    fn line(calls: usize) -> String {
        let offer = Arc::new(Offer::new([Tool::new("bash")]));
        let raw = |at| RawCall { id: format!("c{at}").into(), tool: "bash".into(), arguments: "{}".into() };
        let said = (0..calls).map(raw);
        let said = Completion::new([], said, FinishReason::Stop, Usage::default(), &offer);
        let result = |call: &Arc<ToolCall>, tries| ToolResult {
            tries,
            ..ToolResult::executed(call, Status::Error, "no")
        };
        let start = Start { model: "m".into(), protocol: Protocol::Tool, offer };
        let mut entries = vec![Entry::Start(start), Entry::Completion(Arc::new(said.clone()))];
        for tries in 1..5 {
            entries.extend(said.calls.iter().map(|it| Entry::Tried(result(it, tries))));
        }
        entries.extend(said.calls.iter().map(|it| Entry::Result(result(it, 5))));
        let record = TrialRecord {
            schema: SCHEMA,
            balk: "0".into(),
            scenario: "s".into(),
            skeleton: "s".into(),
            seed: "0".into(),
            guard: "none".into(),
            set: Vec::new(),
            world: Vec::new(),
            entries: entries.iter().map(EntryRecord::from).collect(),
            turns: vec![TurnRecord {
                entry: 1,
                truth: Truth::Productive,
                tells_user: false,
                failed_attempts: 0,
            }],
            failed: Vec::new(),
            grade: Grade::default(),
        };
        serde_json::to_string(&record).expect("a record is plain data")
    }

    /// What calls had before they ran again was once looked for from the first one on, for each result and each time.
    #[test]
    fn calls_that_ran_again_cost_little_to_follow() {
        let Ok(read) = read(&line(1_000)) else { panic!("it is a record") };
        let own = replay(read, "none", &mut (), &TruthChannel::default());
        assert_eq!((own.turns, own.fault.is_none()), (1, true));
        // The guard lets everything pass, so it runs none of them again.
        assert_eq!(own.answers.iter().map(|it| it.recorded.len()).sum::<usize>(), 4_000);
        let bad = super::read(&line(1_001)).err().expect("it is refused").to_string();
        let why = "expected at most 4000 results of one turn before calls ran again, found 4004";
        assert!(bad.contains("entries") && bad.contains(why), "{bad}");
    }
}
