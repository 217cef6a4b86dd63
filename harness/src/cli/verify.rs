//! `balk verify`: runs every trial twice, in another order and on other threads, and checks that every view is legal. A
//! folder of a bench is checked as well.

mod folder;

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use balk_reports::records::quoted;
use balk_scenarios::Worlds;
use balk_scenarios::catalogue;
use balk_scenarios::drawn::DRAWN;
use clap::Args;

use super::context::Context;
use super::load::{self, Failure};
use super::out;
use super::set_from::SetFrom;
use super::threads::threads;
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;
use crate::guards::Recipe;
use crate::program;
use crate::verify::{self, Difference};

use self::folder::Named;

/// Arguments of `balk verify`.
#[derive(Args, Clone, Debug)]
pub struct Verify {
    /// Scenarios to run: names, files, or drawn worlds [default: the whole catalogue, and worlds of all plans]; or
    /// folders of `balk bench`, `balk live` and `balk crash`, whose checksums are checked: of a bench the plan as well,
    /// and a sample of its trials is played again
    #[arg(value_name = "SCENARIO|DIR")]
    scenarios: Vec<String>,

    /// Seeds of scenarios, both ends included; those of a record are in it [default: 0-49]
    #[arg(long, value_name = "A-B", allow_hyphen_values = true, value_parser = load::seeds)]
    seeds: Option<RangeInclusive<u64>>,

    /// The stack to run, as in `balk list --guards`; may be given again [default: none, default, and each guard that is
    /// no peer, in each variant]. The trials of a record are only played under an `exec:` stack that is named here
    #[arg(long, value_name = "SET")]
    guard: Vec<String>,

    /// The scenarios of a record that are in files, as `balk bench --suite` was given them: a record does not say where
    /// they are, and without them none of its trials is played again
    #[arg(long, value_name = "SUITE")]
    suite: Option<String>,

    /// A TOML file with settings of guards, a table for each [default: balk.toml in this folder or the nearest one
    /// above it]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(flatten)]
    set_from: SetFrom,
}

/// The seeds that are verified unless others are named.
const SEEDS: RangeInclusive<u64> = 0..=49;

/// What is most likely wrong with a guard in another process.
const COMMANDS: &str = "the answers of a guard in another process must follow from the entries of its run alone: from \
                        no clock and no chance, and from nothing that it keeps after `begin`";

impl Verify {
    /// Runs the command.
    ///
    /// # Errors
    /// An output that cannot be written. An invalid file is shown, and returns its exit code.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        let (folders, scenarios): (Vec<&String>, Vec<&String>) =
            self.scenarios.iter().partition(|it| folder::is_record(it));
        let are_all = !folders.is_empty() && scenarios.is_empty();
        if are_all && self.seeds.is_some() {
            return Err(Error::usage("--seeds", "a scenario to verify", "folders alone"));
        }
        let mut exit = match self.records(&folders, are_all, context) {
            Ok(exit) if are_all => return Ok(exit),
            Ok(exit) => exit,
            Err(failure) => return failure.or_exit(),
        };
        let reactions = match self.set_from.reactions() {
            Ok(reactions) => reactions,
            Err(failure) => return failure.or_exit(),
        };
        let pool = threads(0)?;
        let mut out = out::people();
        let mut config = Config::default();
        let stacks = match &*self.guard {
            [] => verify::stacks(&context.registry)?,
            guards => {
                config = context.config(self.config.as_deref())?;
                Recipe::all(&context.registry, guards, &config)?
            }
        };
        let all = match worlds(&scenarios) {
            Ok(all) => all,
            Err(failure) => return failure.or_exit(),
        };
        let seeds = self.seeds.clone().unwrap_or(SEEDS);
        for (target, worlds) in all {
            let name = worlds.name();
            let found = verify::worlds(&worlds, &stacks, reactions, seeds.clone(), &pool);
            match &found.difference {
                None => writeln!(
                    out,
                    "{name}: {} trials, the same bytes twice; {} views legal in all dialects",
                    found.trials, found.views
                )?,
                Some(Difference { seed, guard, entry, first, second, runs_commands }) => {
                    exit = Exit::NotDeterministic;
                    writeln!(
                        out,
                        "{name}: not deterministic at entry {entry} of seed {seed}, guard {guard}\n  first:  \
                         {first}\n  second: {second}"
                    )?;
                    if *runs_commands {
                        writeln!(out, "  {COMMANDS}")?;
                    }
                    let trial =
                        format!("scenario {} --seed {seed} --guard {}", quoted(&target), quoted(guard));
                    let see = program::command(&trial) + &config.again() + &self.set_from.again();
                    writeln!(out, "  see: {see} --format json")?;
                }
            }
            if let Some(illegal) = &found.illegal {
                exit = Exit::Unsafe;
                writeln!(out, "{name}: {illegal}")?;
            }
        }
        Ok(exit)
    }

    /// Checks the folders. If there is nothing else to verify, each stack that is named has to be in one of them: with
    /// a mistyped one, trials would not be played again, and that is no failure.
    fn records(&self, folders: &[&String], are_all: bool, context: &Context) -> Result<Exit, Failure> {
        let named = self.named(!folders.is_empty())?;
        let mut exit = Exit::Fine;
        let mut unknown: Vec<&String> = self.guard.iter().collect();
        for path in folders {
            let found = folder::verify(path, context, &named, &mut unknown)?;
            if found != Exit::Fine {
                exit = found;
            }
        }
        match unknown.first().filter(|_| are_all) {
            Some(stack) => {
                Err(Error::usage("--guard", "a stack of the records", format!("`{stack}`")).into())
            }
            None => Ok(exit),
        }
    }

    /// What the command line names for records.
    fn named(&self, has_records: bool) -> Result<Named<'_>, Error> {
        if self.suite.is_some() && !has_records {
            return Err(Error::usage("--suite", "a folder of `balk bench` to verify", "none"));
        }
        if self.config.is_some() && self.guard.is_empty() && !has_records {
            return Err(Error::usage(
                "--config",
                "--guard, or a folder of `balk bench` to verify",
                "neither",
            ));
        }
        Ok(Named {
            set_from: &self.set_from,
            suite: self.suite.as_deref(),
            stacks: &self.guard,
            config: self.config.as_deref(),
        })
    }
}

/// What is verified, each after what names it on the command line.
fn worlds(scenarios: &[&String]) -> Result<Vec<(String, Worlds)>, Failure> {
    let read = |name: &str| Ok((name.to_owned(), load::Named::one(name)?.read(&[])?));
    if scenarios.is_empty() {
        return catalogue::listed().map(|it| it.name).chain([DRAWN]).map(read).collect();
    }
    scenarios.iter().map(|name| read(name)).collect()
}
