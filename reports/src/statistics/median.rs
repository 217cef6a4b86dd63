//! The median of small whole numbers over trials, with the interval of its order statistics.
//!
//! Of `n` trials in order the bounds are the `r`-th and the `(n + 1 − r)`-th, with the greatest `r` for which
//! `P(X ≤ r − 1 | n, ½) ≤ α / 2`: for every distribution, at least 95 of 100 such intervals contain its
//! median (W. R. Thompson, *On confidence ranges for the median and other expectation distributions for
//! populations of unknown distribution form*, Annals of Mathematical Statistics 7, 1936, 122–128). With fewer
//! than six trials there is no such `r`, and no bound.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::beta::beta;
use super::number::{ALPHA, float};

/// A median with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Median {
    /// The smallest number that at least half of the trials do not exceed; none without trials.
    pub median: Option<u32>,
    /// The lower bound; none with fewer than six trials.
    pub low: Option<u32>,
    /// The upper bound.
    pub high: Option<u32>,
    /// Trials.
    pub of: u64,
}

impl Median {
    /// The median of numbers in ascending order, each with its number of trials.
    #[must_use]
    pub fn new(counts: impl Iterator<Item = (u32, u64)>) -> Self {
        let counts: Vec<(u32, u64)> = counts.collect();
        let of = counts.iter().map(|(_, count)| count).sum();
        let nth = |nth: u64| {
            let mut seen = 0;
            let reaches = |(_, count): &&(u32, u64)| {
                seen += count;
                seen >= nth
            };
            counts.iter().find(reaches).map(|(number, _)| *number)
        };
        let rank = rank(of);
        let bound = |at: u64| if rank > 0 { nth(at) } else { None };
        let median = if of > 0 { nth(of.div_ceil(2)) } else { None };
        Self { median, low: bound(rank), high: bound(of + 1 - rank), of }
    }
}

/// The greatest rank whose order statistic is a lower bound; 0 if there is none.
fn rank(of: u64) -> u64 {
    // P(X ≤ r − 1) = I_½(n − r + 1, r), which grows with r.
    let fits = |rank: u64| beta(0.5, float(of - rank) + 1.0, float(rank)) <= ALPHA / 2.0;
    let (mut low, mut high) = (0, of / 2 + 1);
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    low
}

/// The median with its bounds, such as `3 (2–4)`; a dash for unknown numbers.
impl fmt::Display for Median {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match (self.median, self.low.zip(self.high)) {
            (None, _) => "–".into(),
            (Some(median), None) => format!("{median} (–)"),
            (Some(median), Some((low, high))) => format!("{median} ({low}–{high})"),
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks as printed in tables of the sign test: 5 % on both sides.
    #[test]
    fn ranks_are_the_published_ones() {
        let ranks = [0, 1, 5, 6, 8, 9, 10, 15, 20, 50, 100].map(rank);
        assert_eq!(ranks, [0, 0, 0, 1, 1, 2, 2, 4, 6, 18, 40]);
    }

    #[track_caller]
    fn check(counts: &[(u32, u64)], expected: &str) {
        assert_eq!(Median::new(counts.iter().copied()).to_string(), expected);
    }

    #[test]
    fn medians_by_hand() {
        check(&[], "–");
        check(&[(3, 5)], "3 (–)");
        check(&[(0, 1), (1, 1), (2, 1), (5, 1), (7, 1), (9, 1)], "2 (0–9)");
        // The 40th and the 61st of 100.
        check(&[(1, 39), (2, 11), (4, 10), (8, 40)], "2 (2–8)");
        check(&[(1, 40), (2, 10), (4, 11), (8, 39)], "2 (1–4)");
    }
}
