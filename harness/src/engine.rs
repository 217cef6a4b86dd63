//! The engine: one trial is a pure function of (scenario, stack, seed, version).

mod broken;
mod oracle;
mod person;
mod running;
mod trial;
mod truth_channel;

pub use oracle::Oracle;
pub use person::Person;
pub use running::{FailedFacts, TurnFacts};
pub use trial::{Trial, run, run_with};
pub use truth_channel::TruthChannel;
