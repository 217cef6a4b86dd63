//! The level of all intervals, and counts as numbers.

/// What is shared between both tails: 5 %.
pub(super) const ALPHA: f64 = 0.05;

/// Counts of trials are far below 2^53, up to which every one is a number.
pub(super) fn float(count: u64) -> f64 {
    count as f64
}

pub(super) fn square(value: f64) -> f64 {
    value * value
}
