//! `balk shrink`: from a trial that shows a problem to the smallest one that still shows it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use balk_reports::records::quoted;
use balk_reports::report::document::Screen;
use balk_scenarios::format::Document;
use balk_scenarios::{Pools, Scenario, WorldOptions, toolsets};
use clap::Args;

use super::context::Context;
use super::load::{self, Failure, Source};
use super::out;
use super::say::say;
use super::set_from::SetFrom;
use crate::error::Error;
use crate::exit::Exit;
use crate::files;
use crate::guards::{Config, NONE, ORACLE, Recipe};
use crate::program;
use crate::shrink::{self, Case, Shows, Shrunk, Unfit};

/// Arguments of `balk shrink`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Shrink {
    /// A scenario of the catalogue (`balk list`), or one in a file: the stubborn one, or FILE#NAME
    #[arg(value_name = "NAME|FILE")]
    target: String,

    /// The seed of the trial
    #[arg(long, value_name = "N", default_value_t = load::SEED)]
    #[arg(value_parser = load::seed, allow_negative_numbers = true)]
    seed: u64,

    /// The stack
    #[arg(long, value_name = "SET", default_value = "default")]
    guard: String,

    /// The problem that the trial shows, and that every smaller trial must show
    #[arg(long, value_name = "WHAT")]
    shows: Shows,

    /// Replace a value of the scenario file, named by its dotted path; may be given again
    #[arg(long, value_name = "KEY=VALUE", value_parser = load::set)]
    set: Vec<(String, String)>,

    #[command(flatten)]
    set_from: SetFrom,

    /// A TOML file with settings of guards, a table for each [default: balk.toml in this folder or the nearest one
    /// above it]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Draw texts and names from the reserve pools
    #[arg(long)]
    reserve: bool,

    /// How many smaller trials to run at most
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    tries: u32,

    /// A folder for scenario.toml and transcript.txt. Without it, the scenario goes to standard output
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
WHAT is one of
  false-intervention  a guard stepped in during a healthy turn
  not-told            the task is not done, and the user does not know
  done-twice          something happened twice that should happen once
  guard-fault         a guard broke
  not-recovered       the model got stuck, and the task is not done
  missed              the model was stuck for twelve turns, and no guard stepped in before the end
  lost                the model never got stuck, and the task is not done
  rule=GUARD:RULE     a guard stepped in under this rule

Shrinking removes parts of the file, simplifies values and tries lower seeds, as long as the file is valid and the trial
shows the problem. If the baseline or the oracle does not show it at the start, it does not at the end; if one of them
reaches the goal at the start, it does at the end.";

const SCENARIO: &str = "scenario.toml";
const TRANSCRIPT: &str = "transcript.txt";

impl Shrink {
    /// Runs the command.
    ///
    /// # Errors
    /// A trial that does not show the problem, an invalid command line, an output that cannot be written. An invalid
    /// file is shown, and returns its exit code.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        load::check_once(&self.set)?;
        let (document, scenario) = match self.read() {
            Ok(read) => read,
            Err(failure) => return failure.or_exit(),
        };
        let reactions = match self.set_from.reactions() {
            Ok(reactions) => reactions,
            Err(failure) => return failure.or_exit(),
        };
        let text = document.text();
        if let Some(folder) = &self.out {
            free(folder)?;
        }
        let config = context.config(self.config.as_deref())?;
        let recipe = |spec| Recipe::new(&context.registry, spec, &config);
        let (stack, contrasts) = (recipe(&self.guard)?, [recipe(NONE)?, recipe(ORACLE)?]);
        let case = Case {
            text,
            scenario: &scenario,
            seed: self.seed,
            stack: &stack,
            contrasts: &contrasts,
            options: WorldOptions {
                pools: if self.reserve { Pools::Reserve } else { Pools::Open },
                reactions,
                ..WorldOptions::default()
            },
            shows: &self.shows,
            tries: self.tries,
            stop: &AtomicBool::new(false),
        };
        let lines = text.lines().count();
        let shrunk = shrink::shrink(&case, |it| {
            say(format_args!("{} tries: {} of {lines} lines, seed {}", it.tries, it.lines, it.seed));
        });
        let shrunk = shrunk.map_err(|unfit| self.refused(&unfit, &config))?;
        if !shrunk.is_smallest {
            say(format_args!("note: the {} tries ran out; more tries may find a smaller one", self.tries));
        }
        if !shrunk.has_contrast {
            say(format_args!(
                "note: the baseline and the oracle show it too, so the smaller trial may show it for another reason"
            ));
        }
        self.write(&shrunk, &config)?;
        Ok(Exit::Fine)
    }

    /// The scenario with all its settings, and its text.
    fn read(&self) -> Result<(Document, Arc<Scenario>), Failure> {
        let document = Source::of(&self.target)?.document(&self.set)?;
        let scenario = document.scenario(toolsets::catalogue())?;
        Ok((document, scenario))
    }

    fn refused(&self, Unfit(others): &Unfit, config: &Config) -> Error {
        let others: Vec<String> = others.iter().map(Shows::to_string).collect();
        let found = if others.is_empty() { "nothing of the kind".to_owned() } else { others.join(", ") };
        let expected = format!("a trial that shows {}", self.shows);
        let see = self.command(config, &self.target, &self.set, self.seed);
        Error::usage("--shows", &expected, found).hint(&format!("see: {see}"))
    }

    fn write(&self, shrunk: &Shrunk, config: &Config) -> Result<(), Error> {
        let Some(folder) = &self.out else {
            write!(out::data(), "{}", out::as_toml(&shrunk.text)?)?;
            say(format_args!("shows {}: {}", self.shows, self.command(config, "FILE", &[], shrunk.seed)));
            return Ok(());
        };
        let command = self.command(config, &folder.join(SCENARIO).display().to_string(), &[], shrunk.seed);
        let transcript = balk_reports::report::show(&shrunk.record, Screen::default());
        let transcript = format!("shows {}\n\n{transcript}\nrun again: {command}\n", self.shows);
        let write = |name, text: &str| {
            let path = folder.join(name);
            files::write_whole(&path, |out| out.write_all(text.as_bytes()))
                .map_err(|error| Error::file(&path, "a writable file", error))
        };
        // The scenario last: where one of two is missing, it is easily made again.
        write(TRANSCRIPT, &transcript)?;
        write(SCENARIO, &shrunk.text).inspect_err(|_| drop(files::remove(&folder.join(TRANSCRIPT))))?;
        say(format_args!("shows {}: {command}", self.shows));
        Ok(())
    }

    /// The command that shows a trial.
    fn command(&self, config: &Config, target: &str, set: &[(String, String)], seed: u64) -> String {
        let trial = format!("scenario {} --seed {seed} --guard {}", quoted(target), quoted(&self.guard));
        let mut command = program::command(&trial);
        for (key, value) in set {
            command.push_str(&format!(" --set {}", quoted(&format!("{key}={value}"))));
        }
        command.push_str(&self.set_from.again());
        command.push_str(&config.again());
        if self.reserve {
            command.push_str(" --reserve");
        }
        command
    }
}

/// Checks that the folder has none of the files that will be written, and takes them.
fn free(folder: &Path) -> Result<(), Error> {
    for name in [SCENARIO, TRANSCRIPT] {
        let path = folder.join(name);
        if path.exists() {
            return Err(Error::exists(&path).hint("name another folder"));
        }
    }
    files::check_place(&folder.join(SCENARIO))
        .map_err(|error| Error::file(folder, "a folder that can be written to", error))
}
