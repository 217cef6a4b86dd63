//! `balk validity`: how well the simulation predicts recordings, and live runs.

mod live;

use std::io::{Cursor, Read, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use balk_guards::{Entry, Origin};
use balk_reports::report::document::terminal;
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use rayon::ThreadPool;

use super::context::Context;
use super::format::Format;
use super::load::{self, Named};
use super::recordings::{self, Recordings, Sought};
use super::say::say;
use super::threads::threads;
use super::{progress, screen};
use crate::error::Error;
use crate::exit::Exit;
use crate::guards::{CEILING, ORACLE, Recipes};
use crate::import::{Format as LogFormat, Outcome, Placed, Setting};
use crate::replay::labels::{self, Point};
use crate::replay::{Broken, Found, Item, Replay, Replayed};
use crate::validity::{self, Comparison, Depths, Seen, Side, Simulated};

use live::{Asked, Live};

/// Arguments of `balk validity`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Validity {
    /// Recorded transcripts, as for `balk replay`
    // `file` is that of --set-from: recordings answer no guard.
    #[arg(required_unless_present = "live", conflicts_with = "file", value_name = "FILE|DIR")]
    inputs: Vec<PathBuf>,

    /// Judged points of these transcripts: a TSV file, as for `balk replay`
    #[arg(long, value_name = "FILE", required_unless_present = "live")]
    labels: Option<PathBuf>,

    /// A stack to compare, as for `balk replay`; may be given several times [default: `default` and every guard outside
    /// of it; with --live the stacks of the record]
    #[arg(long, value_name = "GUARDS")]
    guard: Vec<String>,

    /// The simulated runs: `drawn`, `drawn/NAME`, a scenario's name or its file
    #[arg(long, default_value = "drawn", value_name = "SUITE")]
    suite: String,

    /// Seeds of the simulated runs, both ends included
    #[arg(long, value_name = "A-B", allow_hyphen_values = true, value_parser = load::seeds, default_value = "0-1999")]
    seeds: RangeInclusive<u64>,

    /// Use the points of one half of the trajectories, or one half of the worlds: what is fitted on one half is
    /// reported on the other
    #[arg(long, value_enum, default_value_t = Half::All)]
    half: Half,

    #[command(flatten)]
    recordings: Recordings,

    #[command(flatten)]
    live: Live,

    /// A TOML file with settings of guards, a table for each [default: balk.toml in this folder or the nearest one
    /// above it]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Text for people, or one JSON object for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The part of the trajectories, or of the worlds, that is used.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Half {
    /// All of them
    All,
    /// About half of them
    Even,
    /// The others
    Odd,
}

const AFTER_HELP: &str = "\
The simulated runs are written down like recordings and replayed by the same code. Detection is the share of the weight
of stuck points that a stack hits, as in `balk replay`: it fires at the point, or at most three messages of the
assistant before it. A simulated run has one such point, as far behind its onset and before the end as a recorded point
of its kind. Each kind counts as much as it weighs among the recorded points; weights are capped at 20.

With --live, a scripted actor plays the worlds of the record under its stacks, with the reactions that are assumed and
with fitted ones: those of --set-from, else of the record (`balk live --react`). A stubborn actor always gets stuck, so
recovery is compared given that a run got stuck; where no stubborn actor is, only disturbance is.

Exit codes: 0 fine; 2 usage; 3 if recordings, labels or a record cannot be used.";

