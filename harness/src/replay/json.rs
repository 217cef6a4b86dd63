//! Replayed transcripts as JSON lines for programs.
//!
//! One object a line, told apart by `type`, its members always in the same order, its numbers integers:
//! `firing`, `rerun`, `resend`, `guard-fault` and `bad-line` as they come, of our own records `decision` and
//! `own-record`, and one `summary` at the end. A rate is written as `stretches_per_million_turns`: a thousand
//! times the rate per 1,000 turns, rounded. What judged points add stands in [`judged::json`](super::judged::json).

use std::io::{self, Write};

use balk_guards::Wait;
use serde::Serialize;

use super::fold::What;
use super::join::Oddities;
use super::own::{Compared, Own};
use super::run::{Found, Item, Replayed};
use super::summary::{Counts, GuardCounts, OwnCounts, Summary};

/// What became of one line of a file: a record for each event, none for a quiet transcript.
///
/// # Errors
/// Those of the writer.
pub fn item(out: &mut dyn Write, file: &str, item: &Item) -> io::Result<()> {
    match &item.found {
        Ok(Found::Foreign(replayed)) => transcript(out, file, item.line, replayed),
        Ok(Found::Own(it)) => own(out, file, item.line, it),
        Err(bad) => {
            let why = bad.to_string();
            record(out, &Record::BadLine { file, line: item.line, reason: bad.reason(), why: &why })
        }
    }
}

/// The sums.
///
/// # Errors
/// Those of the writer.
pub fn summary(out: &mut dyn Write, it: &Summary) -> io::Result<()> {
    let named = |(name, it): (&'_ String, &Counts)| NamedSums { name: name.clone(), sums: Sums::from(it) };
    record(
        out,
        &Record::Summary {
            total: Sums::from(&it.total),
            files: it.by_source.iter().map(named).collect(),
            models: it.by_model.iter().map(named).collect(),
            outcomes: it
                .by_outcome
                .iter()
                .map(|(outcome, it)| NamedSums { name: outcome.word().into(), sums: Sums::from(it) })
                .collect(),
            guards: it.by_guard.iter().map(|(guard, it)| RuleSums::new(guard, None, *it)).collect(),
            rules: it
                .by_rule
                .iter()
                .map(|((guard, rule), it)| RuleSums::new(guard, Some(rule), *it))
                .collect(),
            oddities: it.oddities,
            reruns: it.reruns,
            resends: it.resends,
            guard_faults: it.guard_faults,
            broken_files: it.broken_files,
            own_records: Some(it.own).filter(|own| own.records > 0),
            bad_lines: it.bad_line_count(),
            bad_lines_by_reason: &it.bad_lines,
        },
    )
}

fn transcript(out: &mut dyn Write, file: &str, line: u64, it: &Replayed) -> io::Result<()> {
    let outcome = it.outcome.word();
    let place = |turn, message| Place { file, line, id: &it.id, model: &it.model, outcome, turn, message };
    for event in &it.folded.events {
        let place = place(event.turn, Some(event.message));
        let one = match &event.what {
            What::Fired(firing) => Record::Firing {
                place,
                question: firing.asked.word(),
                guard: &firing.note.guard,
                rule: &firing.note.rule,
                level: firing.note.level,
                kind: firing.kind,
                tool: firing.tool.as_deref(),
                interventions: firing.interventions,
                opens_stretch: firing.opens_stretch,
                opens_guard_stretch: firing.opens_guard_stretch,
                why: &firing.note.text,
            },
            What::Rerun { tool, after } => Record::Rerun { place, tool, after_ticks: *after },
            What::Resend { after } => Record::Resend { place, after_ticks: *after },
        };
        record(out, &one)?;
    }
    if let Some((turn, fault)) = &it.folded.fault {
        let place = place(*turn, None);
        record(out, &Record::GuardFault { place, guard: &fault.guard, why: &fault.reason })?;
    }
    Ok(())
}

/// One record of ours: each turn in which guards did something then or would now. Where it is held to what it
/// says, nothing counts after the first difference.
fn own(out: &mut dyn Write, file: &str, line: u64, it: &Own) -> io::Result<()> {
    let (scenario, seed, guard, asked) = (&*it.scenario, &*it.seed, &*it.recorded, &*it.asked);
    for compared in it.shown() {
        let equal = compared.recorded == compared.found;
        record(out, &Record::Decision { file, line, scenario, seed, guard, asked, equal, compared })?;
    }
    let (turns, difference) = (it.turns, it.difference().map(|it| it.turn));
    record(out, &Record::Own { file, line, scenario, seed, guard, asked, turns, difference })
}

/// One object on a line.
pub(super) fn record(out: &mut dyn Write, record: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, record)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Record<'a> {
    Firing {
        #[serde(flatten)]
        place: Place<'a>,
        question: &'a str,
        guard: &'a str,
        rule: &'a str,
        level: u8,
        kind: &'a str,
        tool: Option<&'a str>,
        interventions: u64,
        opens_stretch: bool,
        opens_guard_stretch: bool,
        why: &'a str,
    },
    Rerun {
        #[serde(flatten)]
        place: Place<'a>,
        tool: &'a str,
        after_ticks: u64,
    },
    Resend {
        #[serde(flatten)]
        place: Place<'a>,
        after_ticks: Wait,
    },
    GuardFault {
        #[serde(flatten)]
        place: Place<'a>,
        guard: &'a str,
        why: &'a str,
    },
    Decision {
        file: &'a str,
        line: u64,
        scenario: &'a str,
        seed: &'a str,
        guard: &'a str,
        asked: &'a str,
        equal: bool,
        #[serde(flatten)]
        compared: &'a Compared,
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
        total: Sums,
        files: Vec<NamedSums>,
        models: Vec<NamedSums>,
        outcomes: Vec<NamedSums>,
        guards: Vec<RuleSums<'a>>,
        rules: Vec<RuleSums<'a>>,
        oddities: Oddities,
        reruns: u64,
        resends: u64,
        guard_faults: u64,
        broken_files: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        own_records: Option<OwnCounts>,
        bad_lines: u64,
        bad_lines_by_reason: &'a std::collections::BTreeMap<&'static str, u64>,
    },
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    line: u64,
    id: &'a str,
    model: &'a str,
    outcome: &'a str,
    turn: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<usize>,
}

#[derive(Serialize)]
struct NamedSums {
    name: String,
    #[serde(flatten)]
    sums: Sums,
}

#[derive(Serialize)]
struct Sums {
    transcripts: u64,
    turns: u64,
    calls: u64,
    firings: u64,
    stretches: u64,
    stretches_per_million_turns: u64,
}

impl From<&Counts> for Sums {
    fn from(it: &Counts) -> Self {
        Self {
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
