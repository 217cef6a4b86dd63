//! Replayed transcripts as JSON lines for programs.
//!
//! Each line is one object. The member `type` tells them apart, members are always in the same order, and numbers are
//! integers. The types are `run` if it is asked for, `firing`, `rerun`, `resend`, `end`, `guard-fault` and `bad-line`
//! as they come, `decision` and `own-record` for our own records, and one `summary` at the end. An `end` says that the
//! run would have ended there, and how many recorded turns come after it. A rate is written as
//! `stretches_per_million_turns`: a thousand times the rate per 1,000 turns, rounded.
//! `blind` counts the transcripts in which `abandonment` sees nothing, if there are any.
//! [`judged::json`](super::judged::json) describes what judged points add.

use std::io::{self, Write};

use balk_guards::GuardFault;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::fold::{End, Event, Firing, What};
use super::own::{Action, Compared, Own};
use super::run::{Found, Item, Replayed};
use super::summary::{Counts, GuardCounts, OwnCounts, Summary};
use crate::import::Oddities;

/// Writes the result of one line of a file: a record for each event, nothing for a quiet transcript. With `runs`, the
/// transcript itself has a record before those of its events.
///
/// # Errors
/// Those of the writer.
pub fn item(out: &mut dyn Write, file: &str, item: &Item, runs: bool) -> io::Result<()> {
    match &item.found {
        Ok(Found::Foreign(replayed)) => {
            if runs {
                run(out, file, item.line, replayed)?;
            }
            transcript(out, file, item.line, replayed)
        }
        Ok(Found::Own(it)) => own(out, file, item.line, it),
        Err(bad) => {
            let why = bad.to_string();
            record(out, &Record::BadLine { file, line: item.line, reason: bad.reason(), why: &why })
        }
    }
}

/// Writes the sums.
///
/// # Errors
/// Those of the writer.
pub fn summary(out: &mut dyn Write, it: &Summary) -> io::Result<()> {
    fn named<'a>((name, it): (&'a String, &Counts)) -> Sums<'a> {
        Sums::new(Some(name), it)
    }
    record(
        out,
        &Record::Summary {
            total: Box::new(Sums::new(None, &it.total)),
            files: it.by_source.iter().map(named).collect(),
            models: it.by_model.iter().map(named).collect(),
            outcomes: it.by_outcome.iter().map(|(outcome, it)| Sums::new(Some(outcome.word()), it)).collect(),
            guards: it.by_guard.iter().map(|(guard, it)| RuleSums::new(guard, None, *it)).collect(),
            rules: it
                .by_rule
                .iter()
                .map(|((guard, rule), it)| RuleSums::new(guard, Some(rule), *it))
                .collect(),
            oddities: it.oddities,
            reruns: it.reruns,
            resends: it.resends,
            ended: it.ended,
            turns_after_end: it.turns_after_end,
            blind: Some(it.blind).filter(|blind| *blind > 0),
            guard_faults: it.guard_faults,
            broken_files: it.broken_files,
            own_records: Some(&it.own).filter(|own| own.records > 0),
            bad_lines: it.bad_line_count(),
            bad_lines_by_reason: &it.bad_lines,
        },
    )
}

fn run(out: &mut dyn Write, file: &str, line: u64, it: &Replayed) -> io::Result<()> {
    let Replayed { id, model, outcome, folded, .. } = it;
    let (turns, calls) = (folded.turns, folded.calls);
    record(out, &Record::Run { file, line, id, model, outcome: outcome.word(), turns, calls })
}

fn transcript(out: &mut dyn Write, file: &str, line: u64, it: &Replayed) -> io::Result<()> {
    for event in &it.folded.events {
        let event = Placed { file, line, it, turn: event.turn, what: PlacedWhat::Done(event) };
        record(out, &event)?;
    }
    if let Some(end) = it.folded.end.filter(|end| end.turns_after > 0) {
        record(out, &Placed { file, line, it, turn: end.turn, what: PlacedWhat::Ended(end) })?;
    }
    if let Some((turn, fault)) = &it.folded.fault {
        record(out, &Placed { file, line, it, turn: *turn, what: PlacedWhat::Broke(fault) })?;
    }
    Ok(())
}

/// Writes one of our records: each turn in which guards did something then or would now. If the record is held to
/// what it says, only the first difference counts.
fn own(out: &mut dyn Write, file: &str, line: u64, it: &Own) -> io::Result<()> {
    let (scenario, seed, guard, asked) = (&*it.scenario, &*it.seed, &*it.recorded, &*it.asked);
    for compared in it.shown() {
        let Compared { turn, recorded, found } = compared;
        let equal = recorded == found;
        record(
            out,
            &Record::Decision {
                file,
                line,
                scenario,
                seed,
                guard,
                asked,
                equal,
                turn: *turn,
                recorded,
                found,
            },
        )?;
    }
    let (turns, difference) = (it.turns, it.difference().map(|it| it.turn));
    record(out, &Record::Own { file, line, scenario, seed, guard, asked, turns, difference })
}

