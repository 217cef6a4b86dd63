//! Whether a call may be among the remembered ones, told without a search.

use balk_contract::key::CallKey;

/// How many remembered calls fell into each of a thousand buckets, where each call falls into two: one of them
/// empty, and the call is not there (a counting Bloom filter).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Filter {
    fell: [u16; Self::BUCKETS],
}

impl Filter {
    /// Sixteen for each of 64 remembered calls: of the calls that are not there, one in seventy is searched for.
    const BUCKETS: usize = 1_024;

    fn buckets(key: CallKey) -> [usize; 2] {
        [key.bits() % Self::BUCKETS, (key.bits() >> 16) % Self::BUCKETS]
    }

    #[inline]
    pub(crate) fn may_have(&self, key: CallKey) -> bool {
        Self::buckets(key).iter().all(|&bucket| self.fell[bucket] > 0)
    }

    pub(crate) fn add(&mut self, key: CallKey) {
        for bucket in Self::buckets(key) {
            self.fell[bucket] += 1;
        }
    }

    pub(crate) fn remove(&mut self, key: CallKey) {
        for bucket in Self::buckets(key) {
            self.fell[bucket] -= 1;
        }
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self { fell: [0; Self::BUCKETS] }
    }
}
