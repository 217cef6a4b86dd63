//! `balk live --react`: what brings this model back, message by message.

use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::Path;

use balk_reports::records::{Bench as Record, Reactions, Seeds};
use balk_reports::report::document::terminal;
use balk_reports::report::reactions;
use balk_scenarios::reactions::write;
use clap::Args;
use rayon::ThreadPool;

use super::following::{Following, GIVEN_UP};
use crate::bench::{Folder, Matrix};
use crate::cli::out;
use crate::cli::say::say;
use crate::cli::{progress, screen};
use crate::error::Error;
use crate::exit::Exit;
use crate::live::{self, Model, Spent, Stop};

/// Samples under each message, if nothing else is said.
const SAMPLES: u32 = 2;

/// With fewer samples, the interval of a share is 40 points wide and more (Clopper and Pearson, a share of a half).
const FEW: u64 = 25;

/// Arguments about reactions.
#[derive(Args, Clone, Debug)]
pub(super) struct React {
    /// After the trials, sample what the model does after each message: where it balked without a guard, play the next
    /// completion after no message, after "Proceed.", and after the message of each stack
    #[arg(long, group = "asked")]
    react: bool,

    /// In place of the trials, sample what the model does after each message of the stacks: scripted models balk in its
    /// place, so that every message comes
    #[arg(long, group = "asked", conflicts_with = "offline")]
    pub(super) messages: bool,

    /// Completions that --react and --messages sample after each message [default: 2; with --offline as many as the
    /// record has]
    #[arg(long, value_name = "K", requires = "asked", value_parser = clap::value_parser!(u32).range(1..=100))]
    samples: Option<u32>,
}

/// Reactions, and what is missing in them.
pub(super) struct Reacted {
    reactions: Reactions,
    /// The units of the record, or the runs of scripted models.
    units: u64,
    /// Why the first unit that was not measured has no reactions.
    dropped: Option<String>,
    /// The budget that ran out.
    spent: Option<Spent>,
    interrupted: bool,
}

impl React {
    /// Samples reactions in every unit of the record, or in the runs of scripted models, and writes what was found.
    /// None if they were not asked for, or the run was interrupted before.
    pub(super) fn run(
        &self,
        pool: &ThreadPool,
        matrix: &Matrix,
        model: &Model<'_>,
        record: &Record,
        offline: Option<&Path>,
        following: &Following,
    ) -> Result<Option<Reacted>, Error> {
        let is_scripted = record.plan.live.as_ref().is_some_and(|it| it.messages);
        if !(self.react || is_scripted) || following.interrupted() {
            return Ok(None);
        }
        let samples = match (self.samples, offline) {
            (Some(samples), _) => samples,
            (None, Some(folder)) => Folder::reactions(folder)?.map_or(SAMPLES, |it| it.samples),
            (None, None) => SAMPLES,
        };
        let scripted = is_scripted.then(|| live::Messages::find(pool, matrix, model));
        let units = scripted
            .as_ref()
            .map_or_else(|| record.done.iter().map(Seeds::count).sum(), live::Messages::count);
        let bar = progress::counted(units, "units asked for reactions");
        let mut asked = Asked::default();
        let follow = |unit: &str, measured: Result<(), &Stop>| {
            bar.inc(1);
            if asked.is_over(unit, measured) || following.interrupted() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let reactions = match &scripted {
            Some(messages) => messages.ask(pool, matrix, model, samples, follow)?,
            None => live::react(pool, matrix, model, record, samples, follow)?,
        };
        bar.finish_and_clear();
        let interrupted = following.interrupted();
        if !interrupted {
            let fitted = live::fit(&reactions).map(|it| write(&it)).unwrap_or_default();
            following.write_reactions(&reactions, &fitted)?;
        }
        let Asked { dropped, spent, .. } = asked;
        Ok(Some(Reacted { reactions, units, dropped, spent, interrupted }))
    }
}

/// What came of the units so far.
#[derive(Default)]
struct Asked {
    /// Why the first unit that was not measured has no reactions.
    dropped: Option<String>,
    /// Units in a row that got no answer.
    unanswered: u32,
    /// The budget that ran out.
    spent: Option<Spent>,
}

impl Asked {
    /// A unit was measured, or it was not. Returns whether that ends the run.
    fn is_over(&mut self, unit: &str, measured: Result<(), &Stop>) -> bool {
        let Err(stop) = measured else {
            self.unanswered = 0;
            return false;
        };
        let why = match stop {
            Stop::Missing { turn, .. } => format!("the record has no sample of turn {turn}"),
            Stop::Overflow | Stop::Spent(_) | Stop::Refused(_) | Stop::Unkept(_) => stop.to_string(),
        };
        self.dropped.get_or_insert_with(|| format!("{unit}: {why}"));
        self.unanswered += u32::from(matches!(stop, Stop::Refused(_)));
        if let Stop::Spent(it) = stop {
            self.spent = Some(*it);
        }
        self.spent.is_some() || self.unanswered >= GIVEN_UP
    }
}

impl Reacted {
    /// Why not all units have reactions; empty if no bound ended it.
    pub(super) fn stopped(&self) -> String {
        self.spent.map(|it| Stop::Spent(it).to_string()).unwrap_or_default()
    }

    /// Shows the tables, and says what is missing.
    pub(super) fn show(&self) -> io::Result<Exit> {
        if self.interrupted {
            return Ok(Exit::Interrupted);
        }
        writeln!(out::people(), "{}", terminal(&reactions(&self.reactions), screen::output()))?;
        let samples = |message| self.reactions.by_world(&[message]).iter().map(|it| it.samples).sum::<u64>();
        let first = self.reactions.messages().into_iter().filter(|(_, again)| !again).map(samples);
        // Stacks that say nothing, or repair, have none.
        if let Some(least) = first.filter(|it| *it > 0).min().filter(|it| *it < FEW) {
            say(format_args!(
                "a message was sampled {least} times only; with fewer than {FEW} samples, shares and reactions.toml \
                 say little"
            ));
        }
        let missing = self.units - self.reactions.trials;
        if let Some(why) = &self.dropped {
            say(format_args!("{missing} of {} units have no reactions; the first: {why}", self.units));
            return Ok(Exit::Unmet);
        }
        Ok(Exit::Fine)
    }
}