/// Writes one object on a line.
pub(super) fn record(out: &mut dyn Write, record: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, record)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Record<'a> {
    Run {
        file: &'a str,
        line: u64,
        id: &'a str,
        model: &'a str,
        outcome: &'a str,
        turns: u64,
        calls: u64,
    },
    Decision {
        file: &'a str,
        line: u64,
        scenario: &'a str,
        seed: &'a str,
        guard: &'a str,
        asked: &'a str,
        equal: bool,
        turn: u64,
        recorded: &'a [Action],
        found: &'a [Action],
    },
    #[serde(rename = "own-record")]
    Own {
        file: &'a str,
        line: u64,
        scenario: &'a str,
        seed: &'a str,
        guard: &'a str,
        asked: &'a str,
        turns: u64,
        difference: Option<u64>,
    },
    BadLine {
        file: &'a str,
        line: u64,
        reason: &'a str,
        why: &'a str,
    },
    Summary {
        total: Box<Sums<'a>>,
        files: Vec<Sums<'a>>,
        models: Vec<Sums<'a>>,
        outcomes: Vec<Sums<'a>>,
        guards: Vec<RuleSums<'a>>,
        rules: Vec<RuleSums<'a>>,
        oddities: Oddities,
        reruns: u64,
        resends: u64,
        ended: u64,
        turns_after_end: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        blind: Option<u64>,
        guard_faults: u64,
        broken_files: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        own_records: Option<&'a OwnCounts>,
        bad_lines: u64,
        bad_lines_by_reason: &'a std::collections::BTreeMap<&'static str, u64>,
    },
}

/// An action of a guard at one place of a foreign transcript.
struct Placed<'a> {
    file: &'a str,
    line: u64,
    it: &'a Replayed,
    turn: u64,
    what: PlacedWhat<'a>,
}

enum PlacedWhat<'a> {
    Done(&'a Event),
    Ended(End),
    Broke(&'a GuardFault),
}

impl Serialize for Placed<'_> {
    /// The type, the place, and then the members of this type.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("type", self.what.kind())?;
        object.serialize_entry("file", self.file)?;
        object.serialize_entry("line", &self.line)?;
        object.serialize_entry("id", &self.it.id)?;
        object.serialize_entry("model", &self.it.model)?;
        object.serialize_entry("outcome", self.it.outcome.word())?;
        object.serialize_entry("turn", &self.turn)?;
        match self.what {
            PlacedWhat::Done(event) => {
                object.serialize_entry("message", &event.message)?;
                match &event.what {
                    What::Fired(firing) => members_of_firing(&mut object, firing)?,
                    What::Rerun { tool, after } => {
                        object.serialize_entry("tool", tool)?;
                        object.serialize_entry("after_ticks", after)?;
                    }
                    What::Resend { after } => object.serialize_entry("after_ticks", after)?,
                }
            }
            PlacedWhat::Ended(end) => {
                object.serialize_entry("message", &end.message)?;
                object.serialize_entry("turns_after", &end.turns_after)?;
            }
            PlacedWhat::Broke(fault) => {
                object.serialize_entry("guard", &fault.guard)?;
                object.serialize_entry("why", &fault.reason)?;
            }
        }
        object.end()
    }
}

fn members_of_firing<M: SerializeMap>(object: &mut M, firing: &Firing) -> Result<(), M::Error> {
    object.serialize_entry("question", firing.asked.word())?;
    object.serialize_entry("guard", &firing.note.guard)?;
    object.serialize_entry("rule", &firing.note.rule)?;
    object.serialize_entry("level", &firing.note.level)?;
    object.serialize_entry("kind", firing.kind)?;
    object.serialize_entry("tool", &firing.tool)?;
    object.serialize_entry("interventions", &firing.interventions)?;
    object.serialize_entry("opens_stretch", &firing.opens_stretch)?;
    object.serialize_entry("opens_guard_stretch", &firing.opens_guard_stretch)?;
    object.serialize_entry("why", &firing.note.text)
}

impl PlacedWhat<'_> {
    const fn kind(&self) -> &'static str {
        match self {
            Self::Done(Event { what: What::Fired(_), .. }) => "firing",
            Self::Done(Event { what: What::Rerun { .. }, .. }) => "rerun",
            Self::Done(Event { what: What::Resend { .. }, .. }) => "resend",
            Self::Ended(_) => "end",
            Self::Broke(_) => "guard-fault",
        }
    }
}

#[derive(Serialize)]
struct Sums<'a> {
    /// A file, a model or an outcome; none for the totals.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    transcripts: u64,
    turns: u64,
    calls: u64,
    firings: u64,
    stretches: u64,
    stretches_per_million_turns: u64,
}

impl<'a> Sums<'a> {
    fn new(name: Option<&'a str>, it: &Counts) -> Self {
        Self {
            name,
            transcripts: it.transcripts,
            turns: it.turns,
            calls: it.calls,
            firings: it.firings,
            stretches: it.stretches,
            stretches_per_million_turns: it.stretches_per_million_turns(),
        }
    }
}

#[derive(Serialize)]
struct RuleSums<'a> {
    guard: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    transcripts: u64,
    firings: u64,
    stretches: u64,
}

impl<'a> RuleSums<'a> {
    fn new(guard: &'a str, rule: Option<&'a String>, it: GuardCounts) -> Self {
        Self {
            guard,
            rule: rule.map(String::as_str),
            transcripts: it.transcripts,
            firings: it.firings,
            stretches: it.stretches,
        }
    }
}
