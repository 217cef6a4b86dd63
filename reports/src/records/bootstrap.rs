//! Sums of a ratio, resampled 200 times with keyed weights (a Poisson bootstrap).
//!
//! In each replicate a trial counts `w` times, `w` Poisson with mean 1 (N. Chamandy, O. Muralidharan, A. Najmi and S.
//! Naidu, *Estimating uncertainty for massive data streams*, Google, 2012). The weight of a trial in a replicate is a
//! hash of the two and of nothing else. So weights need not be stored, trials may come in any order, all figures of a
//! trial are resampled together, and shards add up to the same bytes as one run. Weights are drawn by integer
//! thresholds. Only two sums per replicate are stored.

use std::fmt;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The number of replicates.
pub const REPLICATES: usize = 200;

/// `2^32·P(W ≤ k)` for `k` from 0, rounded, with `W` Poisson with mean 1: the weight of a draw is the number
/// of thresholds that it reaches. A weight above 12, one in 10^9 draws, becomes 12.
const THRESHOLDS: [u32; 12] = [
    1_580_030_169,
    3_160_060_337,
    3_950_075_422,
    4_213_413_783,
    4_279_248_374,
    4_292_415_292,
    4_294_609_778,
    4_294_923_276,
    4_294_962_463,
    4_294_966_817,
    4_294_967_253,
    4_294_967_292,
];

/// The key of a trial: its scenario and seed, but not its stack, so that pairs are resampled together.
#[must_use]
pub fn trial_key(scenario: &str, seed: u64) -> u64 {
    xxh3_64_with_seed(scenario.as_bytes(), seed)
}

/// The weight of one trial in each replicate. Compute it once to add several figures of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights([u32; REPLICATES]);

impl Weights {
    /// The weights of the trial with this key.
    #[must_use]
    pub fn new(trial_key: u64) -> Self {
        let mut weights = [0; REPLICATES];
        let mut state = mix(trial_key);
        for pair in weights.chunks_exact_mut(2) {
            state = state.wrapping_add(GOLDEN);
            let draw = mix(state);
            pair[0] = draw as u32;
            pair[1] = (draw >> 32) as u32;
        }
        for weight in &mut weights {
            let draw = *weight;
            *weight = THRESHOLDS.iter().map(|&threshold| u32::from(draw >= threshold)).sum();
        }
        Self(weights)
    }
}

/// 2^64 over the golden ratio, the step of SplitMix64.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finaliser of SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, *Fast splittable pseudorandom number
/// generators*, OOPSLA 2014).
pub(crate) const fn mix(mut key: u64) -> u64 {
    key = (key ^ (key >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    key = (key ^ (key >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    key ^ (key >> 31)
}

/// The sums of a ratio: the original ones, and those of each replicate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<[u64; 2]>", into = "Vec<[u64; 2]>")]
pub struct Bootstrap {
    numerator: u64,
    denominator: u64,
    numerators: Box<[u64; REPLICATES]>,
    denominators: Box<[u64; REPLICATES]>,
}

impl Default for Bootstrap {
    fn default() -> Self {
        let none = || Box::new([0; REPLICATES]);
        Self { numerator: 0, denominator: 0, numerators: none(), denominators: none() }
    }
}

impl Bootstrap {
    /// Adds a trial.
    pub fn add(&mut self, trial_key: u64, numerator: u64, denominator: u64) {
        self.add_weighted(&Weights::new(trial_key), numerator, denominator);
    }

    /// Adds a trial with known weights.
    pub fn add_weighted(&mut self, weights: &Weights, numerator: u64, denominator: u64) {
        self.numerator += numerator;
        self.denominator += denominator;
        for (sum, &weight) in self.numerators.iter_mut().zip(&weights.0) {
            *sum += u64::from(weight) * numerator;
        }
        for (sum, &weight) in self.denominators.iter_mut().zip(&weights.0) {
            *sum += u64::from(weight) * denominator;
        }
    }

    /// The sums of both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let mut sums = self.clone();
        sums.numerator += other.numerator;
        sums.denominator += other.denominator;
        for (sum, more) in sums.numerators.iter_mut().zip(&*other.numerators) {
            *sum += more;
        }
        for (sum, more) in sums.denominators.iter_mut().zip(&*other.denominators) {
            *sum += more;
        }
        sums
    }

    /// The original numerator and denominator.
    #[must_use]
    pub const fn sums(&self) -> [u64; 2] {
        [self.numerator, self.denominator]
    }

    /// The numerator and the denominator of each replicate.
    pub fn replicates(&self) -> impl Iterator<Item = [u64; 2]> {
        self.numerators.iter().zip(&*self.denominators).map(|(&above, &below)| [above, below])
    }
}

/// A bootstrap with another number of replicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadBootstrap {
    /// The number of pairs of sums.
    pub found: usize,
}

impl fmt::Display for BadBootstrap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} pairs of sums, found {}", REPLICATES + 1, self.found)
    }
}

impl std::error::Error for BadBootstrap {}

/// The pairs of numerator and denominator: the original one, then that of each replicate.
impl From<Bootstrap> for Vec<[u64; 2]> {
    fn from(it: Bootstrap) -> Self {
        std::iter::once(it.sums()).chain(it.replicates()).collect()
    }
}

impl TryFrom<Vec<[u64; 2]>> for Bootstrap {
    type Error = BadBootstrap;

    fn try_from(pairs: Vec<[u64; 2]>) -> Result<Self, BadBootstrap> {
        if pairs.len() != REPLICATES + 1 {
            return Err(BadBootstrap { found: pairs.len() });
        }
        let mut sums = Self { numerator: pairs[0][0], denominator: pairs[0][1], ..Self::default() };
        for (at, [above, below]) in pairs[1..].iter().enumerate() {
            sums.numerators[at] = *above;
            sums.denominators[at] = *below;
        }
        Ok(sums)
    }
}

#[cfg(test)]
mod tests;
