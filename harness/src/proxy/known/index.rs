//! Keys with the numbers of their places, in order. A range of keys is all that can be looked up.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

pub(super) struct Index<K>(BTreeSet<K>);

impl<K> Default for Index<K> {
    fn default() -> Self {
        Self(BTreeSet::new())
    }
}

impl<K: Ord> Index<K> {
    pub(super) fn insert(&mut self, key: K) {
        self.0.insert(key);
    }

    pub(super) fn remove(&mut self, key: &K) {
        self.0.remove(key);
    }

    /// The keys from one to another, of which a look should read the first and the last alone.
    pub(super) fn within(&self, keys: RangeInclusive<K>) -> impl DoubleEndedIterator<Item = &K> {
        counts::one();
        self.0.range(keys).inspect(|_| counts::one())
    }
}

/// How often a key was looked up, and how many were read.
#[cfg(test)]
pub(super) mod counts {
    use std::cell::Cell;

    thread_local! {
        static ALL: Cell<u64> = const { Cell::new(0) };
    }

    pub(super) fn one() {
        ALL.set(ALL.get() + 1);
    }

    /// All until now in this thread.
    pub(in super::super) fn all() -> u64 {
        ALL.get()
    }
}

#[cfg(not(test))]
mod counts {
    pub(super) fn one() {}
}
