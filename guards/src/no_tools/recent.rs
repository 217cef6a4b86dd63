//! The files that results named last.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Files that are remembered.
const FILES: usize = 128;
/// Places of the table: with eight for each file, most files have one of their own.
const PLACES: usize = 1_024;

/// Digests of files, each once, oldest first. A listing names many files, so a table says first which of them are among
/// these.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "VecDeque<u64>", into = "VecDeque<u64>")]
pub(super) struct Recent {
    files: VecDeque<u64>,
    /// For each place, how many of the files belong there and the newest of them, if it is not forgotten.
    places: Vec<(u64, u8)>,
}

fn place(file: u64) -> usize {
    file as usize % PLACES
}

impl Recent {
    pub(super) fn contains(&self, file: u64) -> bool {
        match self.places.get(place(file)) {
            None | Some((_, 0)) => false,
            Some((newest, _)) if *newest == file && file != 0 => true,
            Some(_) => self.files.contains(&file),
        }
    }

    pub(super) fn push(&mut self, file: u64) {
        if self.contains(file) {
            return;
        }
        if self.files.len() == FILES
            && let Some(oldest) = self.files.pop_front()
        {
            let (newest, count) = &mut self.places[place(oldest)];
            *count -= 1;
            *newest = if *newest == oldest { 0 } else { *newest };
        }
        if self.places.is_empty() {
            self.places.resize(PLACES, (0, 0));
        }
        let (newest, count) = &mut self.places[place(file)];
        (*newest, *count) = (file, *count + 1);
        self.files.push_back(file);
    }
}

/// The table follows from the files, and from those that were forgotten.
impl PartialEq for Recent {
    fn eq(&self, other: &Self) -> bool {
        self.files == other.files
    }
}

impl Eq for Recent {}

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
