//! Records: trials, benches, gaps, incidents, and the cost of a turn.
//!
//! The record of a trial belongs to the contract, because other programs write it, too.

mod bench;
mod beside;
mod cost;
mod counts;
pub mod crash;
mod field_report;
mod gap;
mod incident;
mod judged;
mod kept;
mod rate_sums;
mod reactions;
pub mod seal;
mod shell;

pub use balk_contract::record::*;

#[cfg(test)]
pub(crate) use bench::plan;
pub use bench::{
    Apart, BENCH_SCHEMA, BadBench, Bench, ByDraw, Cell, GROUPS, Groups, HELP_TURNS, Histogram, Language,
    Lapse, Live, MAX_TURNS, Outcome, Paired, Plan, PlannedLive, PlannedParameter, PlannedReactions,
    PlannedScenario, PlannedStack, PlannedTranscripts, Response, RuleCount, SEEDS_MAX, Seeds, SeedsTwice,
    Sums, Unlike, is_under_test, without_paths,
};
pub use beside::Beside;
pub use cost::{Answered, Cost, Host, Instructions, Meta, Repeats, Timed, Work};
pub use counts::Counts;
pub use field_report::{
    BoundarySnapshot, Classification, FieldReport, REPORT_PLACES, ReportedAnswer, ReportedIncident,
};
pub use gap::{Changes, Ending, GAP_SCHEMA, GapReport, GapRun, HandedOver, Lacking, TriedTool, gaps};
pub use incident::{
    BadIncident, Executor, INCIDENT_PLACES, Incident, IncidentCause, IncidentFacts, IncidentTool, SideEffect,
};
pub use judged::JudgedIntervention;
pub use kept::Kept;
pub use rate_sums::RateSums;
pub use reactions::{REACTIONS_SCHEMA, ReactionCounts, ReactionRow, Reactions};
pub use shell::quoted;
