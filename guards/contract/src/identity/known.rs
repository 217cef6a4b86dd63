//! Cached properties of a text. No lock is needed: concurrent callers compute the same values.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use super::result_key::ResultKey;
use crate::reading::{Findings, FoundErrors};

/// The cached properties of one text.
#[derive(Default)]
pub(super) struct Known {
    /// The halves of its key, and whether they are stored yet.
    key: [AtomicU64; 2],
    has_key: AtomicU8,
    goes_on: AtomicU8,
    /// The findings, packed; zero until they are known.
    findings: AtomicU64,
    /// The same of the errors.
    errors: AtomicU64,
}

const YES: u8 = 1;
const NO: u8 = 2;

impl Known {
    /// The key, computed at the first request.
    #[inline]
    pub(super) fn key(&self, find: impl FnOnce() -> ResultKey) -> ResultKey {
        self.kept_key().unwrap_or_else(|| {
            let key = find();
            self.keep(key);
            key
        })
    }

    /// Whether the text says that something is still in progress, computed at the first request.
    #[inline]
    pub(super) fn goes_on(&self, find: impl FnOnce() -> bool) -> bool {
        let mut answer = self.goes_on.load(Ordering::Relaxed);
        if answer == 0 {
            answer = if find() { YES } else { NO };
            self.goes_on.store(answer, Ordering::Relaxed);
        }
        answer == YES
    }

    /// What the text says, read at the first request.
    #[inline]
    pub(super) fn findings(&self, find: impl FnOnce() -> Findings) -> Findings {
        Findings::unpacked(self.findings.load(Ordering::Relaxed)).unwrap_or_else(|| {
            let findings = find();
            self.findings.store(findings.packed(), Ordering::Relaxed);
            findings
        })
    }

    /// The lines that begin like errors, read at the first request.
    #[inline]
    pub(super) fn errors(&self, find: impl FnOnce() -> FoundErrors) -> FoundErrors {
        FoundErrors::unpacked(self.errors.load(Ordering::Relaxed)).unwrap_or_else(|| {
            let errors = find();
            self.errors.store(errors.packed(), Ordering::Relaxed);
            errors
        })
    }

    fn kept_key(&self) -> Option<ResultKey> {
        let half = |at: usize| u128::from(self.key[at].load(Ordering::Relaxed));
        let has_key = self.has_key.load(Ordering::Acquire) == YES;
        has_key.then(|| ResultKey(half(0) << 64 | half(1)))
    }

    fn keep(&self, ResultKey(key): ResultKey) {
        self.key[0].store((key >> 64) as u64, Ordering::Relaxed);
        self.key[1].store(key as u64, Ordering::Relaxed);
        self.has_key.store(YES, Ordering::Release);
    }
}

impl Clone for Known {
    fn clone(&self) -> Self {
        let copy = Self {
            goes_on: self.goes_on.load(Ordering::Relaxed).into(),
            findings: self.findings.load(Ordering::Relaxed).into(),
            errors: self.errors.load(Ordering::Relaxed).into(),
            ..Self::default()
        };
        if let Some(key) = self.kept_key() {
            copy.keep(key);
        }
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_asks_twice_nor_does_a_copy() {
        let known = Known::default();
        assert_eq!(known.clone().kept_key(), None);
        let key = ResultKey(3 << 100 | 7);
        assert_eq!(known.key(|| key), key);
        assert!(!known.goes_on(|| false));
        let findings = Findings::of("error: it is not there");
        assert_eq!(known.findings(|| findings), findings);
        let errors = FoundErrors::of(&"error: it is not there\n".repeat(30));
        assert_eq!(known.errors(|| errors), errors);
        for known in [known.clone(), known] {
            assert_eq!(known.key(|| unreachable!("the key is known")), key);
            assert!(!known.goes_on(|| unreachable!("the answer is known")));
            assert_eq!(known.findings(|| unreachable!("the text was read")), findings);
            assert_eq!(known.errors(|| unreachable!("the text was read")), errors);
        }
    }
}
