//! Measures which rungs of the guards are reached, and which changes of the guards are noticed.
//!
//! The audit looks for every rung of every guard ([`balk_guards::rules`]) in trials of the whole catalogue and of the
//! drawn worlds: under the audited stack, under each guard alone, and under each variant. If that is not enough, it
//! also changes settings of scenarios and guards. Then it changes the stack in one place at a time (it removes a guard
//! or a rung, or moves a setting by one step) and runs everything again. A change is *noticed* if an
//! [expectation](Expectation) that was met before is no longer met or if a [figure](Figure) is worse in the same
//! worlds, *visible* if only transcripts differ, and *invisible* if none differs.

pub use audited::{Audited, Effect, Place, Reached, Undeclared};
pub use change::Change;
pub use expectation::{Broken, Expectation};
pub use figure::{Figure, Moved};
pub use reach::{Found, Row, found, found_by_replay, rows};
pub use run::Audit;
pub use setup::{Sets, beyond_trials};

mod audited;
mod cast;
mod change;
mod expectation;
mod figure;
mod reach;
mod run;
mod setup;
mod without;
