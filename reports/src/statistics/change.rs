//! A difference between two records, with its interval and its p-value.

use std::fmt;

use super::print::{digits, signed_percent};

/// A later figure minus an earlier one, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// For shares from −1 to 1; for rates per turn.
    pub value: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// The two-sided p-value of no difference; none for rates, which have only an interval.
    pub p: Option<f64>,
}

impl Change {
    /// The value and its bounds with four significant digits, for programs.
    #[must_use]
    pub fn digits(&self) -> [String; 3] {
        [self.value, self.low, self.high].map(digits)
    }

    /// The same per 1,000 turns.
    #[must_use]
    pub fn per_thousand(&self) -> [String; 3] {
        self.thousandfold().digits()
    }

    /// The same change per 1,000 turns.
    #[must_use]
    pub fn thousandfold(&self) -> Self {
        self.times(1_000.0)
    }

    /// The same change in percentage points.
    #[must_use]
    pub fn hundredfold(&self) -> Self {
        self.times(100.0)
    }

    fn times(&self, factor: f64) -> Self {
        Self { value: factor * self.value, low: factor * self.low, high: factor * self.high, p: self.p }
    }
}

/// A difference of shares in percentage points with its bounds, such as `+12.0 (+4.6 to +19.1)`.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [value, low, high] = [self.value, self.low, self.high].map(signed_percent);
        f.pad(&format!("{value} ({low} to {high})"))
    }
}
