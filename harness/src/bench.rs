//! The bench: every stack on every scenario under every seed, in cells that add up.
//!
//! The unit is a seed of a scenario with all stacks, so that pairs stay together. Each stack's trial is run three
//! times: as the scenario has it, in flat mode, and with drawn parameters of the response model. A trial in which
//! nobody stepped in never asks the response model anything and is the same in all three, so it is run once.

mod clock;
mod cost;
mod folder;
mod matrix;
mod meta;
pub mod turns;
mod unit;

use std::ops::ControlFlow;

use balk_reports::TrialRecord;
use balk_reports::bench::{Bench, Part, Seeds};
use rayon::prelude::*;

use crate::error::Error;

pub use clock::Stopwatch;
pub use folder::{Folder, RECORD};
pub use matrix::{Asked, Matrix, Models, Setting};
pub use meta::meta;
pub use unit::Keep;

/// Seeds of one scenario that are run before anything is reported or written.
const BLOCK: usize = 64;

/// Who follows a bench while it runs.
pub trait Follow: Sync {
    /// Transcripts of one unit are to be kept; called from many threads.
    ///
    /// # Errors
    /// They cannot be kept; the bench ends.
    fn keep(&self, scenario: &str, seed: u64, transcripts: &[TrialRecord]) -> Result<(), Error>;

    /// So many units more are in the record; to break ends the bench.
    ///
    /// # Errors
    /// The record cannot be written; the bench ends.
    fn block(&mut self, bench: &Bench, units: usize) -> Result<ControlFlow<()>, Error>;
}

/// Runs the units of these seeds that are not yet in the record, scenario by scenario.
///
/// # Errors
/// Whatever who follows has to say. The record holds whole units then, too.
pub fn run(
    matrix: &Matrix,
    bench: &mut Bench,
    seeds: [u64; 2],
    keep: Keep,
    follow: &mut impl Follow,
) -> Result<(), Error> {
    for scenario in 0..bench.plan.scenarios.len() {
        let missing: Vec<u64> = bench.done[scenario].missing(seeds[0], seeds[1]).collect();
        if missing.is_empty() {
            continue;
        }
        let stacks = matrix.simulations(scenario);
        let (label, set) = (bench.plan.scenarios[scenario].label(), matrix.set(scenario));
        for block in missing.chunks(BLOCK) {
            let none = || Part::new(stacks.len());
            let shared: &_ = follow;
            let part = block
                .par_iter()
                .try_fold(none, |mut part, &seed| -> Result<_, Error> {
                    let kept = unit::play(&stacks, seed, set, keep, &mut part);
                    if !kept.is_empty() {
                        shared.keep(&label, seed, &kept)?;
                    }
                    Ok(part)
                })
                .try_reduce(none, |mut part, more| {
                    part.add(&more);
                    Ok(part)
                })?;
            let seeds: Seeds = block.iter().copied().collect();
            bench.add(scenario, &seeds, &part).expect("a missing seed is in no record");
            if follow.block(bench, block.len())?.is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}
