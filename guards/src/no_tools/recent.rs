//! The files that results named last.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Files that are remembered.
const FILES: usize = 128;
/// Places of the table of counts: with eight for each file, most new files meet an empty one.
const PLACES: usize = 1_024;

/// Digests of files, each once, oldest first. A listing names many files, most of them new, so a table of counts says
/// first which cannot be among them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "VecDeque<u64>", into = "VecDeque<u64>")]
pub(super) struct Recent {
    files: VecDeque<u64>,
    /// How many of the files have these bits; empty if there are none.
    counts: Vec<u8>,
}

fn place(file: u64) -> usize {
    file as usize % PLACES
}

impl Recent {
    pub(super) fn contains(&self, file: u64) -> bool {
        self.counts.get(place(file)).is_some_and(|count| *count > 0) && self.files.contains(&file)
    }

    pub(super) fn push(&mut self, file: u64) {
        if self.contains(file) {
            return;
        }
        if self.files.len() == FILES
            && let Some(oldest) = self.files.pop_front()
        {
            self.counts[place(oldest)] -= 1;
        }
        if self.counts.is_empty() {
            self.counts.resize(PLACES, 0);
        }
        self.counts[place(file)] += 1;
        self.files.push_back(file);
    }
}

impl From<VecDeque<u64>> for Recent {
    fn from(files: VecDeque<u64>) -> Self {
        let mut recent = Self::default();
        files.into_iter().for_each(|file| recent.push(file));
        recent
    }
}

impl From<Recent> for VecDeque<u64> {
    fn from(recent: Recent) -> Self {
        recent.files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_files_are_known_also_after_a_save() {
        let mut recent = Recent::default();
        assert!(!recent.contains(0));
        // Many of them share a place.
        let file = |nth: u64| nth / 3 * PLACES as u64 + nth % 3;
        for nth in 0..1_000 {
            recent.push(file(nth));
            recent.push(file(nth));
        }
        let saved = serde_json::to_value(&recent).expect("numbers");
        let loaded: Recent = serde_json::from_value(saved).expect("the same numbers");
        assert_eq!(loaded, recent);
        for nth in 0..1_001 {
            assert_eq!(loaded.contains(file(nth)), (872..1_000).contains(&nth), "{nth}");
        }
    }
}
