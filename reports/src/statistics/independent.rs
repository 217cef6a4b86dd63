//! The difference of two figures of different trials, from the interval of each.
//!
//! With figures `a` before and `b` after, and the bounds `l` and `u` of each, the interval of the difference squares
//! and adds the errors of both:
//!
//! - low: `b − a − √((b − l_b)² + (u_a − a)²)`
//! - high: `b − a + √((u_b − b)² + (a − l_a)²)`
//!
//! (R. G. Newcombe, *Interval estimation for the difference between independent proportions: comparison of eleven
//! methods*, Statistics in Medicine 17, 1998, 873–890, method 10, and for any figure G. Y. Zou and A. Donner,
//! *Construction of confidence limits about effect measures: a general approach*, Statistics in Medicine 27, 2008,
//! 1693–1702). Newcombe takes Wilson's bounds for shares. Here the bounds are exact for shares ([`Share`]), and treat
//! trials as independent for rates ([`Rate`]). If the records share seeds, the figures are mostly correlated, and the
//! interval is wider than necessary.
//!
//! The p-value of two shares is Fisher's exact one, on the effective numbers of trials if trials resemble each other,
//! twice the smaller tail (R. A. Fisher, *The logic of inductive inference*, Journal of the Royal Statistical Society
//! 98, 1935, 39–82).
//!
//! Coverage, summed over all tables of 20 to 100 trials each, is at least 95 %.

use super::change::Change;
use super::number::{float, square};
use super::rate::Rate;
use super::share::Share;

impl Change {
    /// The difference of two shares of different trials; none if either has no trials.
    #[must_use]
    pub fn of_shares(before: &Share, after: &Share) -> Option<Self> {
        if before.of == 0 || after.of == 0 {
            return None;
        }
        let [a, b] = [before, after].map(|it| float(it.count) / float(it.of));
        let [low, high] = square_and_add([a, before.low, before.high], [b, after.low, after.high]);
        let [before, after] = [before, after].map(effective);
        let p = fisher(before, after);
        Some(Self { value: b - a, low: low.max(-1.0), high: high.min(1.0), p: Some(p) })
    }

    /// The difference of two rates; none if either has no turns.
    #[must_use]
    pub fn of_rates(before: &Rate, after: &Rate) -> Option<Self> {
        let (a, b) = (before.rate?, after.rate?);
        let [low, high] = square_and_add([a, before.low, before.high], [b, after.low, after.high]);
        Some(Self { value: b - a, low, high, p: None })
    }
}

/// The count and the number of independent trials that say as much as this share.
fn effective(share: &Share) -> [u64; 2] {
    if share.effective >= float(share.of) {
        return [share.count, share.of];
    }
    let of = share.effective_count().max(1);
    [libm::round(float(share.count) / float(share.of) * float(of)) as u64, of]
}

/// The bounds of the difference of two figures, from their bounds.
fn square_and_add([a, low_a, high_a]: [f64; 3], [b, low_b, high_b]: [f64; 3]) -> [f64; 2] {
    [
        b - a - (square(b - low_b) + square(high_a - a)).sqrt(),
        b - a + (square(high_b - b) + square(a - low_a)).sqrt(),
    ]
}

/// Twice the smaller tail of the hypergeometric distribution: `x` of `n` against `y` of `m`.
fn fisher([x, n]: [u64; 2], [y, m]: [u64; 2]) -> f64 {
    let all = x + y;
    let choose = |of: u64, k: u64| {
        let factorial = |it: u64| libm::lgamma(float(it) + 1.0);
        factorial(of) - factorial(k) - factorial(of - k)
    };
    let chance = libm::exp(choose(n, x) + choose(m, y) - choose(n + m, all));
    // Both tails have the chance of `x`. That of the tail in which chances fall is summed.
    let [a, b, c, d] = [x, n - x, y, m - y].map(float);
    let falls_below = a * d <= (b + 1.0) * (c + 1.0);
    let outer = if falls_below { tail(chance, [a, d], [b, c]) } else { tail(chance, [b, c], [a, d]) };
    (2.0 * outer.min(1.0 - outer + chance)).min(1.0)
}

