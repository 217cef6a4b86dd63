//! Gates: conditions under which a cell of a bench fails.
//!
//! An example is `default@stubborn: recovery < 0.9`. Counts are compared as they are. A rate is known only up to its
//! 95 % interval, and [`Sureness`] says which end is judged. A *certain* gate takes the unfavourable end, so too few
//! trials fail, too. A gate that fails only if its claim is *refuted* takes the favourable end.

mod annotation;
mod condition;
mod gates;
mod measured;
mod metric;
mod number;
mod parse;
mod scope;

pub use annotation::annotation;
pub use condition::{Condition, Order, Sureness};
pub use gates::{Failed, Gate, Judged, Tally, judge};
pub use measured::{Measured, named};
pub use metric::{Found, Metric};
pub use number::Number;
pub use scope::{NoSuch, Scope, Where};

#[cfg(test)]
mod tests;
