//! The bench: every stack on every scenario under every seed, in cells that can be added.
//!
//! The unit is one seed of a scenario with all stacks, so that pairs stay together. Each stack's trial runs three
//! times: as measured, in flat mode, and with drawn parameters of the response model. A trial without an intervention
//! never uses the response model, so its three runs are the same and it runs once.

mod again;
mod clock;
mod cost;
mod folder;
pub(crate) mod kept;
mod matrix;
mod meta;
mod printed;
mod transcripts;
pub mod turns;
mod unit;

use std::iter;
use std::ops::ControlFlow;

use balk_reports::records::{Bench, Cell, Seeds};
use rayon::prelude::*;

use crate::error::Error;

pub use again::{Again, again};
pub(crate) use clock::moment;
pub use clock::{Stopwatch, now};
pub use cost::timed;
pub(crate) use folder::{COMPLETIONS, JOURNAL};
pub use folder::{Folder, Kept, RECORD};
pub use matrix::{Asked, BUILD, Matrix, Setting};
pub use meta::meta;
pub use transcripts::{Damage, Transcripts};
pub use unit::Keep;

use transcripts::BLOCK;

/// The units that were played last, all of one scenario.
#[derive(Clone, Debug)]
pub struct Played<'a> {
    /// The label of the scenario.
    pub scenario: &'a str,
    /// The number of units.
    pub units: u64,
    /// Their transcripts to keep.
    pub kept: Transcripts,
}

/// Receives the progress of a running bench.
pub trait Follow {
    /// These units are now in the record; `Break` ends the bench.
    ///
    /// # Errors
    /// The record or the transcripts cannot be written; the bench ends.
    fn block(&mut self, bench: &Bench, played: Played<'_>) -> Result<ControlFlow<()>, Error>;
}

/// Runs the units of these seeds that are not yet in the record, scenario by scenario.
///
/// # Errors
/// Those of `follow`. The record has whole units even then.
pub fn run(
    matrix: &Matrix,
    bench: &mut Bench,
    seeds: [u64; 2],
    keep: Keep,
    follow: &mut impl Follow,
) -> Result<(), Error> {
    for scenario in 0..bench.plan.scenarios.len() {
        let done = bench.done[scenario].clone();
        let mut missing = done.missing(seeds[0], seeds[1]).peekable();
        let planned = &bench.plan.scenarios[scenario];
        let (label, suite, set) = (planned.label(), planned.suite, matrix.set(scenario));
        while let Some(first) = missing.next() {
            let of_block = || missing.next_if(|seed| seed / BLOCK == first / BLOCK);
            let block: Vec<u64> = iter::once(first).chain(iter::from_fn(of_block)).collect();
            let none = || (vec![Cell::default(); matrix.stacks.len()], Transcripts::default());
            let (cells, kept) = block
                .par_iter()
                .fold(none, |(mut cells, mut kept), &seed| {
                    let drawn = matrix.scenario(scenario, seed);
                    let stacks = matrix.simulations(&drawn);
                    let records = unit::play(&stacks, suite, seed, set, keep, &mut cells);
                    kept.add(Transcripts::pack(seed, &records));
                    (cells, kept)
                })
                .reduce(none, |(mut cells, mut kept), (more, others)| {
                    cells.iter_mut().zip(&more).for_each(|(mine, more)| mine.add(more));
                    kept.add(others);
                    (cells, kept)
                });
            let seeds: Seeds = block.iter().copied().collect();
            let units = seeds.count();
            bench.add(scenario, &seeds, &cells).expect("a missing seed is in no record");
            if let Some(counts) = &mut bench.kept {
                counts[scenario] += kept.seeds().count() as u64;
            }
            if follow.block(bench, Played { scenario: &label, units, kept })?.is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}
