//! `balk bench`: every stack on every scenario under every seed.

mod ending;
mod shard;
mod sweep;

use std::ops::{ControlFlow, RangeInclusive};
use std::path::PathBuf;

use balk_reports::records::{Bench as Record, Plan, Unlike};
use balk_scenarios::Pools;
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;

use super::context::Context;
use super::gates::{Gates, HELP as GATES_HELP, Records};
use super::interrupt::Interrupt;
use super::load::{self, Failure};
use super::progress;
use super::say::say;
use super::set_from::SetFrom;
use super::suite;
use super::threads::threads;
use crate::bench::{self, Asked, Folder, Follow, Keep, Matrix, Played, Setting, Stopwatch};
use crate::error::Error;
use crate::exit::Exit;
use crate::guards::Recipe;
use crate::program;

pub(super) use ending::Ending;
use shard::{Shard, shard};
use sweep::Sweep;

/// Arguments of `balk bench`.
#[derive(Args, Clone, Debug)]
#[command(after_help = format!("{AFTER_HELP}\n\n{GATES_HELP}"))]
pub struct Bench {
    /// The scenarios: all, stubborn, control (of the catalogue), field (pairs from reports of the field), drawn (a cell
    /// for each slip and each plan of drawn worlds), or names and files separated by commas
    #[arg(long, default_value = "all")]
    suite: String,

    /// A stack to measure; may be given again. The baseline `none` is always measured [default: `default`, `oracle`,
    /// `ceiling` and every peer in `balk list --guards`]
    #[arg(long, value_name = "SET")]
    guard: Vec<String>,

    /// Seeds of each scenario, both ends included
    #[arg(long, value_name = "A-B", allow_hyphen_values = true, value_parser = load::seeds, default_value = "0-99")]
    seeds: RangeInclusive<u64>,

    /// The first N seeds, from 0
    #[arg(long, value_name = "N", conflicts_with = "seeds", value_parser = load::trials())]
    trials: Option<u64>,

    /// Replace a value in every scenario, named by its dotted path; may be given again
    #[arg(long, value_name = "KEY=VALUE", value_parser = load::set)]
    set: Vec<(String, String)>,

    #[command(flatten)]
    set_from: SetFrom,

    /// Vary a number in every scenario, from A to B. Each step is a scenario of its own, as in
    /// actor.stubbornness=0..1:1/8
    #[arg(long, value_name = "KEY=A..B:STEP", value_parser = Sweep::parse)]
    sweep: Option<Sweep>,

    /// A TOML file with settings of guards, a table for each [default: balk.toml in this folder or the nearest one
    /// above it]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Draw texts and names from the reserve pools, on which nothing was tuned
    #[arg(long)]
    reserve: bool,

    /// Threads; 0 takes one for each core. The record is the same for any number
    #[arg(long, default_value_t = 0, value_name = "N")]
    jobs: u16,

    /// Only the m-th of n equal parts of the seeds; `balk merge` puts the parts together
    #[arg(long, value_name = "m/n", value_parser = shard)]
    shard: Option<Shard>,

    /// The folder for the record. It must be empty, or have a record to go on with (--resume)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Go on with the record in the folder of --out, after the bench was interrupted
    #[arg(long, requires = "out")]
    resume: bool,

    /// Go on with the record of another build of Balk; the record then says that several builds made it
    #[arg(long, requires = "resume")]
    any_build: bool,

    /// Transcripts to keep beside the record, packed with zstd
    #[arg(long, value_enum, default_value_t = KeepTranscripts::None, requires = "out")]
    keep_transcripts: KeepTranscripts,

    #[command(flatten)]
    gates: Gates,
}

const AFTER_HELP: &str = "\
The unit is one seed of one scenario under all stacks, so every comparison is paired. If a stack intervened, its trial
is run again in flat mode and with drawn parameters of the response model.

DIR/bench.jsonl has the plan, a cell of integer counts for each scenario and stack, and the seeds that are done. Its
bytes do not depend on the number of threads, on interruptions, or on the parts that it was merged from.
DIR/transcripts/SCENARIO/0-63.jsonl.zst has the kept transcripts of these seeds, one record per line; `balk
replay` reads it. DIR/meta.json has the command, the machine and wall-clock figures. A release build also measures, when
all trials are done, what a turn costs under each stack, beside one pass of xxh3 over the same bytes.

Failures under a stack are what a bench measures, so the exit code is 0 unless a gate fails. After Ctrl-C it is 130: the
bench writes what is done and shows the command to continue. A second Ctrl-C ends the program at once.";

/// Which transcripts are kept.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum KeepTranscripts {
    /// None
    None,
    /// Those of failures: a false intervention, an end that the user was not told of, an effect that happened twice, a
    /// guard that broke
    Failing,
    /// All
    All,
}

