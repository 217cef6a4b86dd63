//! The audit as text and as JSON lines.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::RangeInclusive;

use balk_reports::report::document::{Block, Document, Side, Table, Text, code, lines, paragraph};
use serde_json::{Value, json};

use super::recorded::Recorded;
use crate::audit::{
    Audited, Broken, Change, Effect, Expectation, Moved, Place, Reached, Row, Sets, beyond_trials,
};
use crate::import::one_line;
use crate::program;

/// The contents of the output.
pub(super) struct Shown<'a> {
    pub(super) guard: &'a str,
    pub(super) seeds: &'a RangeInclusive<u64>,
    pub(super) audited: &'a Audited,
    /// By row; none if no recordings were named.
    pub(super) recorded: Option<&'a [Recorded]>,
    /// What a command that plays a trial again needs beside scenario, seed and stack.
    pub(super) again: &'a str,
}

/// The number of scenarios per noticed change that the text names; the JSON form has all.
const NOTICED_SHOWN: usize = 3;
const ID_CHARS: usize = 80;

impl Shown<'_> {
    fn rows(&self) -> impl Iterator<Item = (&Row, Option<&Reached>, Option<&Recorded>)> {
        let recorded = |at: usize| self.recorded.map(|all| &all[at]);
        self.audited.rows.iter().enumerate().map(move |(at, (row, it))| (row, it.as_ref(), recorded(at)))
    }

    pub(super) fn document(&self) -> Document {
        let seeds = format!("seeds {}-{}", self.seeds.start(), self.seeds.end());
        let heading = format!("{} · {seeds} of {} scenarios", self.guard, self.audited.scenarios);
        let mut document = Document::from([paragraph(heading), self.rungs().into(), self.changes().into()]);
        for it in &self.audited.unmet {
            let words = "already failing in the baseline, so it cannot detect changes: ";
            document.push(paragraph(words.to_owned() + &broken_text(it)));
        }
        for it in &self.audited.undeclared {
            let sets: String = assignments(it.sets).map(|it| format!(" --set '{it}'")).collect();
            let again = self.again;
            let trial =
                format!("scenario {} --seed {} --guard '{}'{sets}{again}", it.scenario, it.seed, it.guard);
            let command = program::command(&trial);
            document.push(paragraph(Text::from(format!("undeclared: {} (", it.what)) + code(command) + ")"));
        }
        document.push(self.sums());
        document
    }

    fn rungs(&self) -> Table {
        let columns = ["rung", "step", "level", "reached", "recorded", "without it"];
        let mut table = Table {
            title: "rungs: where each is reached, in recordings, and what notices its removal".into(),
            ..Table::new(columns.map(|name| (name, Side::Left)))
        };
        let mut last = "";
        for (row, reached, recorded) in self.rows() {
            if last != &*row.guard {
                last = &row.guard;
                table.row([last, "", "", "", "", ""]);
            }
            table.row([
                format!("  {}", row.rule),
                row.step.name().into(),
                row.level.map_or_else(|| "–".into(), |it| it.to_string()),
                reached.map_or_else(|| unreached_text(row), |it| reached_text(it, self.guard)),
                recorded.map_or_else(|| "-".into(), recorded_text),
                self.audited.without(row).map_or_else(|| "–".into(), effect_text),
            ]);
        }
        table
    }

    fn changes(&self) -> Table {
        let mut table = Table {
            title: "changes: guards off, and settings by one step".into(),
            ..Table::new([("", Side::Left); 4])
        };
        for (change, effect) in self.audited.changes.iter().filter(|(it, _)| !matches!(it, Change::Rung(_))) {
            let first = effect.differs.first().map_or_else(String::new, |first| {
                let trials: u64 = effect.differs.iter().map(|it| it.trials).sum();
                format!("{trials} trials differ, first {} seed {}", first.scenario, first.seed)
            });
            table.row([format!("  {change}"), effect.name().into(), first, noticed_text(effect)]);
        }
        table
    }

    /// How many rungs and changes are in each state, and which ones.
    fn sums(&self) -> Block {
        let of = |name: &str, wanted: fn(&Change) -> bool| {
            let changes = self.audited.changes.iter();
            let which = changes.filter(|(change, effect)| wanted(change) && effect.name() == name);
            which.map(|(change, _)| change.to_string()).collect::<Vec<_>>()
        };
        let sums: [(String, Vec<String>); 5] = [
            (self.dead_words(), self.audited.dead().map(ToString::to_string).collect()),
            ("visible removals".into(), of("visible", Change::is_removal)),
            ("invisible removals".into(), of("invisible", Change::is_removal)),
            ("visible steps".into(), of("visible", |it| !it.is_removal())),
            ("invisible steps".into(), of("invisible", |it| !it.is_removal())),
        ];
        lines(sums.into_iter().flat_map(|(what, which)| {
            let names = which.iter().map(|name| format!("  {name}").into());
            std::iter::once(format!("{what}: {}", which.len()).into()).chain(names).collect::<Vec<Text>>()
        }))
    }

    /// The words for dead rungs. Few seeds leave rungs unreached that more seeds reach.
    fn dead_words(&self) -> String {
        if self.audited.dead().next().is_none() {
            return "dead rungs".into();
        }
        match self.seeds.end() - self.seeds.start() + 1 {
            1 => "dead rungs, with 1 seed of each scenario (more seeds may reach them)".into(),
            seeds => format!("dead rungs, with {seeds} seeds of each scenario (more seeds may reach them)"),
        }
    }

    pub(super) fn json(&self, out: &mut impl Write) -> io::Result<()> {
        for (row, reached, recorded) in self.rows() {
            let line = json!({
                "rung": row_json(row),
                "reached": reached.map(|it| json!({
                    "guard": it.guard,
                    "set": assignments(it.sets).collect::<Vec<_>>(),
                    "scenarios": places_json(&it.scenarios),
                })),
                "recorded": recorded.map(|it| json!({
                    "transcripts": it.transcripts,
                    "first": it.first.as_ref().map(|(file, line, id)| json!({"file": file, "line": line, "id": id})),
                })),
            });
            writeln!(out, "{line}")?;
        }
        for (change, effect) in &self.audited.changes {
            let line = json!({
                "change": change_json(change),
                "effect": effect.name(),
                "differs": places_json(&effect.differs),
                "broken": effect.broken.iter().map(broken_json).collect::<Vec<_>>(),
                "worse": effect.worse.iter().map(moved_json).collect::<Vec<_>>(),
                "better": effect.better.iter().map(moved_json).collect::<Vec<_>>(),
            });
            writeln!(out, "{line}")?;
        }
        for it in &self.audited.unmet {
            writeln!(out, "{}", json!({"unmet": broken_json(it)}))?;
        }
        for it in &self.audited.undeclared {
            let seed = it.seed.to_string();
            let set: Vec<String> = assignments(it.sets).collect();
            let line = json!({
                "guard": it.guard, "scenario": &*it.scenario, "set": set, "seed": seed, "what": it.what,
            });
            writeln!(out, "{}", json!({"undeclared": line}))?;
        }
        Ok(())
    }
}

