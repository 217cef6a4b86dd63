//! Searches drawn worlds for the trials in which a stack does worst.
//!
//! A world is named by its seed and composed in microseconds; playing it takes longer. So each step composes many
//! candidates and plays the one that promises most. What promises is learnt by *field*: a plan with a slip, or a plan
//! alone. Every second step goes to the field with the most finds for its trials so far, the others to the field with
//! the fewest trials, so that no field is left out. A skeleton that was played is not played again.
//!
//! The choice uses integers alone, and a batch is chosen before it is played: the finds do not depend on the number
//! of threads.

mod field;
mod search;
mod severity;

pub use field::Field;
pub use search::{Find, Hunt, Hunted, hunt};
pub use severity::{Prey, severity};
