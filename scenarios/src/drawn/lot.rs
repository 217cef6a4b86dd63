//! What a seed decides about a drawn world: slip, plan, point, numbers and surfaces.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// The random choices of one composition, in order. A snapshot pins what they decide.
#[derive(Clone, Debug)]
pub(super) struct Lot {
    rng: ChaCha8Rng,
}

impl Lot {
    /// The choices of this seed for this target.
    pub(super) fn new(seed: u64, target: &str) -> Self {
        let mut key = [0; 32];
        key[..16].copy_from_slice(&xxh3_128_with_seed(target.as_bytes(), seed).to_le_bytes());
        key[16..24].copy_from_slice(&seed.to_le_bytes());
        Self { rng: ChaCha8Rng::from_seed(key) }
    }

    /// A number of this range, both ends included.
    pub(super) fn within(&mut self, from: u32, to: u32) -> u32 {
        self.rng.random_range(from..=to)
    }

    /// An index below `len`, which must not be 0.
    pub(super) fn index(&mut self, len: usize) -> usize {
        let last = u32::try_from(len).expect("lists are short") - 1;
        usize::try_from(self.within(0, last)).expect("an index fits")
    }

    /// One of these, which must not be empty.
    pub(super) fn pick<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.index(all.len())]
    }

    /// True once in this many cases.
    pub(super) fn once_in(&mut self, many: u32) -> bool {
        self.within(1, many) == 1
    }

    /// An index with a chance in proportion to its weight. The sum must not be 0.
    pub(super) fn weighted(&mut self, weights: &[u32]) -> usize {
        let mut at = self.within(1, weights.iter().sum());
        weights
            .iter()
            .position(|weight| match at.checked_sub(*weight) {
                None | Some(0) => true,
                Some(rest) => {
                    at = rest;
                    false
                }
            })
            .expect("a draw is not above the sum")
    }
}
