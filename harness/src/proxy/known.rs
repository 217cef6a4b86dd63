//! All places that are known, within a bound.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::beginning::Beginning;
use super::place::Place;
use crate::listen::path::Path;

/// All places that are known.
#[derive(Default)]
pub(super) struct Known {
    places: BTreeMap<Path, Arc<Place>>,
    /// The place whose request is the beginning of others, byte for byte.
    by_beginning: BTreeMap<Beginning, Path>,
    /// The place at which the answer with each id was given, of dialects whose requests follow one.
    by_answer: BTreeMap<Arc<str>, Path>,
    /// The order in which places came, for when there are too many.
    order: VecDeque<Path>,
    /// About how many bytes they take.
    bytes: usize,
}

impl Known {
    /// The place whose request is the longest beginning of another one, and how many elements it has.
    pub(super) fn begun(&self, beginnings: &[Beginning]) -> Option<(Arc<Place>, usize)> {
        let path = |it| self.by_beginning.get(it);
        let place = |(at, it): (usize, _)| Some((self.places.get(path(it)?)?.clone(), at + 1));
        beginnings.iter().enumerate().rev().find_map(place)
    }

    /// The place at which the answer with this id was given.
    pub(super) fn answered(&self, id: &str) -> Option<Arc<Place>> {
        self.places.get(self.by_answer.get(id)?).cloned()
    }

    /// The last place on these paths, and how many of them lead to it. A request mostly goes on from the answer to the
    /// one before it, so the last ones are looked up first.
    pub(super) fn last_of(&self, paths: &[Path]) -> Option<(Arc<Place>, usize)> {
        let place = |(at, path): (usize, &Path)| Some((self.places.get(path)?.clone(), at + 1));
        paths.iter().enumerate().rev().find_map(place)
    }

    /// Keeps a place, in place of another one at its path. Where all take more than so many bytes, the oldest are
    /// forgotten.
    pub(super) fn keeps(&mut self, place: Place, most: usize) {
        let path = place.path;
        if !self.forgets(path) {
            self.order.push_back(path);
        }
        self.by_answer.extend(place.answer.id.clone().map(|id| (id, path)));
        self.by_beginning.extend(place.beginning.map(|it| (it, path)));
        self.bytes += place.bytes();
        self.places.insert(path, Arc::new(place));
        while self.bytes > most
            && let Some(path) = self.order.pop_front()
        {
            self.forgets(path);
        }
    }

    /// Forgets the place at this path. Whether there was one.
    fn forgets(&mut self, path: Path) -> bool {
        let Some(place) = self.places.remove(&path) else { return false };
        self.bytes -= place.bytes();
        if let Some(id) = &place.answer.id {
            self.by_answer.remove(id);
        }
        if let Some(beginning) = &place.beginning {
            self.by_beginning.remove(beginning);
        }
        true
    }
}
