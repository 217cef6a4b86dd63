//! The level of all intervals, and counts as numbers.

/// The level of all intervals and tests: 5 %, over both tails.
pub(super) const ALPHA: f64 = 0.05;

/// A count as a float. Counts of trials are far below 2^53, so the float is exact.
pub(super) fn float(count: u64) -> f64 {
    count as f64
}

pub(super) fn square(value: f64) -> f64 {
    value * value
}
