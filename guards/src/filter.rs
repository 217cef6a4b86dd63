//! Whether a call may be among the remembered ones, told without a search.

use crate::key::CallKey;

/// How many remembered calls share a few bits of their keys: none, and the call is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Filter {
    shared: [u16; Self::BUCKETS],
}

impl Filter {
    /// Sixteen times the calls that are remembered by most: one search in sixteen is for nothing.
    const BUCKETS: usize = 1_024;

    fn bucket(key: CallKey) -> usize {
        key.bits() % Self::BUCKETS
    }

    pub(crate) fn may_have(&self, key: CallKey) -> bool {
        self.shared[Self::bucket(key)] > 0
    }

    pub(crate) fn add(&mut self, key: CallKey) {
        self.shared[Self::bucket(key)] += 1;
    }

    pub(crate) fn remove(&mut self, key: CallKey) {
        self.shared[Self::bucket(key)] -= 1;
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self { shared: [0; Self::BUCKETS] }
    }
}
