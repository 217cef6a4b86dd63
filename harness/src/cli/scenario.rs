//! `balk scenario`: one trial as a transcript, or many as counts.

mod one;

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use balk_reports::records::{Counts, quoted};
use balk_reports::report::document::{Document, Table, Text, code, paragraph, terminal};
use balk_reports::statistics::{Share, per_thousand};
use balk_scenarios::{Kind, Pools, ResponseMode, Scenario as Model, WorldOptions};
use clap::{Args, ValueEnum};

use super::gaps::Repository;
use super::load;
use super::{Context, Format, OrExit, screen};
use crate::error::Error;
use crate::exit::Exit;
use crate::guards::{Config, Recipe};
use crate::simulate::Simulation;

/// Arguments of `balk scenario`.
#[derive(Args, Clone, Debug)]
pub struct Scenario {
    /// A scenario of the catalogue (`balk list`), or a file
    #[arg(value_name = "NAME|FILE")]
    target: String,

    /// The seed of the one trial to show
    #[arg(long, value_name = "N", default_value_t = load::SEED, conflicts_with = "seeds")]
    seed: u64,

    /// Seeds of many trials, both ends included: counts are printed in place of a transcript
    #[arg(long, value_name = "A-B", value_parser = load::seeds)]
    seeds: Option<RangeInclusive<u64>>,

    /// Guards: none, default, or NAME[=VARIANT][{key=value,…}] with commas between them; with --seeds it may be given again
    #[arg(long, value_name = "GUARDS", default_value = "default")]
    guard: Vec<String>,

    /// A value of the scenario file to replace, by its dotted path; may be given again
    #[arg(long, value_name = "KEY=VALUE", value_parser = load::set)]
    set: Vec<(String, String)>,

    /// Settings of guards: TOML, a table for each (above it: NO_TOOLS_GUARD_ENABLED, MISTAKE_LIMIT,
    /// NO_TOOLS_MESSAGE from the environment)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Draw from the pools that are kept back, to check what was tuned on the others
    #[arg(long)]
    reserve: bool,

    /// What counts in an intervention. With --seeds, both `features` and `flat` are counted
    #[arg(long, value_enum, default_value_t = Response::Features, conflicts_with = "seeds")]
    response: Response,

    /// Answer the guards' questions yourself, at the terminal; without one nothing waits. Exit code 4 where the
    /// task is not done in the end
    #[arg(long, conflicts_with = "seeds")]
    interactive: bool,

    /// A file for the events of the one trial, one JSON object a line: the entries of the record, and a
    /// `capability_gap` where something was lacking
    #[arg(long, value_name = "FILE", conflicts_with = "seeds")]
    events: Option<PathBuf>,

    /// The folder for reports on what was lacking, written where the user chooses to report it [default:
    /// $BALK_STATE_DIR, else $XDG_STATE_HOME/balk, else ~/.local/state/balk; the scenario's own user writes
    /// none without this option]
    #[arg(long, value_name = "DIR", conflicts_with = "seeds")]
    state_dir: Option<PathBuf>,

    #[command(flatten)]
    repository: Repository,

    /// Text for people, or records (one JSON object a line) for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// What counts in an intervention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Response {
    /// What its text carries
    Features,
    /// That it was delivered
    Flat,
    /// What its text carries, by numbers that the seed draws from their ranges
    Drawn,
}

impl From<Response> for ResponseMode {
    fn from(response: Response) -> Self {
        match response {
            Response::Features => Self::Features,
            Response::Flat => Self::Flat,
            Response::Drawn => Self::Drawn,
        }
    }
}