/// The sum of a tail of the hypergeometric distribution: of a table with this chance, and of those that follow as one
/// diagonal of it falls and the other one rises. So much is left out as no figure shows: there are at most as many
/// tables as trials, and chances fall.
fn tail(mut chance: f64, mut falling: [f64; 2], mut rising: [f64; 2]) -> f64 {
    let mut sum = chance;
    while chance > 1e-25 * sum && falling.iter().all(|it| *it > 0.0) {
        rising = rising.map(|it| it + 1.0);
        chance *= falling[0] * falling[1] / (rising[0] * rising[1]);
        falling = falling.map(|it| it - 1.0);
        sum += chance;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::RateSums;

    #[test]
    fn p_values_are_fishers() {
        // Fisher's tea: 3 of 4 against 1 of 4, one-sided 17/70; all right 1/70.
        assert!((fisher([1, 4], [3, 4]) - 34.0 / 70.0).abs() < 1e-12);
        assert!((fisher([0, 4], [4, 4]) - 2.0 / 70.0).abs() < 1e-12);
        // His convicts: 10 of 13 against 2 of 17, one-sided 0.000465.
        assert!((fisher([10, 13], [2, 17]) / 2.0 - 0.000_465_2).abs() < 1e-6);
        assert_eq!(fisher([5, 10], [5, 10]), 1.0);
        assert!((fisher([0, 30], [0, 30]) - 1.0).abs() < 1e-12);
    }

    /// Both tails, each term by itself.
    fn long_fisher([x, n]: [u64; 2], [y, m]: [u64; 2]) -> f64 {
        let all = x + y;
        let factorial = |it: u64| libm::lgamma(float(it) + 1.0);
        let choose = |of: u64, k: u64| factorial(of) - factorial(k) - factorial(of - k);
        let chance = |k: u64| libm::exp(choose(n, k) + choose(m, all - k) - choose(n + m, all));
        let below: f64 = (all.saturating_sub(m)..=x).map(chance).sum();
        let above: f64 = (x..=all.min(n)).map(chance).sum();
        (2.0 * below.min(above)).min(1.0)
    }

    #[test]
    fn a_p_value_is_the_sum_of_its_tail() {
        for (n, m) in [(1, 1), (7, 5), (12, 30), (1, 40), (200, 31)] {
            for x in 0..=n {
                for y in 0..=m {
                    let (found, long) = (fisher([x, n], [y, m]), long_fisher([x, n], [y, m]));
                    assert!((found - long).abs() <= 1e-10 * long, "{x} of {n}, {y} of {m}: {found}, {long}");
                }
            }
        }
        for (x, y) in [(4_100, 4_000), (4_300, 4_000), (5_000, 4_000), (0, 3), (10_000, 0), (5_000, 5_000)] {
            let [found, long] = [fisher, long_fisher].map(|of| of([x, 10_000], [y, 9_000]));
            assert!((found - long).abs() <= 1e-7 * long, "{x} and {y}: {found}, {long}");
        }
    }

    /// A few bytes of a record can count ten million trials in each of many cells.
    #[test]
    fn a_p_value_costs_about_the_same_however_many_trials_it_is_of() {
        let of = 10_000_000;
        for nth in 0..2_000 {
            let p = fisher([of / 2 + nth, of], [of / 2, of]);
            assert!((0.0..=1.0).contains(&p), "{nth}: {p}");
        }
    }

    #[test]
    fn the_difference_has_the_other_sign_the_other_way_round() {
        let [one, two] = [Share::new(40, 50), Share::new(30, 60)];
        let found = Change::of_shares(&one, &two).expect("trials");
        let back = Change::of_shares(&two, &one).expect("trials");
        assert_eq!([-back.high, -back.low], [found.low, found.high]);
        // Exact bounds 0.6628 to 0.8997 and 0.3681 to 0.6319: −0.3 − √(0.1319² + 0.0997²), −0.3 + √(0.1319² + 0.1372²).
        assert_eq!(found.to_string(), "−30.0 (−46.5 to −11.0)");
        assert_eq!(Change::of_shares(&one, &Share::new(0, 0)), None);
    }

    #[test]
    fn rates_differ_by_what_both_may_be_off_by() {
        let rate = |disturbed: u32| {
            let mut sums = RateSums::default();
            (0..200).for_each(|trial| sums.add(u32::from(trial < disturbed), 20));
            Rate::new(&sums)
        };
        let found = Change::of_rates(&rate(4), &rate(80)).expect("turns");
        assert!((found.value - 76.0 / 4_000.0).abs() < 1e-12);
        assert!(found.low > 0.0 && found.p.is_none(), "{found:?}");
        let same = Change::of_rates(&rate(4), &rate(4)).expect("turns");
        assert!(same.low < 0.0 && 0.0 < same.high, "{same:?}");
        assert_eq!(Change::of_rates(&Rate::new(&RateSums::default()), &rate(1)), None);
    }

    fn binomial(of: u64, p: f64) -> Vec<f64> {
        (0..of).fold(vec![1.0], |row: Vec<f64>, _| {
            let at = |k: usize| row.get(k).copied().unwrap_or(0.0);
            (0..=row.len()).map(|k| at(k) * (1.0 - p) + if k == 0 { 0.0 } else { at(k - 1) * p }).collect()
        })
    }

    #[test]
    fn at_least_95_of_100_intervals_hold_the_truth() {
        for (n, m) in [(20, 20), (20, 100), (100, 100)] {
            let shares = |of: u64| (0..=of).map(|x| Share::new(x, of)).collect::<Vec<_>>();
            let (before, after) = (shares(n), shares(m));
            for p in [0.001, 0.05, 0.3, 0.5, 0.9] {
                for q in [0.01, 0.3, 0.6, 0.99] {
                    let (first, second) = (binomial(n, p), binomial(m, q));
                    let mut covered = 0.0;
                    for (one, chance) in before.iter().zip(&first) {
                        for (two, other) in after.iter().zip(&second) {
                            let x = |it: &Share| float(it.count) / float(it.of);
                            let [low, high] =
                                square_and_add([x(one), one.low, one.high], [x(two), two.low, two.high]);
                            if low <= q - p && q - p <= high {
                                covered += chance * other;
                            }
                        }
                    }
                    assert!(covered >= 0.95, "{n} and {m} trials, {p} and {q}: {covered}");
                }
            }
        }
    }
}
