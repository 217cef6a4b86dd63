//! The engine: one trial is a pure function of (scenario, stack, seed, version).

mod broken;
mod host;
mod oracle;
mod person;
mod running;
mod trial;
mod truth_channel;

pub(crate) use host::{Due, Host};
pub use oracle::Oracle;
pub use person::Person;
pub use running::{FailedFacts, TurnFacts};
pub use trial::{Trial, run, run_with};
pub use truth_channel::TruthChannel;
