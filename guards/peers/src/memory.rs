//! The memory of these rules: repetitions in a row, and the last items.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3Default;

use balk_contract::key::from_hex;

/// Equal things in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Streak<K> {
    last: Option<K>,
    count: u32,
}

impl<K> Default for Streak<K> {
    fn default() -> Self {
        Self { last: None, count: 0 }
    }
}

impl<K: Copy + PartialEq> Streak<K> {
    /// Takes the next one; returns how many equal ones there are in a row now, including it.
    pub(super) fn push(&mut self, next: K) -> u32 {
        let goes_on = self.last == Some(next);
        self.count = if goes_on { self.count.saturating_add(1) } else { 1 };
        self.last = Some(next);
        self.count
    }

    /// What [`push`](Self::push) would return for each of these.
    pub(super) fn over(mut self, next: impl Iterator<Item = K>) -> impl Iterator<Item = u32> {
        next.map(move |it| self.push(it))
    }

    /// The last one.
    pub(super) fn last(&self) -> Option<K> {
        self.last
    }

    /// If this is the last one, counts it as the first of a row.
    pub(super) fn restart(&mut self, at: K) {
        if self.last == Some(at) {
            self.count = 1;
        }
    }
}

/// The last `N` of something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Recent<K, const N: usize>(VecDeque<K>);

impl<K, const N: usize> Default for Recent<K, N> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<K: PartialEq, const N: usize> Recent<K, N> {
    /// Takes the next one and forgets what is too old.
    pub(super) fn push(&mut self, next: K) {
        while self.0.len() >= N {
            self.0.pop_front();
        }
        self.0.push_back(next);
    }

    /// How many whole laps in a row the last `period` of them make.
    pub(super) fn laps(&self, period: usize) -> usize {
        let Some(last) = self.0.len().checked_sub(period) else { return 0 };
        let goes_back = (0..last).rev().take_while(|at| self.0[*at] == self.0[at + period]).count();
        1 + goes_back / period
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &K> {
        self.0.iter()
    }

    pub(super) fn last_mut(&mut self) -> Option<&mut K> {
        self.0.back_mut()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Equal exactly if the texts are equal byte by byte. Written as 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(super) struct Fingerprint(u128);

impl Fingerprint {
    /// Of several texts in order; the boundaries between them count.
    pub(super) fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut hash = Xxh3Default::new();
        for text in texts {
            hash.update(&text.len().to_le_bytes());
            hash.update(text.as_bytes());
        }
        Self(hash.digest128())
    }
}

impl From<Fingerprint> for String {
    fn from(it: Fingerprint) -> Self {
        format!("{:032x}", it.0)
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let number = from_hex(&text);
        number.map(Self).ok_or_else(|| format!("expected 32 lower-case hexadecimal digits, found `{text}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(seen: &str, period: usize, laps: usize) {
        let mut recent = Recent::<char, 25>::default();
        seen.chars().for_each(|it| recent.push(it));
        assert_eq!(recent.laps(period), laps);
    }

    #[test]
    fn laps_are_whole_and_at_the_end() {
        check("aaaa", 1, 4);
        check("xababab", 2, 3);
        check("bababab", 2, 3);
        check("abcab", 3, 1);
        check("ab", 3, 0);
        check("ababax", 2, 1);
        check(&"abcde".repeat(6), 5, 5);
    }

    #[test]
    fn a_streak_begins_anew_with_every_other_thing() {
        let counts: Vec<_> = Streak::default().over("aabaaa".chars()).collect();
        assert_eq!(counts, [1, 2, 1, 1, 2, 3]);
    }
}
