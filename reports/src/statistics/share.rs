//! Exact intervals for shares of trials (Clopper and Pearson).
//!
//! Of `n` trials `x` had some outcome. The bounds of the share at level `1 − α` are the solutions of
//!
//! - low: `P(X ≥ x | n, p) = I_p(x, n − x + 1) = α / 2`, and 0 for `x = 0`,
//! - high: `P(X ≤ x | n, p) = 1 − I_p(x + 1, n − x) = α / 2`, and 1 for `x = n`,
//!
//! with `X` binomial and `I` the regularised incomplete beta function (C. J. Clopper and E. S. Pearson, *The
//! use of confidence or fiducial limits illustrated in the case of the binomial*, Biometrika 26, 1934,
//! 404–413). For every true share, at least 95 of 100 such intervals contain it; for most, more do. The trial
//! is the unit. Turns of one trial are not independent, so they have a [`Rate`](super::Rate).

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::beta::{lower_bound, upper_bound};
use super::number::float;
use super::print::{digits, four, percent};

/// A share of trials with its exact 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// Trials that had the outcome.
    pub count: u64,
    /// Trials.
    pub of: u64,
    /// The lower bound, from 0 to 1.
    #[serde(serialize_with = "four")]
    #[schemars(with = "f64")]
    pub low: f64,
    /// The upper bound, from 0 to 1.
    #[serde(serialize_with = "four")]
    #[schemars(with = "f64")]
    pub high: f64,
    /// The number of independent trials that would have about this interval; less than `of` if trials resemble each
    /// other.
    #[serde(serialize_with = "four")]
    #[schemars(with = "f64")]
    pub effective: f64,
}

impl Share {
    /// `count` out of `of` trials; without trials the bounds are 0 and 1.
    ///
    /// # Panics
    /// If `count` exceeds `of`.
    #[must_use]
    pub fn new(count: u64, of: u64) -> Self {
        assert!(count <= of, "{count} of {of} trials");
        let (x, n) = (float(count), float(of));
        let low = if count == 0 { 0.0 } else { lower_bound(x, n) };
        let high = if count == of { 1.0 } else { upper_bound(x, n) };
        Self { count, of, low, high, effective: n }
    }

    /// The effective number of trials, rounded.
    #[must_use]
    pub fn effective_count(&self) -> u64 {
        libm::round(self.effective) as u64
    }

    /// Both bounds with four significant digits, for programs.
    #[must_use]
    pub fn bounds(&self) -> [String; 2] {
        [digits(self.low), digits(self.high)]
    }

    /// The share in percent with its bounds, such as `84.5 (82.1–86.7)`; a dash without trials.
    #[must_use]
    pub fn percent(&self) -> String {
        if self.of == 0 {
            return "–".into();
        }
        let share = float(self.count) / float(self.of);
        let [share, low, high] = [share, self.low, self.high].map(percent);
        format!("{share} ({low}–{high})")
    }
}

