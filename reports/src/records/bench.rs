//! The record of a bench: its plan, the seeds that are done, and a cell for every scenario and stack.
//!
//! A whole run, a shard, a checkpoint and a merge have one form: [`Bench`]. A trial is a pure function of the plan and
//! its seed, and cells are integer counts. So records of one plan add up in any order to the same bytes, and a killed
//! run resumes with the missing seeds.

mod cell;
mod cluster;
mod file;
mod lapse;
mod live;
mod named;
mod old;
mod plan;
mod reactions;
mod record;
mod seeds;
mod sound;
mod unlike;

pub use cell::{ByDraw, Cell, HELP_TURNS, Histogram, Language, Outcome, Paired, Response, RuleCount};
pub use cluster::{GROUPS, Groups, Sums};
pub use file::BadBench;
pub use lapse::Lapse;
pub use live::{Live, MAX_TURNS, PlannedLive};
pub use named::without_paths;

pub use plan::{
    BENCH_SCHEMA, Plan, PlannedParameter, PlannedScenario, PlannedStack, PlannedTranscripts, SEEDS_MAX,
    is_under_test,
};
pub use reactions::PlannedReactions;
pub use record::{Apart, Bench};
pub use seeds::{Seeds, SeedsTwice};
pub use unlike::Unlike;

#[cfg(test)]
pub(crate) use plan::tests::plan;
