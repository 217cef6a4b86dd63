//! The regularised incomplete beta function, and the binomial tails that it gives.
//!
//! `I_x(a, b)` is computed from its continued fraction (DLMF 8.17.22) by Lentz' method.

use super::number::ALPHA;
use super::root::root;

/// Clopper and Pearson's lower bound for `x > 0` of `n`: for a smaller true share, `x` or more have a probability below
/// α/2. Neither number need be whole.
pub(super) fn lower_bound(x: f64, n: f64) -> f64 {
    root(|p| beta(p, x, n - x + 1.0) < ALPHA / 2.0)
}

/// Clopper and Pearson's upper bound for `x < n` of `n`: for a larger true share, `x` or fewer have a probability below
/// α/2.
pub(super) fn upper_bound(x: f64, n: f64) -> f64 {
    root(|p| 1.0 - beta(p, x + 1.0, n - x) > ALPHA / 2.0)
}

/// The regularised incomplete beta function `I_x(a, b)` for `a, b > 0`.
pub(super) fn beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast below the mean; above it, the other tail is computed.
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

    #[test]
    fn closed_forms() {
        for x in [0.001, 0.2, 0.5, 0.73, 0.999] {
            // I_x(1, b) = 1 − (1 − x)^b, I_x(a, 1) = x^a, I_x(2, 2) = x²·(3 − 2x).
            assert!((beta(x, 1.0, 7.0) - (1.0 - libm::pow(1.0 - x, 7.0))).abs() < 1e-14, "{x}");
            assert!((beta(x, 0.3, 1.0) - libm::pow(x, 0.3)).abs() < 1e-13, "{x}");
            assert!((beta(x, 2.0, 2.0) - x * x * (3.0 - 2.0 * x)).abs() < 1e-14, "{x}");
        }
        assert_eq!([beta(0.0, 2.0, 3.0), beta(1.0, 2.0, 3.0)], [0.0, 1.0]);
    }
}
