//! Many trials: counts for each stack.

use std::io::Write;
use std::ops::RangeInclusive;

use balk_reports::records::{Counts, quoted};
use balk_reports::report::document::{Document, Table, Text, code, paragraph, terminal};
use balk_reports::statistics::{Share, per_thousand};
use balk_scenarios::{Kind, Reactions, ResponseMode, Worlds};

use super::args::Asked;
use super::exit::exit;
use crate::cli::context::Context;
use crate::cli::format::Medium;
use crate::cli::{progress, screen};
use crate::error::Error;
use crate::exit::Exit;
use crate::guards::{Config, Recipe};
use crate::simulate;

impl Asked {
    /// Counts for each stack, as measured and in flat mode.
    ///
    /// The JSON form has one line for each of the two, with the integer `counts` and derived values as text with four
    /// significant digits: `recovered_of_onsets_95`, the exact bounds of the share (0 to 1), and
    /// `false_per_1000_healthy_turns`, null if no turn was healthy.
    pub(super) fn many(
        &self,
        context: &Context,
        worlds: &Worlds,
        reactions: Option<Reactions>,
        seeds: RangeInclusive<u64>,
    ) -> Result<Exit, Error> {
        if self.format == Medium::Html {
            let hint = "`balk bench` and `balk report DIR --format html` make a page of many trials";
            return Err(Error::usage("--format html", "one trial", "many, with --seeds").hint(hint));
        }
        let config = context.config(self.config.as_deref())?;
        let stacks = Recipe::all(&context.registry, &self.guard, &config)?;
        let trials = 2 * stacks.len() as u64 * (seeds.end() - seeds.start() + 1);
        let bar = progress::counted(trials, "trials");
        let counts = |stack, response| {
            simulate::counts(worlds, stack, self.options(response, reactions), seeds.clone(), &|| bar.inc(1))
        };
        let row = |stack| Row {
            guard: Recipe::spec(stack),
            measured: counts(stack, ResponseMode::Features),
            flat: counts(stack, ResponseMode::Flat),
        };
        let rows: Vec<Row> = stacks.iter().map(row).collect();
        bar.finish_and_clear();
        let mut out = self.format.output();
        match self.format {
            Medium::Json => {
                for row in &rows {
                    for (mode, counts) in [("scenario", &row.measured), ("flat", &row.flat)] {
                        let line = serde_json::json!({
                            "scenario": worlds.name(),
                            "guard": row.guard,
                            "seeds": [seeds.start().to_string(), seeds.end().to_string()],
                            "response": mode,
                            "counts": counts,
                            "recovered_of_onsets_95": Share::new(counts.recovered, counts.onsets).bounds(),
                            "doubled_of_trials_95": Share::new(counts.doubled, counts.trials).bounds(),
                            "asked_needlessly_of_trials_95":
                                Share::new(counts.asked_needlessly, counts.trials).bounds(),
                            "false_per_1000_healthy_turns":
                                per_thousand(counts.false_interventions, counts.healthy_turns),
                        });
                        writeln!(out, "{line}")?;
                    }
                }
            }
            Medium::Text | Medium::Html => {
                write!(out, "{}", terminal(&self.document(&config, worlds, &rows), screen::output()))?
            }
        }
        let fault = rows.iter().any(|row| row.measured.guard_faults + row.flat.guard_faults > 0);
        let doubled = rows.iter().any(|row| row.measured.doubled + row.flat.doubled > 0);
        Ok(exit(fault, doubled))
    }

    fn document(&self, config: &Config, worlds: &Worlds, rows: &[Row<'_>]) -> Document {
        let seeds = self.seeds.as_ref().expect("counts are over seeds");
        let mut document = Document::from([
            paragraph(format!(
                "{} · seeds {}-{}\n{}",
                worlds.name(),
                seeds.start(),
                seeds.end(),
                worlds.title()
            )),
            counts(rows).into(),
            paragraph(
                "done: the goal holds at the end. recovered: the same, of the runs that got stuck; in brackets the \
                 exact 95 % interval.
handed over, not told: the goal does not hold, and the user was told so, or was not. \
                 false: interventions in healthy turns; per 1,000 of these turns.",
            ),
        ]);
        if worlds.breaks_off() {
            document.push(retries(rows));
            document.push(paragraph(
                "done twice: trials in which something happened twice that should happen once. asked for no reason: \
                 trials
with a question about an attempt that was safe to send again.",
            ));
        }
        if worlds.kind() != Some(Kind::Control) {
            document.push(sensitivity(rows));
        }
        let guards: Vec<String> = self.guard.iter().map(|it| quoted(it)).collect();
        let command = self.command(config, &guards.join(" --guard "));
        document.push(paragraph(Text::from("run again: ") + code(command)));
        document
    }
}

/// The counts of each stack.
fn counts(rows: &[Row<'_>]) -> Table {
    let mut table = Table::of_numbers([
        "guard",
        "trials",
        "done",
        "stuck",
        "recovered (95 %)",
        "handed over",
        "not told",
        "interventions",
        "false",
        "per 1,000",
        "turns",
    ]);
    for row in rows {
        let it = &row.measured;
        table.row([
            row.guard.to_string(),
            it.trials.to_string(),
            it.done.to_string(),
            it.onsets.to_string(),
            Share::new(it.recovered, it.onsets).to_string(),
            it.handed_over.to_string(),
            it.not_told.to_string(),
            it.interventions.to_string(),
            it.false_interventions.to_string(),
            per_thousand(it.false_interventions, it.healthy_turns).unwrap_or_else(|| "–".into()),
            it.turns.to_string(),
        ]);
    }
    table
}

/// How each stack handled broken attempts.
fn retries(rows: &[Row<'_>]) -> Table {
    let columns = ["guard", "resends", "done twice (95 %)", "asked for no reason"];
    let mut table = Table { title: "broken attempts".into(), ..Table::of_numbers(columns) };
    for row in rows {
        let it = &row.measured;
        let [doubled, asked] = [it.doubled, it.asked_needlessly].map(|part| Share::new(part, it.trials));
        table.row([row.guard.to_string(), it.resends.to_string(), doubled.to_string(), asked.to_string()]);
    }
    table
}

/// The recovered runs in both response modes.
fn sensitivity(rows: &[Row<'_>]) -> Table {
    let title = "sensitivity: recovered runs, if the actor weighs what interventions say, and in flat mode, where \
                 every intervention counts alike";
    let mut table = Table { title: title.into(), ..Table::of_numbers(["guard", "by what they say", "flat"]) };
    for row in rows {
        let [measured, flat] =
            [&row.measured, &row.flat].map(|it| format!("{} of {}", it.recovered, it.onsets));
        table.row([row.guard.to_string(), measured, flat]);
    }
    table
}

struct Row<'a> {
    guard: &'a str,
    measured: Counts,
    flat: Counts,
}
