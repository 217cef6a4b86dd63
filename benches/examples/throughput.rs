//! The speed of a bench on one core, with its cells recorded, and the cost of keeping transcripts: `throughput SEEDS
//! default|all [SCENARIO…]`, with that stack or all stacks that a bench measures, and the whole catalogue if no
//! scenario is named; `drawn` names drawn worlds.
//!
//! A unit is a seed under no guard and under each stack, as the scenario has it and, if the stack intervened, in the
//! two other response models; every turn of these trials counts. Three things are timed in turn, and the fastest of
//! several rounds counts: the bench; the bench with `--keep-transcripts all`, whose difference is shown per kept
//! turn; and serde_json alone on the kept records. The last figures are the bytes of a kept turn, plain and packed.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use balk::bench::{self, Asked, Folder, Follow, Keep, Matrix, Played, Setting, Stopwatch};
use balk::error::Error;
use balk::grade;
use balk::guards::{Config, Recipe, Registry};
use balk::simulate::Simulation;
use balk_benches::scenario;
use balk_reports::records::{Bench, Suite, TrialRecord};
use balk_scenarios::catalogue::{self, CATALOGUE};
use balk_scenarios::drawn::{self, Target};
use balk_scenarios::{Pools, ResponseMode, WorldOptions, Worlds};
use rayon::{ThreadPool, ThreadPoolBuilder};

const ROUNDS: u32 = 5;

/// Sums over the seeds of a scenario, or over scenarios.
struct Measured {
    name: String,
    /// Turns of all trials.
    turns: u64,
    /// Turns of the trials that are kept.
    kept_turns: u64,
    bench_ns: u64,
    keeping_ns: u64,
    writing_ns: u64,
    raw_bytes: u64,
    packed_bytes: u64,
}

impl Measured {
    fn show(&self) -> String {
        let turn = self.bench_ns / self.turns.max(1);
        let kept = |of: u64| of / self.kept_turns.max(1);
        let keeping = self.keeping_ns.saturating_sub(self.bench_ns);
        format!(
            "{:32} {:6} turns {turn:6} ns a turn, {:5} to keep it, {:5} to serialise it ({} %), {:5} bytes, \
             {:4} packed",
            self.name,
            self.turns,
            kept(keeping),
            kept(self.writing_ns),
            keeping * 100 / self.writing_ns.max(1),
            kept(self.raw_bytes),
            kept(self.packed_bytes),
        )
    }
}

struct Keeper(Option<Folder>);

impl Follow for Keeper {
    fn block(&mut self, _: &Bench, played: Played<'_>) -> Result<ControlFlow<()>, Error> {
        self.0.as_ref().map_or(Ok(()), |folder| folder.keep(played.scenario, played.kept))?;
        Ok(ControlFlow::Continue(()))
    }
}

#[expect(clippy::print_stdout, reason = "the figures are what it is run for")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seeds, stacks, names @ ..] = &arguments[..] else {
        return Err("usage: throughput SEEDS default|all [SCENARIO…]".into());
    };
    let seeds: u64 = seeds.parse()?;
    let registry = Registry::standard();
    let stacks = if stacks == "all" { registry.benched() } else { vec![stacks.clone()] };
    let stacks = Recipe::all(&registry, &stacks, &Config::default())?;
    let all = || CATALOGUE.iter().map(|it| it.name.to_owned());
    let names: Vec<String> = if names.is_empty() { all().collect() } else { names.to_vec() };
    let pool = ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut measured: Vec<Measured> =
        names.iter().map(|name| measure(name, seeds, &stacks, &pool)).collect::<Result<_, _>>()?;
    measured.sort_by_key(|it| it.bench_ns / it.turns.max(1));
    for it in &measured {
        println!("{}", it.show());
    }
    let sum = |of: fn(&Measured) -> u64| measured.iter().map(of).sum();
    let all = Measured {
        name: "all".into(),
        turns: sum(|it| it.turns),
        kept_turns: sum(|it| it.kept_turns),
        bench_ns: sum(|it| it.bench_ns),
        keeping_ns: sum(|it| it.keeping_ns),
        writing_ns: sum(|it| it.writing_ns),
        raw_bytes: sum(|it| it.raw_bytes),
        packed_bytes: sum(|it| it.packed_bytes),
    };
    println!("{}", all.show());
    let median = &measured[measured.len() / 2];
    let per_second = u128::from(median.turns) * 1_000_000_000 / u128::from(median.bench_ns.max(1));
    println!("median: {}, {per_second} turns a second and core with cells recorded", median.name);
    Ok(())
}