/// What to do about plans that differ: this, unless different builds made them, or guards of other files.
pub(super) fn unless_of_builds(unlike: &Unlike, hint: &str) -> String {
    if let Some(file) = &unlike.file {
        return format!(
            "the command of a guard names {file}, which was changed: measure all of it again, or restore it"
        );
    }
    match &*unlike.place {
        "build" => {
            "another build of Balk made it: go on with that one, measure all of it with this one, or take both with \
             --any-build"
        }
        "transcripts" => "transcripts are kept of all parts or of none: give the same --keep-transcripts",
        _ => hint,
    }
    .to_owned()
}

/// Units between two writes of the record.
const UNITS_BETWEEN_WRITES: u64 = 512;

impl Bench {
    /// Runs the command.
    ///
    /// # Errors
    /// An invalid command line, a folder with other contents, a record of another plan, a full disk. An invalid
    /// scenario is shown, and returns its exit code.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        let matrix = match self.matrix(context) {
            Ok(matrix) => matrix,
            Err(failure) => return failure.or_exit(),
        };
        let seeds = matrix.plan().seeds;
        let too_large = |(expected, found): (String, String)| Error::usage("matrix", &expected, found);
        matrix.plan().check_size().map_err(too_large)?;
        self.gates.fit(matrix.plan(), Records::One)?;
        let keep = self.keep(matrix.plan())?;
        let matrix = matrix.keeping(keep.planned());
        let pool = threads(self.jobs.into())?;
        let interrupt = Interrupt::catch();
        let (folder, mut record) = self.folder(&matrix)?;
        let part = match self.shard {
            Some(shard) => shard.seeds(seeds),
            None => Some(seeds),
        };
        self.announce(&matrix, part);
        // A part without seeds adds no finished units to its record, which can be merged like any other.
        let Some(part) = part else { return Ok(self.ending().end(&record)?) };
        let bar = bar(&record, part);
        let mut follower = Follower { folder, bar, interrupt, played: 0, unwritten: 0 };
        let watch = Stopwatch::start();
        pool.install(|| bench::run(&matrix, &mut record, part, keep, &mut follower))?;
        let taken_ns = watch.nanoseconds();
        follower.bar.finish_and_clear();
        if let Some(folder) = &follower.folder {
            folder.write(&record)?;
        }
        let left = missing(&record, part);
        if left > 0 {
            let all = units(&record, part);
            return Ok(self.ending().interrupted(all - left, all));
        }
        if let Some(folder) = &follower.folder {
            // If everything was done before, keep the description of the earlier run.
            if follower.played > 0 {
                let threads = pool.current_num_threads();
                let timed = bench::timed(&matrix);
                folder.write_meta(&bench::meta(threads, follower.played, taken_ns, timed, Vec::new()))?;
            }
        }
        Ok(self.ending().end(&record)?)
    }

    /// Everything that is measured.
    fn matrix(&self, context: &Context) -> Result<Matrix, Failure> {
        load::check_once(&self.set)?;
        if let Some(key) =
            self.sweep.as_ref().map(Sweep::key).filter(|key| self.set.iter().any(|it| it.0 == *key))
        {
            let expected = "a value that no --set has";
            return Err(Error::usage("--sweep", expected, format!("`{key}`")).into());
        }
        let asked = self.asked()?;
        let measured = self.set_from.read()?;
        let seeds = match self.trials {
            Some(trials) => [0, trials - 1],
            None => [*self.seeds.start(), *self.seeds.end()],
        };
        let config = context.config(self.config.as_deref())?;
        let stacks = if self.guard.is_empty() { context.registry.benched() } else { self.guard.clone() };
        let setting = Setting {
            suite: &self.suite,
            sweep: self.sweep.as_ref().map(Sweep::text),
            stacks: Recipe::all(&context.registry, &stacks, &config).map_err(Error::from)?,
            config: &config,
            pools: self.pools(),
            seeds,
            set: &self.set,
        };
        let matrix = Matrix::new(asked, setting);
        Ok(match (self.set_from.file_name(), &measured) {
            (Some(file), Some(measured)) => matrix.reacting(file, measured),
            (Some(_) | None, _) => matrix,
        })
    }

    /// Which transcripts are kept. Each scenario needs a folder of its own for them.
    fn keep(&self, plan: &Plan) -> Result<Keep, Error> {
        let keep = match self.keep_transcripts {
            KeepTranscripts::None => return Ok(Keep::Nothing),
            KeepTranscripts::Failing => Keep::Failing,
            KeepTranscripts::All => Keep::Everything,
        };
        match Folder::shared(plan) {
            Some([one, other]) => {
                let found = format!("`{one}` and `{other}`");
                Err(Error::usage("--keep-transcripts", "scenarios with folders of different names", found)
                    .hint("measure them in two benches, or rename the scenario that is in a file"))
            }
            None => Ok(keep),
        }
    }

    fn pools(&self) -> Pools {
        if self.reserve { Pools::Reserve } else { Pools::Open }
    }

    fn ending(&self) -> Ending<'_> {
        Ending {
            gates: &self.gates,
            out: self.out.as_deref(),
            is_part: self.shard.is_some(),
            resumes: self.resume,
        }
    }

    /// The scenarios of the suite, each with every value of the sweep.
    fn asked(&self) -> Result<Vec<Asked>, Failure> {
        let sweep = self.sweep.as_ref().map_or(vec![Vec::new()], Sweep::sets);
        suite::asked(&self.suite, self.pools(), &self.set, &sweep)
    }

    /// The folder of the record, and the record so far.
    fn folder(&self, matrix: &Matrix) -> Result<(Option<Folder>, Record), Error> {
        let new = || Record::new(matrix.plan().clone());
        let Some(path) = &self.out else { return Ok((None, new())) };
        if self.resume && !path.exists() {
            let found = format!("no folder {}", path.display());
            return Err(Error::usage("--resume", "the folder of a bench that was started", found)
                .hint("leave --resume out to start a new bench in this folder"));
        }
        // A run that was killed before its first write leaves an empty folder.
        if !self.resume || !path.join(bench::RECORD).exists() {
            let (folder, record) = (Folder::create(path)?, new());
            folder.write(&record)?;
            return Ok((Some(folder), record));
        }
        let (folder, mut record) = Folder::resume(path)?;
        folder.check_transcripts(&record)?;
        let mut plan = matrix.plan().clone();
        if self.any_build {
            let (said, keeps) = (record.plan.transcripts, plan.transcripts);
            record.plan.allow_build_of(&mut plan);
            // What the record did not say is allowed. What this command does not keep is no matter of builds.
            if keeps.is_none() {
                record.plan.transcripts = said;
            }
        }
        record.plan.same(&plan).map_err(|unlike| {
            let command = format!("its command was: {}", program::own(&record.plan.command()));
            let hint = unless_of_builds(&unlike, &command);
            Error::file(
                &path.join(bench::RECORD),
                &format!("the same plan as on the command line, with {} {}", unlike.place, unlike.second),
                unlike.first,
            )
            .hint(&hint)
        })?;
        Ok((Some(folder), record))
    }

    /// Prints what will run.
    fn announce(&self, matrix: &Matrix, part: Option<[u64; 2]>) {
        let plan = matrix.plan();
        let seeds = match part {
            Some([from, to]) => format!("seeds {from}-{to}"),
            None => "no seeds in this part".to_owned(),
        };
        let of = match self.shard {
            Some(Shard { nth, of }) => {
                format!(" (part {nth} of {of} of {}-{})", plan.seeds[0], plan.seeds[1])
            }
            None => String::new(),
        };
        let stacks: Vec<&str> = plan.stacks.iter().map(|it| &*it.guard).collect();
        say(format_args!(
            "scenarios: {}, {seeds}{of}\nstacks: {} ({})",
            plan.scenarios.len(),
            stacks.len(),
            stacks.join(" ")
        ));
        if let Some(it) = &plan.reactions {
            say(format_args!("reactions: {} ({})", it.name, it.file));
        }
        if let Some(files) = matrix.files() {
            say(format_args!("files that may not change: {files}"));
        }
    }
}

