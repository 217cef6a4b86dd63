//! Kendall's tau-b: whether two figures put the same things in the same order.
//!
//! `τ = (C − D) / √((P − T₁)·(P − T₂))` over all `P` pairs of things: `C` pairs are in the same order in both figures,
//! `D` in opposite orders, and `T₁` and `T₂` pairs are tied in the first and in the second figure (M. G. Kendall, *The
//! treatment of ties in ranking problems*, Biometrika 33, 1945, 239–251).
//!
//! The 95 % interval is `tanh(atanh τ ± 1.96·√(0.437 / (n − 4)))` (E. C. Fieller, H. O. Hartley and E. S. Pearson,
//! *Tests for rank correlation coefficients I*, Biometrika 44, 1957, 470–481). It needs at least five things and treats
//! them as drawn independently, so it is too narrow for stacks that share guards. At τ = ±1 it is a point.

use super::number::float;
use super::print::digits;

/// How well two orders agree, with a 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tau {
    /// Kendall's tau-b, from -1 to 1; none where one of the figures is the same for all.
    pub tau: Option<f64>,
    /// The lower bound; -1 below five things.
    pub low: f64,
    /// The upper bound; 1 below five things.
    pub high: f64,
}

/// The normal quantile of a two-sided 95 % interval.
const Z: f64 = 1.959_963_984_540_054;

impl Tau {
    /// The agreement of the orders of these pairs of figures.
    #[must_use]
    pub fn new(pairs: &[[f64; 2]]) -> Self {
        let (mut agreement, mut untied) = (0.0, [0.0; 2]);
        for (at, one) in pairs.iter().enumerate() {
            for other in &pairs[..at] {
                let signs = [0, 1].map(|figure| sign(one[figure] - other[figure]));
                agreement += signs[0] * signs[1];
                untied[0] += signs[0] * signs[0];
                untied[1] += signs[1] * signs[1];
            }
        }
        if untied.contains(&0.0) {
            return Self { tau: None, low: -1.0, high: 1.0 };
        }
        let tau = agreement / libm::sqrt(untied[0] * untied[1]);
        let n = float(pairs.len() as u64);
        if n < 5.0 {
            return Self { tau: Some(tau), low: -1.0, high: 1.0 };
        }
        let half = Z * libm::sqrt(0.437 / (n - 4.0));
        let [low, high] = [-half, half].map(|step| libm::tanh(libm::atanh(tau.clamp(-1.0, 1.0)) + step));
        Self { tau: Some(tau), low, high }
    }

    /// Tau and its bounds with four significant digits, for programs.
    #[must_use]
    pub fn digits(&self) -> (Option<String>, [String; 2]) {
        (self.tau.map(digits), [digits(self.low), digits(self.high)])
    }
}

/// -1, 0 or 1.
fn sign(difference: f64) -> f64 {
    if difference > 0.0 {
        1.0
    } else if difference < 0.0 {
        -1.0
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::draws::{Draws, least};

    #[track_caller]
    fn check(pairs: &[[f64; 2]], expected: &str) {
        let (tau, [low, high]) = Tau::new(pairs).digits();
        assert_eq!(format!("{} {low} {high}", tau.unwrap_or("–".into())), expected);
    }

    #[test]
    fn known_values() {
        // All ten pairs agree.
        check(&[[1.0, 1.0], [2.0, 2.0], [3.0, 5.0], [4.0, 6.0], [5.0, 7.0]], "1 1 1");
        // Three of ten pairs disagree: (7 − 3) / 10, and tanh(atanh 0.4 ± 1.96·√0.437).
        check(&[[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [4.0, 3.0], [5.0, 4.0]], "0.4000 -0.7024 0.9378");
        // One tie in the second figure: 9 / √(10·9).
        check(&[[1.0, 1.0], [2.0, 1.0], [3.0, 2.0], [4.0, 3.0], [5.0, 4.0]], "0.9487 0.4799 0.9961");
        // Opposite orders; below five things the bounds say nothing.
        check(&[[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]], "-1.000 -1.000 1");
    }

    #[test]
    fn one_figure_without_an_order_says_nothing() {
        check(&[], "– -1.000 1");
        check(&[[1.0, 2.0], [1.0, 3.0], [1.0, 4.0], [1.0, 5.0], [1.0, 6.0]], "– -1.000 1");
    }

    /// Independent figures have τ = 0.
    #[test]
    fn at_least_95_of_100_intervals_hold_the_truth() {
        const RUNS: u32 = 300;
        for n in [6, 10, 20, 40] {
            let mut draws = Draws::new(n);
            let mut figure = || float(draws.between(0, 1_000_000));
            let holds = |_: &u32| {
                let pairs: Vec<[f64; 2]> = (0..n).map(|_| [figure(), figure()]).collect();
                let found = Tau::new(&pairs);
                found.low <= 0.0 && 0.0 <= found.high
            };
            let share = (0..RUNS).filter(holds).count() as f64 / f64::from(RUNS);
            assert!(share >= least(RUNS), "{n} things: {share}");
        }
    }
}