fn measure(
    name: &str,
    seeds: u64,
    stacks: &[Recipe],
    pool: &ThreadPool,
) -> Result<Measured, Box<dyn std::error::Error>> {
    let target = Target::find(name);
    let suite = if target.is_some() { Suite::Drawn } else { Suite::Written };
    let worlds = target.map_or_else(|| scenario(name, &[]).into(), Worlds::from);
    let (turns, records) = outcome(&worlds, stacks, seeds);
    let text = catalogue::find(name).map_or_else(drawn::text, |it| it.text.to_owned());
    let asked = Asked { target: name.to_owned(), suite, text, set: Vec::new(), worlds };
    let setting = Setting {
        suite: name,
        sweep: None,
        stacks: stacks.to_vec(),
        config: &Config::default(),
        pools: Pools::Open,
        seeds: [0, seeds - 1],
        set: &[],
    };
    let matrix = Matrix::new(vec![asked], setting);
    let kept_turns = records.iter().map(|it| u64::from(it.grade.turns)).sum();
    let mut it = Measured {
        name: name.to_owned(),
        turns,
        kept_turns,
        bench_ns: u64::MAX,
        keeping_ns: u64::MAX,
        writing_ns: u64::MAX,
        raw_bytes: 0,
        packed_bytes: 0,
    };
    let run = |keep, keeper: &mut Keeper| -> Result<u64, Error> {
        let mut record = Bench::new(matrix.plan().clone());
        let watch = Stopwatch::start();
        pool.install(|| bench::run(&matrix, &mut record, [0, seeds - 1], keep, keeper))?;
        Ok(watch.nanoseconds())
    };
    for _ in 0..ROUNDS {
        it.bench_ns = it.bench_ns.min(run(Keep::Nothing, &mut Keeper(None))?);
        let folder = tempfile::tempdir()?;
        let mut keeper = Keeper(Some(Folder::create(folder.path())?));
        it.keeping_ns = it.keeping_ns.min(run(Keep::Everything, &mut keeper)?);
        it.packed_bytes = bytes_below(folder.path())?;
        let mut out = Vec::new();
        let watch = Stopwatch::start();
        for record in &records {
            serde_json::to_writer(&mut out, record)?;
        }
        it.writing_ns = it.writing_ns.min(watch.nanoseconds());
        it.raw_bytes = out.len() as u64;
    }
    Ok(it)
}

/// The turns of all trials of these units, and their kept records.
fn outcome(worlds: &Worlds, stacks: &[Recipe], seeds: u64) -> (u64, Vec<TrialRecord>) {
    let mut turns = 0;
    let mut records = Vec::new();
    for stack in std::iter::once(&Recipe::none()).chain(stacks) {
        for seed in 0..seeds {
            let scenario = worlds.scenario(seed, Pools::Open);
            let simulation = |response| {
                Simulation::new(&scenario, stack, WorldOptions { response, ..WorldOptions::default() })
            };
            let own = simulation(ResponseMode::Features);
            let record = own.record(seed, &[]);
            turns += u64::from(record.grade.turns);
            if record.grade.interventions > 0 {
                for other in [ResponseMode::Flat, ResponseMode::Drawn].map(simulation) {
                    turns += u64::from(grade::grade(&other.trial(&other.world(seed))).turns);
                }
            }
            records.push(record);
        }
    }
    (turns, records)
}

fn bytes_below(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        bytes +=
            if entry.file_type()?.is_dir() { bytes_below(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}
