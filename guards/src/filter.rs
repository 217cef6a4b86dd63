//! A quick test whether a call may be remembered, without a search.

use balk_contract::ResultKey;
use balk_contract::key::CallKey;

/// What is remembered: a call or an answer.
pub(crate) trait Key {
    /// Bits of it, all of them equally likely.
    fn bits(self) -> usize;
}

impl Key for CallKey {
    fn bits(self) -> usize {
        Self::bits(self)
    }
}

impl Key for ResultKey {
    fn bits(self) -> usize {
        (self.folded() & 0xffff_ffff) as usize
    }
}

/// A counting Bloom filter with two buckets for each call: the number of remembered calls in each bucket. If one of
/// its buckets is empty, the call is not remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Filter {
    fell: [u16; Self::BUCKETS],
}

impl Filter {
    /// Sixteen for each of 64 remembered calls: one in seventy of the calls that are not remembered needs a search.
    const BUCKETS: usize = 1_024;

    fn buckets(key: impl Key) -> [usize; 2] {
        let bits = key.bits();
        [bits % Self::BUCKETS, (bits >> 16) % Self::BUCKETS]
    }

    #[inline]
    pub(crate) fn may_have(&self, key: impl Key) -> bool {
        Self::buckets(key).iter().all(|&bucket| self.fell[bucket] > 0)
    }

    pub(crate) fn add(&mut self, key: impl Key) {
        for bucket in Self::buckets(key) {
            self.fell[bucket] += 1;
        }
    }

    pub(crate) fn remove(&mut self, key: impl Key) {
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
