//! Follows a live run: writes what was played, and knows when to stop.

use std::ops::ControlFlow;
use std::path::PathBuf;

use balk_reports::records::{Answered, Bench as Record, Reactions};
use indicatif::ProgressBar;

use super::looks;
use crate::bench::{self, Folder, Played};
use crate::cli::bench::Ending;
use crate::cli::interrupt::Interrupt;
use crate::cli::progress;
use crate::cli::say::say;
use crate::error::Error;
use crate::exit::Exit;
use crate::live::{self, Follow, Sample, Spent, Stop};

/// After so many units in a row without an answer, the endpoint is given up.
pub(super) const GIVEN_UP: u32 = 3;

/// What has come of a live run so far.
pub(super) struct Following {
    folder: Option<Folder>,
    interrupt: Interrupt,
    bar: ProgressBar,
    /// The units to play.
    units: u64,
    /// The units that are in the record.
    played: u64,
    /// The units that are not, because the record or the endpoint had no completion, and the first reason.
    dropped: Option<(u64, String)>,
    /// Units in a row that got no answer.
    unanswered: u32,
    ended: Option<Ended>,
    /// Whether a model is asked. Such a run may stop early; a record that is played again may not.
    asks_model: bool,
}

/// Why a run ends whose result is clear. The bound holds however often one looks (`docs/live.md`).
const DECIDED: &str = "the intervals of all stacks, which hold at every look, exclude zero";

/// Why a run ended before all units were played.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ended {
    Interrupted,
    Spent(Spent),
    GivenUp,
    /// Every interval excludes zero.
    Decided,
}

impl Following {
    pub(super) fn new(folder: Option<Folder>, interrupt: Interrupt, units: u64, asks_model: bool) -> Self {
        let bar = progress::counted(units, "units");
        Self {
            folder,
            interrupt,
            bar,
            units,
            played: 0,
            dropped: None,
            unanswered: 0,
            ended: None,
            asks_model,
        }
    }

    /// Shows the table, and says what is missing in it and why.
    pub(super) fn end(self, record: &Record, ending: &Ending<'_>) -> Result<Exit, Error> {
        self.bar.finish_and_clear();
        if let Some((units, why)) = &self.dropped {
            say(format_args!("{units} of {} units are not measured; the first: {why}", self.units));
        }
        match self.ended {
            Some(Ended::Interrupted) => return Ok(ending.interrupted(self.played, self.units)),
            Some(Ended::Spent(spent)) => {
                say(format_args!(
                    "stopped after {} of {} units: {}",
                    self.played,
                    self.units,
                    Stop::Spent(spent)
                ));
                if self.played > 0 {
                    say(format_args!("the same command with --resume and a larger budget goes on"));
                }
            }
            Some(Ended::Decided) => {
                say(format_args!("stopped after {} of {} units: {DECIDED}", self.played, self.units));
            }
            Some(Ended::GivenUp) | None => {}
        }
        if self.played == 0 && !self.asks_model && self.dropped.is_some() {
            say(format_args!("no unit was measured, so there is no table"));
            return Ok(Exit::Unmet);
        }
        if self.played == 0 && self.asks_model {
            say(format_args!(
                "no unit ended, so there is no table; what was answered is kept. --resume goes on, with a larger \
                 budget if there is one. --suite, --trials and --max-tokens make a run smaller"
            ));
            let is_given_up = self.ended == Some(Ended::GivenUp);
            return Ok(if is_given_up { Exit::Unexpected } else { Exit::Unmet });
        }
        let exit = ending.end(record)?;
        Ok(match self.ended {
            Some(Ended::GivenUp) if exit == Exit::Fine => Exit::Unexpected,
            _ if self.dropped.is_some() && exit == Exit::Fine => Exit::Unmet,
            _ => exit,
        })
    }

