//! Searches drawn worlds for the trials in which a stack does worst.
//!
//! A world is named by its seed, and composing it takes less time than playing it. So each step composes many
//! candidates and plays those that promise most. What promises is learnt by *field*: a plan with a slip, or a plan
//! alone. Every second world goes to the field with the most finds for its trials so far, the others to the field with
//! the fewest trials, so that no field is left out. A skeleton that was played is not played again.
//!
//! The worst finds are shrunk to small scenario files. Two finds that shrink to the same scenario count as one.
//!
//! The choice uses integers alone, and a batch is chosen before it is played: the finds do not depend on the number
//! of threads.

mod field;
mod keep;
mod prey;
mod search;

pub use field::Field;
pub use keep::{Kept, keep};
pub use prey::Prey;
pub use search::{Find, Hunt, Hunted, hunt};
