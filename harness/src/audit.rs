//! What of the guards anything depends on: which rungs are reached, and which changes are noticed.
//!
//! Every rung of every guard ([`balk_guards::rules`]) is looked for in trials of the whole catalogue: under the
//! audited stack, under each guard alone, and under each variant, and where that is not enough with settings of
//! scenarios and guards. Then the stack is changed in one place at a time, a guard or a rung taken away, a setting
//! moved by one step, and the catalogue is run again. A change is *noticed* where an [expectation](Expectation) that
//! held no longer does, *visible* where only transcripts differ, *invisible* where none does.

pub use audited::{Audited, Effect, Place, Reached, Undeclared};
pub use change::Change;
pub use expectation::{Broken, Expectation};
pub use reach::{Found, Row, found, found_by_replay, rows};
pub use run::Audit;
pub use setup::{Sets, beyond_trials};

mod audited;
mod change;
mod expectation;
mod reach;
mod run;
mod setup;
mod without;
