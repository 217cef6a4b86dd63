//! The record of a bench: what was planned, which trials are done, and a cell for every scenario and stack.
//!
//! There is one form for a whole run, a shard, a checkpoint and a merge: [`Bench`]. A trial is a pure function of
//! what the plan says, cells are integer counts, and what is done is a set of seeds for each scenario; so records
//! of one plan add up in any order to the same bytes, and a killed run goes on with the seeds that are missing.

mod cell;
mod file;
mod plan;
mod record;
mod seeds;
mod slip;
mod sound;

pub use cell::{ByDraw, Cell, Histogram, Language, Outcome, Paired, Response, RuleCount};
pub use file::BadBench;
pub(crate) use plan::is_under_test;
pub use plan::{BENCH_SCHEMA, Plan, PlannedParameter, PlannedScenario, PlannedStack, Unlike};
pub use record::{Apart, Bench, Part, Spent};
pub use seeds::{Seeds, SeedsTwice};
pub use slip::Slip;

#[cfg(test)]
pub(crate) use plan::tests::plan;
