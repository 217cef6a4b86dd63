//! The speed of trials: `trials GUARD SEEDS [SCENARIO…]`, with the whole catalogue if no scenario is named.
//!
//! Prints for each scenario its turns and the nanoseconds per turn, the slowest last, and the median scenario. A
//! trial counts whole: drawing the world, playing the turns, judging the end. The fastest of several rounds over all
//! scenarios counts, because other load can only slow a round down. `.ci/instructions` counts its instructions, which
//! do not depend on other load.

use std::hint::black_box;
use std::time::Instant;

use balk::simulate::Simulation;
use balk_benches::{graded, recipe, scenario};
use balk_scenarios::WorldOptions;
use balk_scenarios::catalogue::CATALOGUE;

const ROUNDS: u32 = 5;

struct Measured {
    name: String,
    turns: u64,
    nanoseconds: u128,
}

impl Measured {
    fn per_turn(&self) -> u128 {
        self.nanoseconds / u128::from(self.turns.max(1))
    }
}

#[expect(clippy::print_stdout, reason = "the figures are what it is run for")]
fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [guard, seeds, names @ ..] = &arguments[..] else {
        return Err("usage: trials GUARD SEEDS [SCENARIO…]".into());
    };
    let seeds = seeds.parse().map_err(|error| format!("`{seeds}` is no number of seeds: {error}"))?;
    let all = || CATALOGUE.iter().map(|it| it.name.to_owned());
    let names: Vec<String> = if names.is_empty() { all().collect() } else { names.to_vec() };
    let scenarios: Vec<_> = names.iter().map(|name| scenario(name, &[])).collect();
    let stack = recipe(guard);
    let simulations: Vec<_> =
        scenarios.iter().map(|it| Simulation::new(it, &stack, WorldOptions::default())).collect();
    // A single named scenario runs once, for a tool that counts instructions.
    let rounds = if let [_] = &names[..] { 1 } else { ROUNDS };
    let mut measured: Vec<_> =
        names.into_iter().map(|name| Measured { name, turns: 0, nanoseconds: u128::MAX }).collect();
    for _ in 0..rounds {
        for (simulation, measured) in simulations.iter().zip(&mut measured) {
            #[expect(clippy::disallowed_methods, reason = "time is what is measured here")]
            let start = Instant::now();
            measured.turns = black_box(graded(simulation, 0..seeds));
            measured.nanoseconds = measured.nanoseconds.min(start.elapsed().as_nanos());
        }
    }
    measured.sort_by_key(Measured::per_turn);
    for it in &measured {
        println!("{:32} {:8} turns {:8} ns a turn", it.name, it.turns, it.per_turn());
    }
    let median = &measured[measured.len() / 2];
    let per_second = u128::from(median.turns) * 1_000_000_000 / median.nanoseconds.max(1);
    println!("median: {}, {} ns a turn, {per_second} turns a second", median.name, median.per_turn());
    Ok(())
}
