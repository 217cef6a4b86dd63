//! Which runs in a pile of logs were stuck, and what `default` would have said, and when.
//!
//! A *firing of a stuck model* is one by a rule that says that the model makes no progress: not a mended
//! call, not a transport failure, not a notice or a question about what is open at an end. Firings at most
//! [`STRETCH_TURNS`] turns apart form a stretch. A run was *stuck* if a stretch has firings in at least [`STUCK_TURNS`]
//! turns. The recorded model heard none of them, so a second one says that it went on in the same way, and a single
//! one that it got out by itself, or that the record ends there. The turns of a stretch, from its first firing to its
//! last, are the turns in which the run was stuck.
//!
//! Where a guard would have ended the run, what was recorded after that is asked about with guards that start anew:
//! the question is what the run did, not what it would have cost with a guard. These guards know nothing of what was
//! before, so the stretch goes on if they fire within [`ANEW_TURNS`] turns: else a loop would fall into pieces.

mod counts;
mod examined;
mod gate;
pub mod json;
pub mod page;
mod part;
mod pile;
mod sentences;
pub mod show;
pub mod text;
mod tools;
mod why;

pub use counts::Counts;
pub use examined::{ANEW_TURNS, STRETCH_TURNS, STUCK_TURNS, StackMaker, Stuck};
pub use gate::Metric;
pub use part::Part;
pub use pile::{Begun, Triage, WORST, Worst};
pub use tools::Tools;
