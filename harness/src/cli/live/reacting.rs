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
    #[arg(long)]
    react: bool,

    /// Completions that --react samples after each message [default: 2; with --offline as many as the record has]
    #[arg(long, value_name = "K", requires = "react", value_parser = clap::value_parser!(u32).range(1..=100))]
    samples: Option<u32>,
}

/// Reactions, and what is missing in them.
pub(super) struct Reacted {
    reactions: Reactions,
    /// The units of the record.
    units: u64,
    /// Why the first unit that was not measured has no reactions.
    dropped: Option<String>,
    /// The budget that ran out.
    spent: Option<Spent>,
    interrupted: bool,
}

impl React {
    /// Samples reactions in every unit of the record, and writes what was found. None if they were not asked for, or
    /// the run was interrupted before.
    pub(super) fn run(
        &self,
        pool: &ThreadPool,
        matrix: &Matrix,
        model: &Model<'_>,
        record: &Record,
        offline: Option<&Path>,
        following: &Following,
    ) -> Result<Option<Reacted>, Error> {
        if !self.react || following.interrupted() {
            return Ok(None);
        }
        let samples = match (self.samples, offline) {
            (Some(samples), _) => samples,
            (None, Some(folder)) => Folder::reactions(folder)?.map_or(SAMPLES, |it| it.samples),
            (None, None) => SAMPLES,
        };
        let units = record.done.iter().map(Seeds::count).sum();
        let bar = progress::counted(units, "units asked for reactions");
        let (mut dropped, mut unanswered, mut spent) = (None, 0, None);
        let follow = |unit: &str, measured: Result<(), &Stop>| {
            bar.inc(1);
            let is_over = match measured {
                Ok(()) => {
                    unanswered = 0;
                    false
                }
                Err(stop) => {
                    let why = match stop {
                        Stop::Missing { turn, .. } => format!("the record has no sample of turn {turn}"),
                        Stop::Overflow | Stop::Spent(_) | Stop::Refused(_) | Stop::Unkept(_) => {
                            stop.to_string()
                        }
                    };
                    dropped.get_or_insert_with(|| format!("{unit}: {why}"));
                    unanswered += u32::from(matches!(stop, Stop::Refused(_)));
                    if let Stop::Spent(it) = stop {
                        spent = Some(*it);
                    }
                    spent.is_some() || unanswered >= GIVEN_UP
                }
            };
            if is_over || following.interrupted() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let reactions = live::react(pool, matrix, model, record, samples, follow)?;
        bar.finish_and_clear();
        let interrupted = following.interrupted();
        if !interrupted {
            let fitted = live::fit(&reactions).map(|it| write(&it)).unwrap_or_default();
            following.write_reactions(&reactions, &fitted)?;
        }
        Ok(Some(Reacted { reactions, units, dropped, spent, interrupted }))
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
