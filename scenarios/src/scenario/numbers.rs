//! Numbers of a scenario: drawn numbers, bounds and probabilities.

/// Simulated time is counted in milliseconds.
pub(crate) const TICKS_PER_SECOND: u64 = 1_000;

/// A number drawn once in a trial, uniformly.
#[derive(Clone, Debug)]
pub struct Number {
    /// Its name: `{name}` in a template, or a bound of a transition.
    pub name: String,
    /// Least value.
    pub from: u32,
    /// Greatest value.
    pub to: u32,
}

/// A number, fixed or drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// This number.
    Fixed(u32),
    /// The drawn number of this index in [`Scenario::numbers`](super::Scenario::numbers).
    Drawn(usize),
}

/// A probability: `num / den`, with `num <= den` and `den > 0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// Numerator.
    pub num: u32,
    /// Denominator.
    pub den: u32,
}
