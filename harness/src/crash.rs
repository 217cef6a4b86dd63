//! Crash: a real agent in a closed place, and what came of it.
//!
//! Each run has fresh folders and an environment that is made from nothing ([`Place`]). On Linux it is the program
//! itself, started again where it sees no other network, no other processes and no name server ([`isolation`]). The
//! agent is a child of that program, with bounds, and its whole process tree ends with it ([`child`]).
//!
//! The scenario's environment says what a call will answer. [`Site`] makes the real folder answer so: before the call
//! goes out it puts files, obstacles and stand-ins for commands in place, and afterwards it says what came of the call,
//! from the world and never from words. What the agent printed tells whether its user knows
//! ([`told`](crate::told)).

pub mod child;
mod in_process;
pub mod isolation;
mod job;
pub mod learn;
pub mod place;
mod real;
pub mod record;
mod run;
mod site;
mod verdict;

pub use in_process::in_process;
pub use job::{Agent, Finished, Job, Placed, play, read, start};
pub use place::Place;
pub use run::{Done, Order, run};
pub use site::{Armed, Came, Outcome, Site};