/// The number of units of a part that are missing.
fn missing(record: &Record, [from, to]: [u64; 2]) -> u64 {
    record.done.iter().map(|done| done.missing(from, to).count() as u64).sum()
}

/// The number of all units of a part.
fn units(record: &Record, [from, to]: [u64; 2]) -> u64 {
    record.done.len() as u64 * (to - from + 1)
}

/// A progress bar over the units that this process must play.
fn bar(record: &Record, part: [u64; 2]) -> ProgressBar {
    let left = missing(record, part);
    let bar = progress::counted(left, "units");
    match units(record, part) - left {
        0 => bar,
        before => bar.with_message(format!(" ({before} were done before)")),
    }
}

struct Follower {
    folder: Option<Folder>,
    bar: ProgressBar,
    interrupt: Interrupt,
    /// Units played in this run.
    played: u64,
    /// Units since the last write of the record.
    unwritten: u64,
}

impl Follow for Follower {
    fn block(&mut self, record: &Record, played: Played<'_>) -> Result<ControlFlow<()>, Error> {
        self.bar.inc(played.units);
        self.played += played.units;
        self.unwritten += played.units;
        if let Some(folder) = &self.folder {
            folder.keep(played.scenario, played.kept)?;
            if self.unwritten >= UNITS_BETWEEN_WRITES {
                self.unwritten = 0;
                folder.write(record)?;
            }
        }
        Ok(if self.interrupt.came() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

#[cfg(test)]
mod tests;