/// The scenario that reaches a rung most often, and the number of other scenarios that reach it.
fn reached_text(reached: &Reached, audited: &str) -> String {
    let Some(most) = reached.scenarios.iter().rev().max_by_key(|it| it.trials) else { return String::new() };
    let mut text = format!("{} seed {} ({})", most.scenario, most.seed, most.trials);
    if reached.scenarios.len() > 1 {
        write!(text, ", {} more", reached.scenarios.len() - 1).expect("writing to a string never fails");
    }
    if reached.guard != audited {
        write!(text, ", {}", reached.guard).expect("writing to a string never fails");
    }
    if !reached.sets.is_empty() {
        text.push_str(", with settings");
    }
    text
}

fn unreached_text(row: &Row) -> String {
    beyond_trials(row).map_or_else(|| "dead".into(), |_| "in no trial".into())
}

/// Settings as `--set` takes them.
fn assignments(sets: Sets) -> impl Iterator<Item = String> {
    sets.iter().map(|(key, value)| format!("{key}={value}"))
}

fn recorded_text(recorded: &Recorded) -> String {
    match &recorded.first {
        None => "none".into(),
        Some((file, line, id)) => {
            let id = if id.is_empty() { format!("{file}:{line}") } else { one_line(id, ID_CHARS) };
            format!("{id} ({})", recorded.transcripts)
        }
    }
}

fn effect_text(effect: &Effect) -> String {
    if effect.is_noticed() { noticed_text(effect) } else { effect.name().into() }
}

fn noticed_text(effect: &Effect) -> String {
    let all = || effect.broken.iter().map(broken_text).chain(effect.worse.iter().map(moved_text));
    let mut shown: Vec<String> = all().take(NOTICED_SHOWN).collect();
    let more = all().count() - shown.len();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    shown.join("; ")
}

fn moved_text(it: &Moved) -> String {
    format!("{}: {} ({} worse, {} better)", it.place, it.figure.name(), it.worse, it.better)
}

fn broken_text(it: &Broken) -> String {
    let (missed, of) = it.missed;
    let of = match it.expectation {
        Expectation::SeldomDisturbed => format!("{missed} in {of} turns"),
        Expectation::DoneOrTold
        | Expectation::SaidByName
        | Expectation::WorkDone
        | Expectation::LeftAlone
        | Expectation::NothingTwice
        | Expectation::AskedForAReason
        | Expectation::NothingCutOffRuns => format!("{missed} of {of} not"),
    };
    format!("{}: {} ({of})", it.place, it.expectation.name())
}

fn row_json(row: &Row) -> Value {
    json!({"guard": &*row.guard, "rule": row.rule, "step": row.step.name(), "level": row.level})
}

fn change_json(change: &Change) -> Value {
    match change {
        Change::Guard(guard) => json!({"guard": guard, "off": true}),
        Change::Rung(row) => json!({"rung": row_json(row), "off": true}),
        Change::Setting { guard, key, from, to, .. } => {
            json!({"guard": guard, "setting": key, "from": from, "to": to})
        }
        Change::Budget { key, from, to } => {
            json!({"guard": "stack", "setting": key, "from": from, "to": to})
        }
    }
}

fn places_json(places: &[Place]) -> Value {
    let one =
        |it: &Place| json!({"scenario": &*it.scenario, "seed": it.seed.to_string(), "trials": it.trials});
    places.iter().map(one).collect()
}

fn moved_json(it: &Moved) -> Value {
    json!({"place": &*it.place, "figure": it.figure.name(), "worse": it.worse, "better": it.better})
}

fn broken_json(it: &Broken) -> Value {
    json!({"place": &*it.place, "expectation": it.expectation.name(), "missed": it.missed.0, "of": it.missed.1})
}
