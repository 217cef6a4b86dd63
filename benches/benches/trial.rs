//! Whole trials: the world is drawn, the turns are played, the end is judged. An element is a turn. For comparison:
//! writing the records of the same trials. A turn of a long trial costs the same as one of a short trial.

use std::hint::black_box;

use balk::guards::Recipe;
use balk::simulate::Simulation;
use balk_benches::{endless, graded, recipe, scenario};
use balk_scenarios::WorldOptions;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const SEEDS: std::ops::Range<u64> = 0..100;

fn abandonment(c: &mut Criterion) {
    let scenario = scenario("abandonment", &[]);
    let mut group = c.benchmark_group("trial/abandonment");
    let stacks = ["none", "default"].map(recipe);
    for stack in &stacks {
        let simulation = Simulation::new(&scenario, stack, WorldOptions::default());
        group.throughput(Throughput::Elements(graded(&simulation, SEEDS)));
        group.bench_function(stack.spec(), |b| b.iter(|| graded(&simulation, SEEDS)));
    }
    let default = Simulation::new(&scenario, &stacks[1], WorldOptions::default());
    let records: Vec<_> = SEEDS.map(|seed| default.record(seed, &[])).collect();
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
    let none = Recipe::none();
    for limit in [100, 1_000] {
        let scenario = endless(limit);
        let seeds = 0..10;
        let simulation = Simulation::new(&scenario, &none, WorldOptions::default());
        group.throughput(Throughput::Elements(graded(&simulation, seeds.clone())));
        group.bench_function(format!("{limit} turns"), |b| b.iter(|| graded(&simulation, seeds.clone())));
    }
}

criterion_group!(benches, abandonment, length);
criterion_main!(benches);