    /// Why the run ended before all units were played; empty if it did not.
    pub(super) fn stopped(&self) -> String {
        match &self.ended {
            None => String::new(),
            Some(Ended::Interrupted) => "interrupted".to_owned(),
            Some(Ended::Spent(spent)) => Stop::Spent(*spent).to_string(),
            Some(Ended::Decided) => DECIDED.to_owned(),
            Some(Ended::GivenUp) => format!("{GIVEN_UP} units in a row got no answer"),
        }
    }

    /// Writes how the run was made.
    pub(super) fn write_meta(&self, threads: u16, taken_ns: u64, runs: Vec<Answered>) -> Result<(), Error> {
        let Some(folder) = &self.folder else { return Ok(()) };
        folder.write_meta(&bench::meta(threads.into(), self.played, taken_ns, Vec::new(), runs))
    }

    /// Writes interventions to judge. A table in which a reader has judged something stays, and so does one that
    /// cannot be read.
    pub(super) fn write_sample(&self, sample: &Sample) -> Result<(), Error> {
        let files = sample.files();
        let Some(folder) = self.folder.as_ref().filter(|_| !files.0.is_empty()) else { return Ok(()) };
        let is_judged =
            |table: PathBuf| live::judged(&table).map(|rows| rows.iter().any(|it| it.is_false.is_some()));
        let stays = folder.sample().and_then(|it| it.map_or(Ok(false), is_judged)).unwrap_or(true);
        if stays { Ok(()) } else { folder.write_sample(files) }
    }

    /// Whether the user has asked to stop.
    pub(super) fn interrupted(&self) -> bool {
        self.interrupt.came()
    }

    /// Writes how the model took messages, and the numbers that follow from it.
    pub(super) fn write_reactions(&self, reactions: &Reactions, fitted: &str) -> Result<(), Error> {
        self.folder.as_ref().map_or(Ok(()), |folder| folder.write_reactions(reactions, fitted))
    }

    fn stop(&mut self, why: Ended) -> ControlFlow<()> {
        self.ended.get_or_insert(why);
        ControlFlow::Break(())
    }

    fn drop_unit(&mut self, why: String) {
        self.dropped.get_or_insert((0, why)).0 += 1;
    }
}

impl Follow for Following {
    fn block(&mut self, record: &Record, played: Played<'_>) -> Result<ControlFlow<()>, Error> {
        self.bar.inc(played.units);
        self.played += played.units;
        self.unanswered = 0;
        if let Some(folder) = &self.folder {
            folder.keep(played.scenario, played.kept)?;
            folder.write(record)?;
        }
        Ok(if self.interrupt.came() { self.stop(Ended::Interrupted) } else { ControlFlow::Continue(()) })
    }

    fn dropped(&mut self, scenario: &str, seed: u64, why: &Stop) -> ControlFlow<()> {
        self.bar.inc(1);
        match why {
            Stop::Spent(Spent::Patience) => return self.stop(Ended::Interrupted),
            Stop::Spent(spent) => return self.stop(Ended::Spent(*spent)),
            Stop::Missing { turn, .. } => {
                self.drop_unit(format!(
                    "{scenario}, seed {seed}: the record has no completion for turn {turn}"
                ));
            }
            Stop::Refused(refusal) => {
                self.drop_unit(format!("{scenario}, seed {seed}: {refusal}"));
                self.unanswered += 1;
                if self.unanswered >= GIVEN_UP {
                    return self.stop(Ended::GivenUp);
                }
            }
            Stop::Overflow | Stop::Unkept(_) => {}
        }
        if self.interrupt.came() { self.stop(Ended::Interrupted) } else { ControlFlow::Continue(()) }
    }

    fn seed_done(&mut self, record: &Record) -> ControlFlow<()> {
        // A record that is played again was stopped before, or it was not.
        if self.asks_model && looks::decided(record) && self.played < self.units {
            return self.stop(Ended::Decided);
        }
        ControlFlow::Continue(())
    }
}
