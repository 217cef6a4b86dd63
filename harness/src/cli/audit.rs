//! `balk audit`: which rungs of the guards are reached, and which changes of guards are noticed.

mod recorded;
mod show;

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use balk_reports::report::document::terminal;
use clap::Args;

use super::context::Context;
use super::format::Format;
use super::load;
use super::progress;
use super::recordings::Recordings;
use super::screen;
use super::set_from::SetFrom;
use super::threads::threads;
use crate::audit;
use crate::engine::TruthChannel;
use crate::error::Error;
use crate::exit::Exit;
use crate::guards::{DEFAULT, Recipe, Recipes};
use crate::replay::Replay;

/// Arguments of `balk audit`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Audit {
    /// Recorded transcripts in which to look for the rungs, as `balk replay` takes them
    #[arg(value_name = "FILE|DIR")]
    inputs: Vec<PathBuf>,

    /// The guards to change, by name, separated by commas; their settings come from --config
    #[arg(long, value_name = "GUARDS", default_value = DEFAULT)]
    guard: String,

    /// Seeds of each scenario, both ends included
    #[arg(long, value_name = "A-B", allow_hyphen_values = true, value_parser = load::seeds, default_value = "0-99")]
    seeds: RangeInclusive<u64>,

    /// A TOML file with settings of guards, a table for each [default: balk.toml in this folder or the nearest one
    /// above it]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(flatten)]
    set_from: SetFrom,

    #[command(flatten)]
    recordings: Recordings,

    /// Text for people, or one JSON object per line for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Threads; 0 takes one for each core. The output is the same for any number
    #[arg(long, default_value_t = 0, value_name = "N")]
    jobs: usize,
}

const AFTER_HELP: &str = "\
A rung is one thing that a guard does under one rule. The audit looks for each rung of the audited guards in the whole
catalogue and in the drawn worlds: under all of these guards, with models that ignore every message, under each guard
alone and each variant, and finally with settings of a few scenarios and guards (--format json shows them). A rung that
nothing reaches is dead.

Then it changes the audited guards in one place at a time: it removes a guard or a rung, or moves a setting one step up
or down, to its other values, or to the one that turns a rule off. A change is
  noticed    if an expectation is met without it and not with it, or if a figure of a scenario or of a suite is worse
             with it in the same worlds, more often than chance allows (sign test, one in a million),
  visible    if only transcripts differ,
  invisible  if no transcript differs.

Exit codes: 0 fine; 2 usage; 3 if a file cannot be used, or no recording has a transcript (nothing is measured then); 4
if a rung is dead, a guard does something that it does not declare, or nothing notices the removal of a guard. Otherwise
the report is written before a non-zero exit.";

impl Audit {
    /// Runs the command.
    ///
    /// # Errors
    /// An invalid command line, an invalid tool table, recordings without a transcript, an output that cannot be
    /// written. An invalid file of reactions is shown, and returns its exit code.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        if Recipe::without_command(&self.guard).is_err() {
            let found = format!("`{}`", self.guard);
            return Err(Error::usage(
                "--guard",
                "guards that declare their rungs, which no command does",
                found,
            ));
        }
        if self.guard.contains(['=', '{']) {
            return Err(Error::usage(
                "--guard",
                "names of guards, without settings",
                format!("`{}`", self.guard),
            )
            .hint("write the settings into a file for --config"));
        }
        let config = context.config(self.config.as_deref())?;
        if Recipe::new(&context.registry, &self.guard, &config)?.names().next().is_none() {
            return Err(Error::usage("--guard", "a guard to change", format!("`{}`", self.guard)));
        }
        let reactions = match self.set_from.reactions() {
            Ok(reactions) => reactions,
            Err(failure) => return failure.or_exit(),
        };
        let recipes = Recipes::new(&context.registry, &config);
        let setting = self.recordings.setting()?;
        let pool = threads(self.jobs)?;
        let replay = Replay {
            from: self.recordings.from.from,
            setting: &setting,
            guard: Some(&self.guard),
            stack: &|spec, channel: &TruthChannel| recipes.stack(spec, channel),
            pool: &pool,
        };
        let audit = audit::Audit {
            registry: &context.registry,
            guard: &self.guard,
            config: &config,
            seeds: self.seeds.clone(),
            few: self.seeds.clone(),
            reactions,
        };
        // What cannot be read is said before all the measuring.
        let (recorded, readable) = recorded::read(&self.inputs, &replay, &audit.rows()?)?;
        let bar = progress::counted(audit.units(), "seeds of scenarios");
        let audited = pool.install(|| audit.run(&|| bar.inc(1)))?;
        bar.finish_and_clear();
        let mut out = std::io::BufWriter::new(self.format.output());
        let shown = show::Shown {
            guard: &self.guard,
            seeds: &self.seeds,
            audited: &audited,
            recorded: recorded.as_deref(),
            again: &self.set_from.again(),
        };
        match self.format {
            Format::Text => write!(out, "{}", terminal(&shown.document(), screen::output()))?,
            Format::Json => shown.json(&mut out)?,
        }
        out.flush()?;
        Ok(match (readable, audited.holds()) {
            (false, _) => Exit::BadFile,
            (true, false) => Exit::Unmet,
            (true, true) => Exit::Fine,
        })
    }
}
