//! The audit as text and as JSON lines.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::recorded::Recorded;
use crate::audit::{Audited, Broken, Change, Effect, Expectation, Place, Reached, Row, Sets, beyond_trials};
use crate::replay::one_line;

/// What is shown.
pub(super) struct Shown<'a> {
    pub(super) guard: &'a str,
    pub(super) seeds: &'a RangeInclusive<u64>,
    pub(super) audited: &'a Audited,
    /// By row; none where no recordings were named.
    pub(super) recorded: Option<&'a [Recorded]>,
}

/// So many scenarios that notice a change are named in the text; the JSON form has all.
const NOTICED_SHOWN: usize = 3;
const ID_CHARS: usize = 80;

impl Shown<'_> {
    fn rows(&self) -> impl Iterator<Item = (&Row, Option<&Reached>, Option<&Recorded>)> {
        let recorded = |at: usize| self.recorded.map(|all| &all[at]);
        self.audited.rows.iter().enumerate().map(move |(at, (row, it))| (row, it.as_ref(), recorded(at)))
    }

    pub(super) fn text(&self, out: &mut impl Write) -> io::Result<()> {
        let Audited { scenarios, undeclared, unmet, changes, .. } = self.audited;
        let Self { guard, seeds, .. } = self;
        writeln!(out, "{guard} · seeds {}-{} of {scenarios} scenarios\n", seeds.start(), seeds.end())?;
        writeln!(out, "rungs: where each is reached, in recordings, and what notices its removal")?;
        let mut table =
            vec![["rung", "step", "level", "reached", "recorded", "without it"].map(String::from)];
        let mut last = "";
        for (row, reached, recorded) in self.rows() {
            if last != &*row.guard {
                last = &row.guard;
                table.push([&*row.guard, "", "", "", "", ""].map(String::from));
            }
            table.push([
                format!("  {}", row.rule),
                row.step.name().into(),
                row.level.map_or_else(|| "–".into(), |it| it.to_string()),
                reached.map_or_else(|| unreached_text(row), |it| reached_text(it, guard)),
                recorded.map_or_else(|| "-".into(), recorded_text),
                self.audited.without(row).map_or_else(|| "–".into(), effect_text),
            ]);
        }
        columns(out, &table)?;
        writeln!(out, "\nchanges: guards off, and settings by one step")?;
        let mut table: Vec<[String; 4]> = Vec::new();
        for (change, effect) in changes.iter().filter(|(it, _)| !matches!(it, Change::Rung(_))) {
            let first = effect.differs.first().map_or_else(String::new, |first| {
                let trials: u64 = effect.differs.iter().map(|it| it.trials).sum();
                format!("{trials} trials differ, first {} seed {}", first.scenario, first.seed)
            });
            table.push([format!("  {change}"), effect.name().into(), first, noticed_text(&effect.noticed)]);
        }
        columns(out, &table)?;
        for it in unmet {
            writeln!(out, "\nnot met before any change, so it notices none: {}", broken_text(it))?;
        }
        for it in undeclared {
            let sets: String = assignments(it.sets).map(|it| format!(" --set '{it}'")).collect();
            writeln!(
                out,
                "\nundeclared: {} (balk scenario {} --seed {} --guard '{}'{sets})",
                it.what, it.scenario, it.seed, it.guard
            )?;
        }
        writeln!(out)?;
        let dead: Vec<String> = self.audited.dead().map(ToString::to_string).collect();
        sum(out, "dead rungs", &dead)?;
        let of = |name: &str, wanted: fn(&Change) -> bool| {
            let which = changes.iter().filter(|(change, effect)| wanted(change) && effect.name() == name);
            which.map(|(change, _)| change.to_string()).collect::<Vec<_>>()
        };
        sum(out, "visible removals", &of("visible", Change::is_removal))?;
        sum(out, "invisible removals", &of("invisible", Change::is_removal))?;
        sum(out, "visible steps", &of("visible", |it| !it.is_removal()))?;
        sum(out, "invisible steps", &of("invisible", |it| !it.is_removal()))
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
                "noticed": effect.noticed.iter().map(broken_json).collect::<Vec<_>>(),
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
                "guard": it.guard, "scenario": it.scenario, "set": set, "seed": seed, "what": it.what,
            });
            writeln!(out, "{}", json!({"undeclared": line}))?;
        }
        Ok(())
    }
}

/// The scenario that reaches a rung most often, and how many more do.
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
    match effect.noticed.is_empty() {
        true => effect.name().into(),
        false => noticed_text(&effect.noticed),
    }
}

fn noticed_text(noticed: &[Broken]) -> String {
    let mut shown: Vec<String> = noticed.iter().take(NOTICED_SHOWN).map(broken_text).collect();
    if noticed.len() > NOTICED_SHOWN {
        shown.push(format!("{} more", noticed.len() - NOTICED_SHOWN));
    }
    shown.join("; ")
}

fn broken_text(it: &Broken) -> String {
    let (missed, of) = it.missed;
    let of = match it.expectation {
        Expectation::BackSoon => format!("{missed} stuck turns in {of} runs"),
        Expectation::SeldomDisturbed => format!("{missed} in {of} turns"),
        Expectation::BroughtBack
        | Expectation::DoneOrTold
        | Expectation::SaidByName
        | Expectation::WorkDone
        | Expectation::LeftAlone
        | Expectation::NothingTwice
        | Expectation::AskedForAReason
        | Expectation::NothingCutOffRuns => format!("{missed} of {of} not"),
    };
    format!("{}: {} ({of})", it.place, it.expectation.name())
}

fn sum(out: &mut impl Write, what: &str, which: &[String]) -> io::Result<()> {
    writeln!(out, "{what}: {}{}", which.len(), which.iter().map(|it| format!("\n  {it}")).collect::<String>())
}

/// Lines with columns as wide as what stands in them.
fn columns<const N: usize>(out: &mut impl Write, table: &[[String; N]]) -> io::Result<()> {
    let wide = |at: usize| table.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(wide).collect();
    for line in table {
        let cells: Vec<String> =
            line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
        writeln!(out, "{}", cells.join("  ").trim_end())?;
    }
    Ok(())
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
    let one = |it: &Place| json!({"scenario": it.scenario, "seed": it.seed.to_string(), "trials": it.trials});
    places.iter().map(one).collect()
}

fn broken_json(it: &Broken) -> Value {
    json!({"place": it.place, "expectation": it.expectation.name(), "missed": it.missed.0, "of": it.missed.1})
}
