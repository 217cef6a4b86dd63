//! Quantiles of the gamma distribution, from the regularised incomplete gamma function.
//!
//! `P(a, x)` is its series below `a + 1` (DLMF 8.7.1) and one minus its continued fraction above (DLMF 8.9.2, by Lentz'
//! method). For shapes above 10,000 the quantile is Wilson and Hilferty's approximation (E. B. Wilson and M. M.
//! Hilferty, *The distribution of chi-square*, Proceedings of the National Academy of Sciences 17, 1931, 684–688),
//! which agrees there with the exact quantile to seven digits and takes constant time.

use super::number::ALPHA;
use super::root::root;

/// Above this shape, the cube root of a gamma variable is treated as normal.
const LARGE: f64 = 10_000.0;

/// The `1 − α/2` quantile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The bound that a quantile is for.
#[derive(Clone, Copy)]
pub(super) enum Tail {
    Lower,
    Upper,
}

/// The quantile of a gamma distribution with this mean and variance, with α/2 beyond it; both are positive.
pub(super) fn quantile(tail: Tail, mean: f64, variance: f64) -> f64 {
    let shape = mean * mean / variance;
    standard(tail, shape) * variance / mean
}

/// The quantile for scale 1.
fn standard(tail: Tail, shape: f64) -> f64 {
    if shape > LARGE {
        let z = match tail {
            Tail::Lower => -Z,
            Tail::Upper => Z,
        };
        let cube_root = 1.0 - 1.0 / (9.0 * shape) + z / (3.0 * shape.sqrt());
        return shape * cube_root * cube_root * cube_root;
    }
    let level = match tail {
        Tail::Lower => ALPHA / 2.0,
        Tail::Upper => 1.0 - ALPHA / 2.0,
    };
    // More than ten standard deviations above the mean, and for small shapes more than their tails need.
    let end = shape + 10.0 * shape.sqrt() + 30.0;
    end * root(|it| gamma(shape, it * end) < level)
}

/// The regularised lower incomplete gamma function `P(a, x)` for `a > 0`.
fn gamma(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let scale = libm::exp(a * libm::log(x) - x - libm::lgamma(a));
    if x < a + 1.0 { scale * series(a, x) } else { 1.0 - scale * fraction(a, x) }
}

/// `Σ x^k / (a·(a + 1)…(a + k))`.
fn series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut below) = (1.0 / a, 1.0 / a, a);
    while term > f64::EPSILON * sum {
        below += 1.0;
        term *= x / below;
        sum += term;
    }
    sum
}

/// The continued fraction of the upper function, without its scale.
fn fraction(a: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    const STEPS: u32 = 100_000;
    let away_from_zero = |it: f64| if it.abs() < TINY { TINY } else { it };
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / away_from_zero(b);
    let mut fraction = d;
    for step in 1..STEPS {
        let k = f64::from(step);
        let term = -k * (k - a);
        b += 2.0;
        d = 1.0 / away_from_zero(term * d + b);
        c = away_from_zero(b + term / c);
        fraction *= c * d;
        if (c * d - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_shapes_are_poisson_tails() {
        for a in [1_u32, 2, 5, 40] {
            for x in [0.01, 0.9, 4.0, 39.0, 41.5, 90.0] {
                // P(a, x) = 1 − Σ_{k < a} e^−x·x^k / k!
                let (mut term, mut sum) = (libm::exp(-x), 0.0);
                for k in 0..a {
                    sum += term;
                    term *= x / f64::from(k + 1);
                }
                assert!((gamma(f64::from(a), x) - (1.0 - sum)).abs() < 1e-13, "P({a}, {x})");
            }
        }
    }

    #[test]
    fn half_is_the_error_function() {
        for x in [0.001, 0.3, 1.4, 1.6, 9.0_f64] {
            assert!((gamma(0.5, x) - libm::erf(x.sqrt())).abs() < 1e-14, "P(1/2, {x})");
        }
    }

    #[test]
    fn quantiles_are_the_published_limits_of_a_poisson_count() {
        // F. Garwood, Fiducial limits for the Poisson distribution, Biometrika 28, 1936, for 1, 10 and 100.
        for (count, low, high) in [(1.0, 0.0253, 5.572), (10.0, 4.795, 18.390), (100.0, 81.364, 121.627)] {
            assert!((quantile(Tail::Lower, count, count) - low).abs() < 5e-4, "{count}");
            assert!((quantile(Tail::Upper, count + 1.0, count + 1.0) - high).abs() < 5e-4, "{count}");
        }
        // For none: −ln 0.025.
        assert!((quantile(Tail::Upper, 1.0, 1.0) + libm::log(0.025)).abs() < 1e-12);
    }

    #[test]
    fn the_quantile_of_a_large_shape_follows_on_that_of_a_small_one() {
        for (tail, level) in [(Tail::Lower, 0.025), (Tail::Upper, 0.975)] {
            let shape = LARGE * 1.000_1;
            let close = standard(tail, shape);
            let exact = 2.0 * shape * root(|it| gamma(shape, 2.0 * it * shape) < level);
            assert!((close / exact - 1.0).abs() < 1e-7, "{close} for {exact}");
        }
    }
}
