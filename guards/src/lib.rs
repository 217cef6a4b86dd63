#![doc = include_str!("../README.md")]

pub mod abandonment;
mod acknowledgement;
mod announcement;
mod arguments;
mod call_memory;
mod change;
mod circling;
pub mod duplicate;
pub mod empty_completion;
mod failed_writes;
mod failure;
pub mod fence;
mod files;
mod filter;
pub mod handoff;
mod ladder;
mod last_read;
mod mend;
pub mod no_tools;
mod pattern;
mod per_model;
mod printed;
pub mod progress;
pub mod repair;
pub mod repetition;
pub mod retry_safety;
mod search;
mod sentences;
mod shipped;
mod showing;
pub mod similarity;
mod unseen;

pub use balk_contract::*;

pub use abandonment::{Abandonment, AbandonmentPolicy, AbandonmentSettings};
pub use duplicate::{Duplicate, DuplicatePolicy, DuplicateSettings};
pub use empty_completion::{EmptyCompletion, EmptyCompletionSettings};
pub use handoff::{Handoff, HandoffSettings};
pub use no_tools::{NoTools, NoToolsSettings};
pub use per_model::PerModel;
pub use progress::{Progress, ProgressSettings};
pub use repair::{CallRepair, CallRepairSettings};
pub use repetition::Repetition;
pub use retry_safety::{RetrySafety, RetrySafetyPolicy, RetrySafetySettings};
pub use shipped::{SHIPPED, default_stack, shipped};
