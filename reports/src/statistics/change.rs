//! A difference between two records, with its interval and how likely chance alone makes one as large.

use std::fmt;

use super::print::{digits, signed_percent};

/// A later figure minus an earlier one, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Of shares from −1 to 1; of rates for each turn.
    pub value: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// The two-sided p-value that both are the same; none for rates, which have an interval only.
    pub p: Option<f64>,
}

impl Change {
    /// Value and bounds with four significant digits: what programs get.
    #[must_use]
    pub fn digits(&self) -> [String; 3] {
        [self.value, self.low, self.high].map(digits)
    }

    /// The same for 1,000 turns.
    #[must_use]
    pub fn per_thousand(&self) -> [String; 3] {
        self.thousandfold().digits()
    }

    /// The same change with value and bounds for 1,000 turns.
    #[must_use]
    pub fn thousandfold(&self) -> Self {
        Self { value: 1_000.0 * self.value, low: 1_000.0 * self.low, high: 1_000.0 * self.high, p: self.p }
    }
}

/// Two shares in percentage points with the bounds, as `+12.0 (+4.6 to +19.1)`.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [value, low, high] = [self.value, self.low, self.high].map(signed_percent);
        f.pad(&format!("{value} ({low} to {high})"))
    }
}
