//! Gates: what must not be found in a bench, and which cells fail by it.
//!
//! A gate says when a cell fails, as in `default@stubborn: recovery < 0.9`. Counts are taken as they are. A rate is
//! known only up to its 95 % interval, and [`Sureness`] says which end is judged: a gate that is to be *certain*
//! takes the unfavourable one, so that too few trials fail, too; one that fails only where the claim is *refuted*
//! takes the favourable one.

mod annotation;
mod condition;
mod metric;
mod number;
mod parse;
mod scope;

pub use annotation::annotation;
pub use condition::{Failed, Gate, Judged, Order, Sureness, judge};
pub use metric::{Found, Metric};
pub use number::Number;
pub use scope::{NoSuch, Scope, Where};

#[cfg(test)]
mod tests;
