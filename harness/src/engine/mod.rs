//! The engine: one trial is a pure function of (scenario, stack, seed, version).

mod broken;
mod oracle;
mod person;
mod trial;
mod turn;
mod watched;

pub use oracle::{Oracle, Whisper};
pub use person::Person;
pub use trial::{FailedFacts, Trial, TurnFacts, run, run_with};
pub use turn::TRIES;
pub(crate) use turn::conclusion;
pub use watched::Watched;
