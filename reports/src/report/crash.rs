//! The report of `balk crash`: what real agents did when their model balked, and the same actors in process beside
//! them.
//!
//! It is made of one record or of several. A run that is in an earlier record too is a repeat: it is compared with the
//! first one and not counted again.

mod changes;
mod csv;
mod happened;
mod junit;
mod sections;
mod tables;
#[cfg(test)]
mod tests;

pub use changes::{Change, Changes};
pub use csv::render as csv;
pub use happened::happened;
pub use junit::render as junit;
pub use sections::{Section, crash_report};
pub use tables::{AgentRow, CRASH_REPORT_SCHEMA, Repeats, Report, RunRow, ScenarioRuns, Tally};