/// The count with the bounds of its share in percent, such as `845 (82.1–86.7 %)`; a dash without trials.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if self.of == 0 {
            format!("{} (–)", self.count)
        } else {
            format!("{} ({}–{} %)", self.count, percent(self.low), percent(self.high))
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::number::ALPHA;

    #[track_caller]
    fn check(count: u64, of: u64, expected: &str) {
        let [low, high] = Share::new(count, of).bounds();
        assert_eq!(format!("{low} {high}"), expected, "{count} of {of}");
    }

    #[test]
    fn bounds_are_the_published_ones() {
        // Closed forms: 1 − 0.025^(1/10) and 0.025^(1/10) = 0.69150…; 1 − 0.025^(1/3), 0.025^(1/1000).
        check(0, 10, "0 0.3085");
        check(10, 10, "0.6915 1");
        check(0, 3, "0 0.7076");
        check(1_000, 1_000, "0.9963 1");
        check(0, 1, "0 0.9750");
        // As in tables of exact binomial limits.
        check(8, 10, "0.4439 0.9748");
        check(5, 10, "0.1871 0.8129");
        check(1, 10, "0.002529 0.4450");
        check(1, 1_000, "0.00002532 0.005559");
        check(0, 0, "0 1");
    }

    #[test]
    fn bounds_are_those_that_others_printed() {
        // Wasted nudges in unsloth's issue 7505, and loops without a guard in OpenRouter's: percent with two
        // digits.
        let percent = |count, of| {
            let share = Share::new(count, of);
            format!("{:.2}–{:.2}", 100.0 * share.low, 100.0 * share.high)
        };
        assert_eq!(percent(36, 300), "8.55–16.22");
        assert_eq!(percent(4, 18), "6.41–47.64");
        // Unwedge's false stops, 5 of 69.
        assert_eq!(percent(5, 69), "2.39–16.11");
        // What none of so many leaves open.
        assert_eq!(percent(0, 300), "0.00–1.22");
        assert_eq!(percent(0, 1_000), "0.00–0.37");
        assert_eq!(percent(0, 3_000), "0.00–0.12");
    }

    #[test]
    fn shares_are_printed_in_percent() {
        assert_eq!(Share::new(845, 1_000).to_string(), "845 (82.1–86.7 %)");
        assert_eq!(Share::new(0, 10).to_string(), "0 (0.0–30.8 %)");
        assert_eq!(Share::new(0, 0).to_string(), "0 (–)");
        assert_eq!(format!("[{:>19}]", Share::new(10, 10)), "[  10 (69.2–100.0 %)]");
    }

    #[test]
    fn what_holds_for_the_outcome_holds_for_its_absence() {
        for n in [1, 2, 7, 50, 333] {
            for x in 0..=n {
                let (share, rest) = (Share::new(x, n), Share::new(n - x, n));
                assert!((share.low + rest.high - 1.0).abs() < 1e-12, "{x} of {n}");
                assert!((share.high + rest.low - 1.0).abs() < 1e-12, "{x} of {n}");
                assert!(share.low <= float(x) / float(n) && float(x) / float(n) <= share.high);
            }
        }
    }

    #[test]
    fn more_of_the_same_trials_is_a_larger_share_and_more_trials_say_more() {
        for n in [1, 10, 400] {
            for x in 0..n {
                let (less, more) = (Share::new(x, n), Share::new(x + 1, n));
                assert!(less.low < more.low && less.high < more.high, "{x} of {n}");
            }
        }
        let width = |n| Share::new(n / 2, n).high - Share::new(n / 2, n).low;
        assert!([10, 100, 1_000, 10_000, 1_000_000].windows(2).all(|it| width(it[0]) > width(it[1])));
    }

    /// The probabilities of 0 to n, each from the one before, starting at the end that does not underflow.
    fn binomial(n: u64, p: f64) -> Vec<f64> {
        if p > 0.5 {
            return binomial(n, 1.0 - p).into_iter().rev().collect();
        }
        let mut chances = vec![(0..n).fold(1.0, |chance, _| chance * (1.0 - p))];
        for x in 0..n {
            let last = chances[chances.len() - 1];
            chances.push(last * float(n - x) / float(x + 1) * p / (1.0 - p));
        }
        chances
    }

    #[test]
    fn bounds_solve_the_equations() {
        for (x, n) in [(1_usize, 10), (8, 10), (50, 100), (3, 500), (845, 1_000)] {
            let share = Share::new(u64::try_from(x).expect("small"), n);
            let above: f64 = binomial(n, share.low)[x..].iter().sum();
            let below: f64 = binomial(n, share.high)[..=x].iter().sum();
            assert!((above - ALPHA / 2.0).abs() < 1e-9, "{x} of {n}: {above}");
            assert!((below - ALPHA / 2.0).abs() < 1e-9, "{x} of {n}: {below}");
        }
    }

    #[test]
    fn at_least_95_of_100_intervals_hold_the_truth() {
        for n in [1, 2, 5, 10, 30, 50, 100, 300, 1_000] {
            let shares: Vec<Share> = (0..=n).map(|x| Share::new(x, n)).collect();
            for p in [0.001, 0.02, 0.1, 0.3, 0.5, 0.77, 0.9, 0.95, 0.999] {
                let holds = |share: &Share| share.low <= p && p <= share.high;
                let chances = binomial(n, p);
                let covered: f64 =
                    shares.iter().zip(&chances).filter(|(it, _)| holds(it)).map(|(_, it)| it).sum();
                assert!(covered >= 1.0 - ALPHA - 1e-9, "n = {n}, p = {p}: {covered}");
            }
        }
    }
}