impl Validity {
    /// Runs the command.
    ///
    /// # Errors
    /// An invalid command line, recordings, labels or a record that cannot be used, an output that cannot be written.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        match (self.live.folder(), &self.labels) {
            (Some(folder), _) => self.live.run(context, folder, &self.asked()),
            (None, Some(labels)) => self.recorded(context, labels),
            (None, None) => unreachable!("one of them is required"),
        }
    }

    /// Compares simulated with recorded detection.
    fn recorded(&self, context: &Context, labels: &Path) -> Result<Exit, Error> {
        let config = context.config(self.config.as_deref())?;
        let recipes = Recipes::new(&context.registry, &config);
        let stacks = if self.guard.is_empty() { stacks(context) } else { self.guard.clone() };
        for stack in &stacks {
            recipes.allow(stack)?;
        }
        let worlds = match Named::one(&self.suite)?.read(&[]) {
            Ok(worlds) => worlds,
            Err(failure) => return failure.or_exit(),
        };
        let setting = self.recordings.setting()?;
        let points = self.points(labels)?;
        let files = self.files()?;
        let pool = threads(0)?;
        let from = self.recordings.from.from;
        let asking = Asking { recipes: &recipes, from, setting: &setting, pool: &pool };

        let bar = progress::counted(2 * stacks.len() as u64, "replays");
        let recorded = Recorded::read(&asking, &stacks, &files, &points, &bar)?;
        if recorded.sides.iter().all(|side| side.judged.is_of_others()) {
            return Err(recordings::not_of_these(labels));
        }
        let seen = Seen { depths: &recorded.depths, unflagged: recorded.unflagged };
        let simulated = Simulated::play(&worlds, self.seeds.clone(), seen);
        let mut rows = Vec::new();
        for (stack, recorded) in stacks.into_iter().zip(recorded.sides) {
            let mut side = Side::new(simulated.points.clone());
            let name = Path::new("simulated runs");
            asking.replay(&stack, Cursor::new(&simulated.stuck), name, &mut |it| {
                add(&mut side, it, |_| false)
            })?;
            asking.replay(&stack, Cursor::new(&simulated.healthy), name, &mut |it| {
                add(&mut side, it, |_| true)
            })?;
            rows.push((stack, side, recorded));
            bar.inc(1);
        }
        bar.finish_and_clear();

        let compared = Comparison::new(rows, &simulated.skeletons);
        let mut out = self.format.output();
        match self.format {
            Format::Text => {
                write!(out, "{}", terminal(&validity::text::validity(&compared), screen::output()))?
            }
            Format::Json => writeln!(out, "{}", validity::text::json(&compared))?,
        }
        Ok(Exit::Fine)
    }

    /// What is asked of a live record.
    fn asked(&self) -> Asked<'_> {
        Asked {
            guards: &self.guard,
            seeds: &self.seeds,
            half: self.half(),
            config: self.config.as_deref(),
            format: self.format,
        }
    }

    /// The judged points of the half that was asked for.
    fn points(&self, labels: &Path) -> Result<Vec<Point>, Error> {
        let half = self.half();
        let points = labels::read(labels)?;
        Ok(points.into_iter().filter(|it| half.has(&it.trajectory)).collect())
    }

    fn half(&self) -> validity::Half {
        match self.half {
            Half::All => validity::Half::All,
            Half::Even => validity::Half::Even,
            Half::Odd => validity::Half::Odd,
        }
    }

    fn files(&self) -> Result<Vec<Sought>, Error> {
        let mut files = Vec::new();
        for input in &self.inputs {
            files.extend(recordings::expand(input)?);
        }
        Ok(files)
    }
}

/// The default stack and every guard outside of it that is not told the truth.
fn stacks(context: &Context) -> Vec<String> {
    context.registry.benched().into_iter().filter(|it| ![ORACLE, CEILING].contains(&&**it)).collect()
}

/// What recordings show.
#[derive(Default)]
struct Recorded {
    /// By stack.
    sides: Vec<Side>,
    depths: Depths,
    /// Results without a status, and all results.
    unflagged: [u64; 2],
    transcripts: u64,
    /// Lines that cannot be used.
    bad: u64,
}

impl Recorded {
    /// Asks every stack about these files.
    fn read(
        asking: &Asking<'_>,
        stacks: &[String],
        files: &[Sought],
        points: &[Point],
        bar: &ProgressBar,
    ) -> Result<Self, Error> {
        let mut recorded = Self { depths: Depths::new(points), ..Self::default() };
        for (at, stack) in stacks.iter().enumerate() {
            let mut side = Side::new(points.to_vec());
            for Sought { path: file, .. } in files {
                let input = recordings::open(file).map_err(|error| Error::unreadable(file, &error))?;
                asking.replay(stack, input, file, &mut |item| {
                    if at == 0 {
                        recorded.see(item);
                    }
                    add(&mut side, item, |it| it.outcome == Outcome::Resolved);
                })?;
            }
            if at == 0 && recorded.bad > 0 {
                let bad = recorded.bad;
                bar.suspend(|| {
                    say(format_args!("left out (lines that cannot be used; `balk import` says why): {bad}"));
                });
            }
            if recorded.transcripts == 0 {
                return Err(recordings::nothing());
            }
            recorded.sides.push(side);
            bar.inc(1);
        }
        Ok(recorded)
    }

