//! Exact intervals for shares of trials (Clopper and Pearson), and how they are printed.
//!
//! Of `n` trials `x` had some outcome. The bounds of the share at level `1 − α` are the solutions of
//!
//! - low: `P(X ≥ x | n, p) = I_p(x, n − x + 1) = α / 2`, and 0 for `x = 0`,
//! - high: `P(X ≤ x | n, p) = 1 − I_p(x + 1, n − x) = α / 2`, and 1 for `x = n`,
//!
//! with `X` binomial and `I` the regularised incomplete beta function (C. J. Clopper and E. S. Pearson, *The
//! use of confidence or fiducial limits illustrated in the case of the binomial*, Biometrika 26, 1934,
//! 404–413). Whatever the true share is, at least 95 of 100 such intervals hold it; most hold it more often.
//!
//! `I` is its continued fraction (DLMF 8.17.22) by Lentz' method, and the bounds are found by halving the
//! interval from 0 to 1 until it holds no other number. The trial is the unit: turns of one trial are not
//! independent, and no interval is given for them. `libm` computes the same bits on every machine.

#![expect(clippy::float_arithmetic, reason = "statistics about trials; no trial depends on them")]

mod clustered;

use std::fmt;

pub use clustered::{Cluster, ClusteredShare};

/// What is shared between both tails: 5 %.
const ALPHA: f64 = 0.05;

/// A share of trials with its exact 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Trials that had the outcome.
    pub count: u64,
    /// Trials.
    pub of: u64,
    /// The lower bound, from 0 to 1.
    pub low: f64,
    /// The upper bound, from 0 to 1.
    pub high: f64,
}

impl Share {
    /// `count` of `of` trials; of no trials nothing is known, and the bounds are 0 and 1.
    ///
    /// # Panics
    /// If more trials had the outcome than there were.
    #[must_use]
    pub fn new(count: u64, of: u64) -> Self {
        assert!(count <= of, "{count} of {of} trials");
        let (x, n) = (float(count), float(of));
        let low = if count == 0 { 0.0 } else { root(|p| beta(p, x, n - x + 1.0) < ALPHA / 2.0) };
        let high = if count == of { 1.0 } else { root(|p| 1.0 - beta(p, x + 1.0, n - x) > ALPHA / 2.0) };
        Self { count, of, low, high }
    }

    /// Both bounds with four significant digits: what programs get.
    #[must_use]
    pub fn bounds(&self) -> [String; 2] {
        [digits(self.low), digits(self.high)]
    }
}

/// The count with the bounds in percent, as `845 (82.1–86.7 %)`; a dash where there was no trial.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if self.of == 0 {
            format!("{} (–)", self.count)
        } else {
            format!("{} ({:.1}–{:.1} %)", self.count, 100.0 * self.low, 100.0 * self.high)
        };
        f.pad(&text)
    }
}

/// `count` for each thousand of `of`, with four significant digits; nothing where there is none of them.
#[must_use]
pub fn per_thousand(count: u64, of: u64) -> Option<String> {
    (of > 0).then(|| digits(1_000.0 * float(count) / float(of)))
}

/// A number from 0 on with four significant digits; a plain `0` and `1` are exact.
fn digits(value: f64) -> String {
    if value == 0.0 || value == 1.0 {
        return format!("{value}");
    }
    // The exponent after rounding, so that 0.99996 is 1.000 and not 1.0000.
    let scientific = format!("{value:.3e}");
    let exponent: i32 = scientific.split_once('e').and_then(|(_, it)| it.parse().ok()).unwrap_or(0);
    format!("{value:.*}", usize::try_from(3 - exponent).unwrap_or(0))
}

/// Counts of trials are far below 2^53, up to which every one is a number.
fn float(count: u64) -> f64 {
    count as f64
}

/// Where `below`, true from 0 up to some number, becomes false.
fn root(below: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return middle;
        }
        if below(middle) { low = middle } else { high = middle }
    }
}

/// The regularised incomplete beta function `I_x(a, b)` for `a, b > 0`.
fn beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast below the mean; above it the other tail is taken.
    if x > (a + 1.0) / (a + b + 2.0) { 1.0 - tail(1.0 - x, b, a) } else { tail(x, a, b) }
}

/// `I_x(a, b)` by its continued fraction, for `x` below `(a + 1) / (a + b + 2)`.
fn tail(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    const STEPS: u32 = 100_000;
    let log =
        libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * libm::log(x) + b * libm::log1p(-x);
    let away_from_zero = |it: f64| if it.abs() < TINY { TINY } else { it };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for step in 1..STEPS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for term in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            fraction *= c * d;
        }
        if (fraction - before).abs() <= f64::EPSILON * fraction.abs() {
            break;
        }
    }
    libm::exp(log) * fraction / a
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn shares_are_printed_in_percent() {
        assert_eq!(Share::new(845, 1_000).to_string(), "845 (82.1–86.7 %)");
        assert_eq!(Share::new(0, 10).to_string(), "0 (0.0–30.8 %)");
        assert_eq!(Share::new(0, 0).to_string(), "0 (–)");
        assert_eq!(format!("[{:>19}]", Share::new(10, 10)), "[  10 (69.2–100.0 %)]");
        assert_eq!(per_thousand(41, 6_077).as_deref(), Some("6.747"));
        assert_eq!(per_thousand(3, 0), None);
        assert_eq!(per_thousand(0, 3).as_deref(), Some("0"));
        assert_eq!(digits(0.999_96), "1.000");
        assert_eq!(digits(123_456.0), "123456");
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

    /// Chances of 0 to n, each from the one before it; from the end that is not too small for a number.
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
        for n in [1, 2, 5, 10, 30, 100, 300] {
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
