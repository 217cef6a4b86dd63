//! The engine: one trial is a pure function of (scenario, stack, seed, version).

mod oracle;
mod trial;
mod turn;

pub use oracle::{Oracle, Whisper};
pub use trial::{FailedFacts, Trial, TurnFacts, run};
pub use turn::TRIES;