    /// What does not depend on the stack.
    fn see(&mut self, item: &Item) {
        match &item.found {
            Ok(Found::Foreign(it)) => {
                self.transcripts += 1;
                self.depths.add(it);
                self.unflagged[0] += it.oddities.unknown_status;
                self.unflagged[1] += results(it);
            }
            Ok(Found::Own(_)) => {}
            Err(_) => self.bad += 1,
        }
    }
}

/// The results that the recording has. A call without one got an entry all the same, and a late one got none.
fn results(replayed: &Replayed) -> u64 {
    let is_recorded = |it: &&Placed| matches!(&it.entry, Entry::Result(it) if it.origin != Origin::Missing);
    replayed.entries.iter().filter(is_recorded).count() as u64 + replayed.oddities.late_results
}

/// Adds a transcript of another agent. `is_untroubled` is whether its firings count as disturbance.
fn add(side: &mut Side, item: &Item, is_untroubled: impl FnOnce(&Replayed) -> bool) {
    match &item.found {
        Ok(Found::Foreign(it)) => side.add(it, is_untroubled(it)),
        Ok(Found::Own(_)) | Err(_) => {}
    }
}

/// How stacks are asked about transcripts.
struct Asking<'a> {
    recipes: &'a Recipes<'a>,
    from: Option<LogFormat>,
    setting: &'a Setting,
    pool: &'a ThreadPool,
}

impl Asking<'_> {
    /// Asks one stack about every transcript in the input.
    fn replay(
        &self,
        stack: &str,
        input: impl Read,
        name: &Path,
        take: &mut dyn FnMut(&Item),
    ) -> Result<(), Error> {
        let replay = Replay {
            from: self.from,
            setting: self.setting,
            guard: Some(stack),
            stack: &|spec, channel| self.recipes.stack(spec, channel),
            pool: self.pool,
        };
        let ended = replay.file(input, &mut |items| {
            items.iter().for_each(&mut *take);
            Ok(())
        });
        ended.map_err(|broken| match broken {
            Broken::Taken(error) => error.into(),
            Broken::Read { after_line, error } => Error {
                place: format!("after line {after_line}").into(),
                ..Error::file(name, "a file that can be read to its end", error)
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use balk_guards::{Completion, FinishReason, Offer, RawCall, Status, ToolResult, Usage};

    use super::*;
    use crate::import::Oddities;
    use crate::replay::Folded;

    /// Four calls, of which one has no result and one a late one; two of the three results have no status.
    #[test]
    fn calls_without_a_result_are_no_results_with_a_status() {
        let raw = |id: &str| RawCall { id: id.into(), tool: "bash".into(), arguments: "{}".into() };
        let calls = ["a", "b", "c", "d"].map(raw);
        let said = Completion::new([], calls, FinishReason::Stop, Usage::default(), &Offer::default());
        let result = |at: usize, status, origin| {
            let result = ToolResult::executed(&said.calls[at], status, "x");
            Placed { message: 1, entry: Entry::Result(ToolResult { origin, ..result }) }
        };
        let entries = vec![
            result(0, Status::Ok, Origin::Executed),
            result(1, Status::Unknown, Origin::Executed),
            result(2, Status::Unknown, Origin::Missing),
            result(3, Status::Unknown, Origin::Missing),
        ];
        let replayed = Replayed {
            id: Arc::from("a"),
            model: "".into(),
            outcome: Outcome::Unknown,
            replies: vec![0],
            oddities: Oddities {
                unknown_status: 2,
                late_results: 1,
                missing_results: 2,
                ..Oddities::default()
            },
            times: Vec::new(),
            entries,
            folded: Folded { turns: 1, calls: 4, ..Folded::default() },
            blind: false,
        };
        let mut recorded = Recorded::default();
        recorded.see(&Item { line: 1, found: Ok(Found::Foreign(replayed)) });
        assert_eq!(recorded.unflagged, [2, 3]);
    }
}
