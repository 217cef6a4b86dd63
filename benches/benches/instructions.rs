//! Instruction counts, which do not depend on how busy the machine is: of turns under each stack, with a history of
//! 1,000 turns, beside one pass of xxh3 over the same bytes; and of whole trials. `.ci/instructions` runs this; it
//! builds the two counted examples and divides by their turns.

#![expect(missing_docs, reason = "the macros write items without")]

use std::path::PathBuf;

use balk::bench::turns::{ANCHOR, SIZES};
use balk::guards::{DEFAULT, NONE, Registry};
use balk_reports::records::Work;
use balk_scenarios::catalogue::CATALOGUE;
use gungraun::{
    Bench, BinaryBenchmark, BinaryBenchmarkConfig, BinaryBenchmarkGroup, Callgrind, Command, EntryPoint,
    binary_benchmark_group, main,
};

/// Turns that a stack has seen before it is measured.
const HISTORY: &str = "1000";
/// Seeds of a scenario.
const SEEDS: &str = "25";

/// A turn under each stack that a bench measures, and under each guard of the default one alone.
fn turns_of_stacks(group: &mut BinaryBenchmarkGroup) {
    let registry = Registry::standard();
    let alone = registry.default_guards().map(|it| it.name().to_owned());
    let mut stacks: Vec<String> = std::iter::once(NONE.to_owned()).chain(alone).collect();
    stacks.extend(registry.benched());
    for (names, counted) in
        [(stacks, "balk_benches::played"), (vec![ANCHOR.to_owned()], "balk_benches::hashed")]
    {
        let mut benchmark = counting(counted, counted.rsplit(':').next().expect("one at least"));
        for guard in names {
            for what in Work::ALL.map(Work::name) {
                for bytes in SIZES.map(|bytes| bytes.to_string()) {
                    let id = identifier(&format!("{guard}_{what}_{bytes}"));
                    let mut command = Command::new(example("turns"));
                    command.args([&*guard, what, &bytes, HISTORY]);
                    benchmark.bench(Bench::new(id).command(command));
                }
            }
        }
        group.binary_benchmark(benchmark);
    }
}

/// Whole trials of each scenario: drawing the world and judging count, reading the scenario does not.
fn trials_of_scenarios(group: &mut BinaryBenchmarkGroup) {
    let mut benchmark = counting("balk_benches::graded", "graded");
    for guard in [NONE, DEFAULT] {
        for scenario in CATALOGUE {
            let id = identifier(&format!("{guard}_{}", scenario.name));
            let mut command = Command::new(example("trials"));
            command.args([guard, SEEDS, scenario.name]);
            benchmark.bench(Bench::new(id).command(command));
        }
    }
    group.binary_benchmark(benchmark);
}

/// A benchmark that counts one function and its callees.
fn counting(function: &str, name: &str) -> BinaryBenchmark {
    let mut callgrind = Callgrind::with_args(["--cache-sim=no"]);
    callgrind.entry_point(EntryPoint::Custom(function.to_owned()));
    let mut benchmark = BinaryBenchmark::new(name);
    benchmark.config(BinaryBenchmarkConfig::default().tool(callgrind));
    benchmark
}

/// An example of this crate: its folder is beside that of this program.
fn example(name: &str) -> PathBuf {
    let program = std::env::current_exe().expect("a running program has a path");
    program.ancestors().nth(2).expect("it is in a folder of the target folder").join("examples").join(name)
}

/// A name with only letters, digits and underscores.
fn identifier(name: &str) -> String {
    name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

binary_benchmark_group!(name = turns, benchmarks = |group| turns_of_stacks(group));
binary_benchmark_group!(name = trials, benchmarks = |group| trials_of_scenarios(group));
main!(binary_benchmark_groups = [turns, trials]);
