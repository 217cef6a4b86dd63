//! Keyed random numbers for the tests of coverage, so that a test that fails once always fails.

/// A stream of draws.
pub(super) struct Draws(u64);

impl Draws {
    /// The stream of this seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// A number from 0 to 1, without 1.
    pub(super) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        (mix(self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether something with this probability happens.
    pub(super) fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// How many of `of` things happen, each with this probability.
    pub(super) fn count(&mut self, of: u64, p: f64) -> u64 {
        (0..of).map(|_| u64::from(self.chance(p))).sum()
    }

    /// How many of `of` trials of one cluster have an outcome with this probability. Each trial is the common one of
    /// the cluster with probability `√correlation`, and else its own.
    pub(super) fn correlated(&mut self, of: u64, p: f64, correlation: f64) -> u64 {
        let common = self.chance(p);
        let own = |draws: &mut Self| if draws.chance(correlation.sqrt()) { common } else { draws.chance(p) };
        (0..of).map(|_| u64::from(own(self))).sum()
    }

    /// One pair of trials of a cluster: 1 and 0 with the first of these probabilities (saved), 0 and 1 with the second
    /// (lost). It shares the cluster's common number with probability `√correlation`, and else has its own.
    pub(super) fn pair(&mut self, common: f64, correlation: f64, [saved, lost]: [f64; 2]) -> [u64; 2] {
        let own = self.unit();
        let unit = if self.chance(correlation.sqrt()) { common } else { own };
        [unit < saved, unit >= saved && unit < saved + lost].map(u64::from)
    }

    /// A whole number from `first` to `last`.
    pub(super) fn between(&mut self, first: u64, last: u64) -> u64 {
        first + ((last - first + 1) as f64 * self.unit()) as u64
    }
}

/// The intra-cluster correlations that intervals over clusters are tested with; that of field scenarios is 0.6.
pub(super) const CORRELATIONS: [f64; 3] = [0.0, 0.1, 0.6];

/// The least coverage that `runs` intervals may have: 95 % minus three standard errors.
pub(super) fn least(runs: u32) -> f64 {
    0.95 - 3.0 * (0.95 * 0.05 / f64::from(runs)).sqrt()
}

/// The finaliser of SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, *Fast splittable pseudorandom number
/// generators*, OOPSLA 2014).
const fn mix(mut key: u64) -> u64 {
    key = (key ^ (key >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    key = (key ^ (key >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    key ^ (key >> 31)
}