impl Scenario {
    /// Runs the command.
    ///
    /// # Errors
    /// A command line that makes no sense, an output that takes no more. A bad file is shown, and ends with
    /// its exit code.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        let scenario = match load::scenario(&self.target, &self.set) {
            Ok(scenario) => scenario,
            Err(failure) => return failure.or_exit(),
        };
        match &self.seeds {
            Some(seeds) => self.many(context, &scenario, seeds.clone()),
            None => self.one(context, &scenario),
        }
    }

    fn options(&self, response: ResponseMode) -> WorldOptions {
        WorldOptions { pools: if self.reserve { Pools::Reserve } else { Pools::Open }, response }
    }

    /// Counts for each stack, and what they are in flat mode.
    ///
    /// As JSON one line for each of both, with the integer `counts` and what follows from them as text of
    /// four significant digits: `recovered_of_onsets_95`, the exact bounds of the share (0 to 1), and
    /// `false_per_1000_healthy_turns`, null where no turn was healthy.
    fn many(&self, context: &Context, scenario: &Model, seeds: RangeInclusive<u64>) -> Result<Exit, Error> {
        let config = context.config(self.config.as_deref())?;
        let stacks = Recipe::all(&context.registry, &self.guard, &config)?;
        let counts =
            |stack, response| Simulation::new(scenario, stack, self.options(response)).counts(seeds.clone());
        let row = |stack| Row {
            guard: Recipe::spec(stack),
            measured: counts(stack, ResponseMode::Features),
            flat: counts(stack, ResponseMode::Flat),
        };
        let rows: Vec<Row> = stacks.iter().map(row).collect();
        let mut out = std::io::stdout().lock();
        match self.format {
            Format::Json => {
                for row in &rows {
                    for (mode, counts) in [("scenario", &row.measured), ("flat", &row.flat)] {
                        let line = serde_json::json!({
                            "scenario": &*scenario.name,
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
            Format::Text => {
                write!(out, "{}", terminal(&self.document(&config, scenario, &rows), screen::output()))?
            }
        }
        let fault = rows.iter().any(|row| row.measured.guard_faults + row.flat.guard_faults > 0);
        let doubled = rows.iter().any(|row| row.measured.doubled + row.flat.doubled > 0);
        Ok(exit(fault, doubled))
    }

    fn document(&self, config: &Config, scenario: &Model, rows: &[Row<'_>]) -> Document {
        let seeds = self.seeds.as_ref().expect("counts are over seeds");
        let mut document = Document::from([
            paragraph(format!(
                "{} · seeds {}-{}\n{}",
                scenario.name,
                seeds.start(),
                seeds.end(),
                scenario.title
            )),
            counts(rows).into(),
            paragraph(
                "done: the goal holds in the end; recovered: after being stuck at least once, with the exact 95 % \
                 interval of its share of the stuck.\nhanded over, not told: it does not hold, and the user was told \
                 so, or not. false: interventions in healthy turns; per 1,000 of these.",
            ),
        ]);
        if scenario.actor.states.iter().any(|state| !state.breaks.is_empty()) {
            document.push(retries(rows));
            document.push(paragraph(
                "done twice: trials in which something happened again in the world that was to happen once. asked \
                 for no reason: trials\nwith a question about an attempt in which nothing had begun that could not \
                 be sent again.",
            ));
        }
        if scenario.kind == Kind::Stubborn {
            document.push(sensitivity(rows));
        }
        let guards: Vec<String> = self.guard.iter().map(|it| quoted(it)).collect();
        let command = self.command(config, &guards.join(" --guard "));
        document.push(paragraph(Text::from("run again: ") + code(command)));
        document
    }

    /// The command that does the very same thing again.
    fn command(&self, config: &Config, guards: &str) -> String {
        let mut command = format!("balk scenario {}", quoted(&self.target));
        match &self.seeds {
            Some(seeds) => command.push_str(&format!(" --seeds {}-{}", seeds.start(), seeds.end())),
            None => command.push_str(&format!(" --seed {}", self.seed)),
        }
        command.push_str(&format!(" --guard {guards}"));
        for (key, value) in &self.set {
            command.push_str(&format!(" --set {}", quoted(&format!("{key}={value}"))));
        }
        if let Some(file) = config.file() {
            command.push_str(&format!(" --config {}", quoted(&file.display().to_string())));
        }
        if self.reserve {
            command.push_str(" --reserve");
        }
        match self.response {
            Response::Features => {}
            Response::Flat => command.push_str(" --response flat"),
            Response::Drawn => command.push_str(" --response drawn"),
        }
        if self.interactive {
            command.push_str(" --interactive");
        }
        command
    }
}

/// What each stack came to.
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

/// What each stack made of attempts that broke off.
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

/// What recovers in both response modes.
fn sensitivity(rows: &[Row<'_>]) -> Table {
    let title = "sensitivity: recovered where an intervention counts by what it carries, and in flat mode, where only \
                 its being delivered counts";
    let mut table =
        Table { title: title.into(), ..Table::of_numbers(["guard", "by what it carries", "flat"]) };
    for row in rows {
        let [measured, flat] =
            [&row.measured, &row.flat].map(|it| format!("{} of {}", it.recovered, it.onsets));
        table.row([row.guard.to_string(), measured, flat]);
    }
    table
}

/// A guard that broke is worse than what it let through.
fn exit(guard_fault: bool, doubled: bool) -> Exit {
    match (guard_fault, doubled) {
        (true, _) => Exit::GuardFault,
        (false, true) => Exit::Unsafe,
        (false, false) => Exit::Fine,
    }
}

struct Row<'a> {
    guard: &'a str,
    measured: Counts,
    flat: Counts,
}
