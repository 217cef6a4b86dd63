//! Runs in written form: a [`TrialRecord`] is one JSON object that `balk replay` reads back.
//!
//! This module needs the feature `record`.
//!
//! To write a record, turn each entry into an [`EntryRecord`]; [`transcript`] converts back. Some members, such as
//! the truth of a turn, are known only if the model is scripted.

mod draw;
mod entry;
mod reading;
mod trial;
mod truth;

pub use draw::{DRAWS, Drawn, Pools, draw_of};
pub use entry::{CallRecord, CompletionRecord, EntryRecord, InterventionRecord, ResultRecord, ToolRecord};
pub use reading::{BadRecord, transcript};
pub use trial::{FailedRecord, Grade, SCHEMA, TrialRecord, TurnRecord};
pub use truth::{BadTruth, Kind, Stuck, Suite, Truth};
