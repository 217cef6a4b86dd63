//! Plays a sample of a record again, and compares it with what the record has.

use std::collections::BTreeSet;

use balk_reports::records::{Bench, Cell, Plan};

use super::folder::{Folder, Kept};
use super::matrix::Matrix;
use super::unit::{self, Keep};
use crate::error::Error;

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Again {
    /// Seeds of scenarios that were played, each under every stack.
    pub units: u64,
    /// Cells that were compared as a whole.
    pub cells: usize,
    /// Kept transcripts that were compared.
    pub transcripts: usize,
    /// The first difference: a scenario, a stack, and what differs.
    pub difference: Option<String>,
}

/// So many units are played: about a second in a release build.
const UNITS: u64 = 256;
/// If nothing could be compared with so few, up to so many of one scenario: a cell is compared with all of its seeds.
const UNITS_OF_ONE: u64 = 16 * UNITS;
/// So many kept seeds of a scenario are among them.
const KEPT: usize = 2;

/// Plays whole scenarios whose seeds fit into the sample, and a few kept transcripts of the others. If nothing can be
/// compared so, it plays the scenario with the fewest seeds, unless even those are too many.
///
/// # Errors
/// Kept transcripts that cannot be read.
///
/// # Panics
/// If the matrix has another plan than the record.
pub fn again(matrix: &Matrix, bench: &Bench, folder: &Folder) -> Result<Again, Error> {
    let mut again = Again { units: 0, cells: 0, transcripts: 0, difference: None };
    let mut kept = folder.kept(&bench.plan);
    for scenario in spread(bench.plan.scenarios.len()) {
        let left = UNITS.saturating_sub(again.units);
        if left == 0 || again.difference.is_some() {
            break;
        }
        again.plays(matrix, bench, &mut kept, (scenario, left))?;
    }
    if again.cells == 0 && again.transcripts == 0 {
        let count = |scenario: &usize| bench.done[*scenario].count();
        let fewest = (0..bench.plan.scenarios.len()).filter(|it| count(it) > 0).min_by_key(count);
        if let Some(scenario) = fewest {
            again.plays(matrix, bench, &mut kept, (scenario, UNITS_OF_ONE))?;
        }
    }
    Ok(again)
}

impl Again {
    /// Plays the seeds of a scenario if they are at most so many, else a few that were kept.
    fn plays(
        &mut self,
        matrix: &Matrix,
        bench: &Bench,
        kept: &mut Kept<'_>,
        (scenario, most): (usize, u64),
    ) -> Result<(), Error> {
        let seeds = seeds(bench, scenario, most.max(UNITS));
        if seeds.is_empty() {
            return Ok(());
        }
        let is_whole = seeds.len() as u64 <= most;
        let mut left = if is_whole { usize::MAX } else { KEPT };
        let mut cells = vec![Cell::default(); bench.plan.stacks.len()];
        for seed in seeds {
            if left == 0 {
                break;
            }
            let kept = kept.of(scenario, seed)?;
            if kept.is_empty() && !is_whole {
                continue;
            }
            left -= 1;
            let drawn = matrix.scenario(scenario, seed);
            let stacks = matrix.simulations(&drawn);
            let suite = bench.plan.scenarios[scenario].suite;
            let records =
                unit::play(&stacks, suite, seed, matrix.set(scenario), Keep::Everything, &mut cells);
            self.units += 1;
            for record in kept {
                self.transcripts += 1;
                if !records.contains(&record) {
                    let what = format!("the transcript of seed {seed}");
                    self.difference.get_or_insert(named(&bench.plan, scenario, &record.guard, &what));
                }
            }
        }
        if is_whole {
            self.cells += cells.len();
            let differs = cells.iter().zip(bench.of_scenario(scenario)).position(|(one, other)| one != other);
            if let Some(stack) = differs {
                let guard = &bench.plan.stacks[stack].guard;
                self.difference.get_or_insert(named(&bench.plan, scenario, guard, "the counts"));
            }
        }
        Ok(())
    }
}

/// The seeds of a scenario that are done: all, or one more than `most`.
fn seeds(bench: &Bench, scenario: usize, most: u64) -> BTreeSet<u64> {
    let ranges = bench.done[scenario].ranges().iter();
    ranges.flat_map(|[from, to]| *from..=*to).take(usize::try_from(most).unwrap_or(usize::MAX) + 1).collect()
}

/// All places of a list, so that the first few come from all over it.
fn spread(count: usize) -> impl Iterator<Item = usize> {
    let step = (1..=count).rev().filter(|step| step * 5 < count * 2).find(|step| gcd(*step, count) == 1);
    let step = step.unwrap_or(1);
    (0..count).map(move |at| at * step % count)
}

fn gcd(one: usize, other: usize) -> usize {
    if other == 0 { one } else { gcd(other, one % other) }
}

fn named(plan: &Plan, scenario: usize, guard: &str, what: &str) -> String {
    format!("{what} of {} under {guard}", plan.scenarios[scenario].label())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_comes_once_and_the_first_are_far_apart() {
        for count in 0..200 {
            let places: BTreeSet<usize> = spread(count).collect();
            assert_eq!(places.len(), count);
        }
        let first: Vec<usize> = spread(100).take(4).collect();
        assert_eq!(first, [0, 39, 78, 17]);
    }
}
