//! Intervals of ratios of two sums over trials, by a Poisson bootstrap.
//!
//! A ratio such as turns per recovered run, or tokens with a stack over tokens of the baseline, has no simple
//! variance. The bootstrap resamples the trials 200 times ([`Bootstrap`]; B. Efron, *Bootstrap methods: another look
//! at the jackknife*, Annals of Statistics 7, 1979, 1–26). The bounds are the 4th and the 197th of the 200 ratios in
//! order. They are one rank further out than the percentiles at `201·α/2` from either end, because percentile
//! intervals are too narrow for few trials.
//!
//! Measured on 2,000 samples each, for turns per recovered run and for tokens relative to the baseline: coverage was 96
//! to 97 % for 200 and 1,000 trials, 95 % for 50 trials, and 97 % and only 91 % for 20 trials. Do not trust it below
//! about 50 trials.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::number::float;
use super::print::{digits, four, four_or_none, text};
use crate::records::{Bootstrap, REPLICATES};

/// The number of ratios beyond each bound.
const LEFT_OUT: usize = 3;

/// A ratio of two sums over trials, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ratio {
    /// The ratio; none if the denominator is 0.
    #[serde(serialize_with = "four_or_none")]
    pub ratio: Option<f64>,
    /// The lower bound.
    #[serde(serialize_with = "four")]
    #[schemars(with = "f64")]
    pub low: f64,
    /// The upper bound; infinite if too many replicates have the denominator 0.
    #[serde(serialize_with = "four")]
    #[schemars(with = "Option<f64>")]
    pub high: f64,
}

impl Ratio {
    /// The ratio of these sums. A replicate with the denominator 0 counts at both ends.
    #[must_use]
    pub fn new(sums: &Bootstrap) -> Self {
        let [numerator, denominator] = sums.sums();
        let ratio = (denominator > 0).then(|| float(numerator) / float(denominator));
        let ordered = |open: f64| {
            let of = |[above, below]: [u64; 2]| if below == 0 { open } else { float(above) / float(below) };
            let mut ratios: Vec<f64> = sums.replicates().map(of).collect();
            ratios.sort_by(f64::total_cmp);
            ratios
        };
        let low = ordered(0.0)[LEFT_OUT];
        let high = ordered(f64::INFINITY)[REPLICATES - 1 - LEFT_OUT];
        Self { ratio, low, high }
    }

    /// The ratio and its bounds with four significant digits, for programs; `inf` is an open bound.
    #[must_use]
    pub fn digits(&self) -> (Option<String>, [String; 2]) {
        (self.ratio.map(digits), [digits(self.low), digits(self.high)])
    }
}

/// The ratio with its bounds, such as `0.8142 (0.7903–0.8400)`; a dash for none.
impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.ratio {
            None => "–".into(),
            Some(ratio) => format!("{} ({}–{})", text(ratio), text(self.low), text(self.high)),
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests;
