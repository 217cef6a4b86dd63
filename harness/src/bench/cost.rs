//! The cost of a turn under each stack, in wall-clock time, beside one pass of xxh3 over the same bytes.

use std::hint::black_box;

use balk_reports::records::{Timed, Work};

use super::clock::Stopwatch;
use super::matrix::Matrix;
use super::turns::{SIZES, begin, offer, turns};
use crate::engine::TruthChannel;

/// Turns that a stack has seen before it is measured.
const HISTORY: usize = 1_000;
/// Turns that are measured.
const TURNS: usize = 2_000;

/// Measures every stack of the matrix, one after another on this thread. The times of a debug build say nothing about
/// a guard, so a debug build measures nothing.
#[must_use]
pub fn timed(matrix: &Matrix) -> Vec<Timed> {
    if cfg!(debug_assertions) { Vec::new() } else { measured(matrix, HISTORY, TURNS) }
}

fn measured(matrix: &Matrix, history: usize, count: usize) -> Vec<Timed> {
    let offer = offer();
    let mut timed = Vec::new();
    for bytes in SIZES {
        for what in Work::ALL {
            let turns = turns(what, bytes, &offer);
            for recipe in &matrix.stacks {
                let mut stack = recipe.stack(&TruthChannel::default());
                begin(&mut stack, &offer);
                let mut next = turns.iter().cycle();
                for turn in next.by_ref().take(history) {
                    turn.play(&mut stack);
                }
                // Stack and anchor alternate, so a machine that slows down slows both.
                let (mut of_stack, mut of_anchor): (Vec<u64>, Vec<u64>) = next
                    .take(count)
                    .map(|turn| {
                        let watch = Stopwatch::start();
                        black_box(turn.play(black_box(&mut stack)));
                        let of_stack = watch.nanoseconds();
                        let watch = Stopwatch::start();
                        black_box(black_box(turn).anchor());
                        (of_stack, watch.nanoseconds())
                    })
                    .unzip();
                timed.push(Timed {
                    guard: recipe.spec().to_owned(),
                    what,
                    bytes: bytes as u64,
                    turns: count as u64,
                    p50_ns: quantile(&mut of_stack, 50),
                    p99_ns: quantile(&mut of_stack, 99),
                    anchor_p50_ns: quantile(&mut of_anchor, 50),
                });
            }
        }
    }
    timed
}

/// The smallest value that at least `percent` % of the values do not exceed.
fn quantile(of: &mut [u64], percent: usize) -> u64 {
    of.sort_unstable();
    of[(of.len() * percent).div_ceil(100) - 1]
}

#[cfg(test)]
mod tests {
    use balk_scenarios::Pools;

    use super::super::matrix::Setting;
    use super::*;
    use crate::guards::{Config, Recipe, Registry};

    #[test]
    fn every_stack_is_measured_at_every_size() {
        let config = Config::default();
        let stacks = ["default".to_owned()];
        let stacks = Recipe::all(&Registry::standard(), &stacks, &config).expect("a stack that there is");
        let setting = Setting {
            suite: "",
            sweep: None,
            stacks,
            config: &config,
            pools: Pools::Open,
            seeds: [0, 0],
            set: &[],
        };
        let matrix = Matrix::new(Vec::new(), setting);
        let timed = measured(&matrix, 2, 3);
        let found: Vec<_> = timed.iter().map(|it| (&*it.guard, it.what, it.bytes, it.turns)).collect();
        let expected = SIZES.iter().flat_map(|&bytes| {
            Work::ALL
                .into_iter()
                .flat_map(move |what| ["none", "default"].map(|guard| (guard, what, bytes as u64, 3)))
        });
        assert_eq!(found, expected.collect::<Vec<_>>());
        assert!(timed.iter().all(|it| it.p50_ns <= it.p99_ns));
    }

    #[test]
    fn a_quantile_is_one_of_the_values() {
        let mut hundred: Vec<u64> = (1..=100).rev().collect();
        assert_eq!([50, 99, 100].map(|percent| quantile(&mut hundred, percent)), [50, 99, 100]);
        assert_eq!([50, 99].map(|percent| quantile(&mut [7, 3, 5], percent)), [5, 7]);
        assert_eq!(quantile(&mut [4], 1), 4);
    }
}
