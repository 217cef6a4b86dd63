//! Live: a real model in the actor's place. Worlds, environment, guards and statistics stay as they are.
//!
//! Nothing declares the truth here (`live/truth.rs`), and every completion is kept ([`Store`]) under its place and its
//! request. So a record can be played again without the model, byte for byte.

mod budget;
pub mod endpoint;
mod joined;
mod judge;
mod model;
mod play;
mod probe;
mod react;
mod run;
mod store;
mod told;
mod truth;
mod units;

pub use budget::{Budget, Spent};
pub use judge::{Sample, judged};
pub use model::{Model, Stop, TOKENS_MOST};
pub use play::Played;
pub use react::{Messages, fit, react};
pub use run::{Follow, options, run, trial};
pub use store::Store;

/// The instructions before every task. Agents have much longer ones; these only say what the loop is.
pub const SYSTEM: &str = "You are an agent that works on a task for a user. You act by calling the tools that are \
                          offered; what you only write in a message changes nothing. Work until the task is done, then \
                          say what you did.";
