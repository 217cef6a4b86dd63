//! Whole trials: the world is drawn, the turns are played, the end is judged. An element is a turn. Beside
//! them: writing the records of the same trials. A turn of a long trial costs what one of a short trial does.

use std::hint::black_box;

use balk::config::Config;
use balk::{grade, simulate::Simulation};
use balk_benches::{endless, scenario, trials};
use balk_scenarios::{Pools, Scenario};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const SEEDS: std::ops::Range<u64> = 0..100;

fn abandonment(c: &mut Criterion) {
    let scenario = scenario("abandonment", &[]);
    let mut group = c.benchmark_group("trial/abandonment");
    for guard in ["none", "default"] {
        group.throughput(Throughput::Elements(turns(&scenario, guard, SEEDS)));
        let simulation = simulation(&scenario, guard);
        group.bench_function(guard, |b| b.iter(|| graded(&simulation, SEEDS)));
    }
    let records: Vec<_> = SEEDS.map(|seed| simulation(&scenario, "default").record(seed, &[])).collect();
    group.bench_function("anchor: serde_json writes the records of default", |b| {
        let mut out = Vec::new();
        b.iter(|| {
            out.clear();
            for record in black_box(&records) {
                serde_json::to_writer(&mut out, record).expect("a record is plain data");
            }
            out.len()
        });
    });
}

fn length(c: &mut Criterion) {
    let mut group = c.benchmark_group("trial/repeating without guards");
    for limit in [100, 1_000] {
        let scenario = endless(limit);
        let seeds = 0..10;
        group.throughput(Throughput::Elements(turns(&scenario, "none", seeds.clone())));
        let simulation = simulation(&scenario, "none");
        group.bench_function(format!("{limit} turns"), |b| b.iter(|| graded(&simulation, seeds.clone())));
    }
}

fn graded(simulation: &Simulation<'_>, seeds: std::ops::Range<u64>) -> u32 {
    seeds.map(|seed| grade::grade(&simulation.trial(&simulation.world(seed))).turns).sum()
}

fn simulation<'a>(scenario: &'a Scenario, guard: &'a str) -> Simulation<'a> {
    Simulation::new(scenario, guard, &Config::default(), Pools::Open)
        .expect("benchmarks name registered guards")
}

fn turns(scenario: &Scenario, guard: &str, seeds: std::ops::Range<u64>) -> u64 {
    trials(scenario, guard, seeds).iter().map(|trial| u64::try_from(trial.turns.len()).unwrap_or(0)).sum()
}

criterion_group!(benches, abandonment, length);
criterion_main!(benches);
