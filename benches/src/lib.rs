//! Shared code of the benchmarks: guards that saw the start of a run, pairs of texts, trials, and servers with clients.

use std::sync::Arc;

use balk::bench::turns::{Turn, begin};
use balk::engine::TruthChannel;
use balk::grade;
use balk::guards::{Config, Recipe, Registry};
use balk::simulate::Simulation;
use balk_guards::{Offer, Stack};
use balk_scenarios::{Scenario, catalogue};
use mimalloc::MiMalloc;

pub mod load;
pub mod pairs;
pub mod served;

/// The allocator of the program, so that the benchmarks measure what it runs.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Turns that a guard has seen before it is measured.
pub const HISTORIES: [usize; 3] = [10, 1_000, 10_000];

/// A size for people.
#[must_use]
pub fn shown(bytes: usize) -> String {
    if bytes < 1 << 10 { format!("{bytes} B") } else { format!("{} KiB", bytes >> 10) }
}

/// The recipe of a spec, as on the command line.
///
/// # Panics
/// A guard that is not registered.
#[must_use]
pub fn recipe(spec: &str) -> Recipe {
    Recipe::new(&Registry::standard(), spec, &Config::default()).expect("benchmarks name registered guards")
}

/// A stack, as on the command line, that has seen the start of a run.
///
/// # Panics
/// A guard that is not registered.
#[must_use]
pub fn stack(spec: &str, offer: &Arc<Offer>) -> Stack {
    let mut stack = recipe(spec).stack(&TruthChannel::default());
    begin(&mut stack, offer);
    stack
}

/// A scenario of the catalogue, with these values in place of its own.
///
/// # Panics
/// A name or a setting that the catalogue does not have.
#[must_use]
pub fn scenario(name: &str, sets: &[(&str, &str)]) -> Arc<Scenario> {
    let sets: Vec<(String, String)> =
        sets.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    let listed = catalogue::find(name).expect("benchmarks name scenarios of the catalogue");
    listed.read(&sets).expect("benchmarks set what the scenario has")
}

/// A model that repeats itself until this many turns have passed.
#[must_use]
pub fn endless(turns: usize) -> Arc<Scenario> {
    let turns = turns.to_string();
    scenario(
        "repeating",
        &[
            ("limits.turns", &turns),
            ("limits.calls", &turns),
            ("actor.parameters.leaves_second", "0/1"),
            ("actor.parameters.leaves_third", "0/1"),
            ("actor.parameters.leaves_later", "0/1"),
        ],
    )
}

/// How many of these turns the stack passes. Not inlined: instructions are counted by this name.
#[inline(never)]
#[must_use]
pub fn played(stack: &mut Stack, turns: &[Turn]) -> usize {
    turns.iter().filter(|turn| turn.play(stack)).count()
}

/// Hashes the bytes of every turn once, for comparison with [`played`]. Not inlined: instructions are counted by this
/// name.
#[inline(never)]
#[must_use]
pub fn hashed(turns: &[Turn]) -> u64 {
    turns.iter().fold(0, |all, turn| all ^ turn.anchor())
}

/// The turns of one judged trial of each seed. Not inlined: instructions are counted by this name.
#[inline(never)]
#[must_use]
pub fn graded(simulation: &Simulation<'_>, seeds: std::ops::Range<u64>) -> u64 {
    seeds.map(|seed| u64::from(grade::grade(&simulation.trial(&simulation.world(seed))).turns)).sum()
}

#[cfg(test)]
mod tests {
    use balk::bench::turns::{offer, turns};
    use balk_guards::similarity::{Nearness, Profile, Ratio};
    use balk_reports::records::Work;
    use balk_scenarios::WorldOptions;

    use super::*;

    #[test]
    fn pairs_are_on_the_side_of_the_threshold_that_they_name() {
        for alphabet in pairs::ALPHABETS {
            for relation in pairs::RELATIONS {
                let [left, right] = pairs::pair(relation, alphabet, 2 << 10).map(Profile::new);
                let near = ["one edit", "scattered edits", "just near"].contains(&relation);
                let expected = if near { Nearness::Near } else { Nearness::Apart };
                assert_eq!(left.nearness(&right, Ratio::default()), expected, "{alphabet}, {relation}");
            }
        }
    }

    #[test]
    fn a_benchmark_measures_turns_that_pass() {
        let offer = offer();
        let turns = turns(Work::Written, 100, &offer);
        let mut stack = stack("default", &offer);
        assert!((0..300).all(|nth| turns[nth % 128].play(&mut stack)));
    }

    #[test]
    fn the_endless_trial_ends_at_its_limit() {
        assert_eq!(
            graded(&Simulation::new(&endless(200), &Recipe::none(), WorldOptions::default()), 0..3),
            3 * 200
        );
    }
}
