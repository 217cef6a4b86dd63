//! Records of trials, and pure functions from records to what people read.
//!
//! A record is all there is to know about a trial: it reads back into the transcript it was made from, and
//! everything shown is computed from it alone.

pub mod bench;
pub mod compare;
mod cost;
mod counts;
pub mod csv;
mod entry;
mod gap;
pub mod gate;
mod incident;
mod issue;
pub mod junit;
pub mod markdown;
pub mod report;
mod shell;
mod splice;
pub mod stats;
mod text;
mod trial;

pub use cost::{Cost, Host, Instructions, Meta, Timed, Work};
pub use counts::Counts;
pub use entry::{
    BadRecord, CallRecord, CompletionRecord, EntryRecord, InterventionRecord, ResultRecord, ToolRecord,
    transcript,
};
pub use gap::{Changes, Ending, GAP_SCHEMA, GapReport, GapRun, HandedOver, Lacking, TriedTool, gaps};
pub use incident::{
    BadIncident, Executor, INCIDENT_PLACES, Incident, IncidentCause, IncidentFacts, IncidentTool, SideEffect,
};
pub use issue::{LINK_CHARS_MAX, REPOSITORY_CHARS_MAX, issue_link, prefilled};
pub use shell::quoted;
pub use splice::{BadMarker, splice};
pub use text::{Chat, Palette, show, show_outcome};
pub use trial::{Drawn, FailedRecord, Grade, SCHEMA, TrialRecord, TurnRecord};
