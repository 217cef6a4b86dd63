//! All places that are known, within a bound.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use balk_guards::Completion;

use super::beginning::Beginning;
use super::history::{is_given, is_shown};
use super::place::Place;
use super::trail::Trail;
use crate::listen::path::{Item, Path};

/// All places that are known.
#[derive(Default)]
pub(super) struct Known {
    /// By the order in which they came.
    places: BTreeMap<u64, Arc<Place>>,
    /// Several sessions may have a path in common.
    by_path: BTreeSet<(Path, u64)>,
    /// The places whose request is the beginning of others, byte for byte.
    by_beginning: BTreeSet<(Beginning, u64)>,
    /// The place at which the answer with each id was given, of dialects whose requests follow one.
    by_answer: BTreeMap<Arc<str>, u64>,
    /// How many places have come.
    count: u64,
    /// About how many bytes they take.
    bytes: usize,
}

impl Known {
    /// The longest of these beginnings that is the request of a place, and how many elements it has.
    pub(super) fn begun(&self, beginnings: &[Beginning]) -> Option<(Beginning, usize)> {
        let is_known = |it| of(&self.by_beginning, it).next().is_some();
        let longest = beginnings.iter().enumerate().rev().find(|(_, it)| is_known(**it));
        longest.map(|(at, it)| (*it, at + 1))
    }

    /// The place whose request is this and whose answer is shown as `echo`: as it was given, if there is one.
    pub(super) fn shown(&self, request: Beginning, echo: &Completion) -> Option<Arc<Place>> {
        let shown = of(&self.by_beginning, request).map(|it| &self.places[&it]);
        let shown = shown.filter(|it| is_shown(Some(echo), &it.answer.shown));
        shown.max_by_key(|it| is_given(echo, &it.answer.shown)).cloned()
    }

    /// The place at which the answer with this id was given.
    pub(super) fn answered(&self, id: &str) -> Option<Arc<Place>> {
        self.places.get(self.by_answer.get(id)?).cloned()
    }

    /// The last place on the way to these items that they do not contradict, and how many of them lead to it. A request
    /// mostly goes on from the answer to the one before it, so the last ones are looked up first.
    pub(super) fn last_of(&self, trails: &[Trail], items: &[Item]) -> Option<(Arc<Place>, usize)> {
        let place =
            |(at, trail): (usize, &Trail)| Some((self.fitting(trail, items.get(at + 1))?.clone(), at + 1));
        trails.iter().enumerate().rev().find_map(place)
    }

    /// The place at the end of this way; `next` is the item behind it. Its request was as it is shown now or, if the
    /// agent has changed that since, its answer is shown by the names that it was given with: else it may be another
    /// session's.
    fn fitting(&self, trail: &Trail, next: Option<&Item>) -> Option<&Arc<Place>> {
        let mut places = of(&self.by_path, trail.path).map(|it| &self.places[&it]);
        let is_whole = |it: &Place| it.trail.whole == trail.whole;
        let Some(next) = next else { return places.rfind(|it| is_whole(it)) };
        let echo = next.after.as_deref();
        let ranked = |place: &Place| {
            let given = echo.is_some_and(|it| is_given(it, &place.answer.shown));
            let rank = (given, is_shown(echo, &place.answer.shown), is_whole(place));
            (given || rank.2).then_some(rank)
        };
        places.filter_map(|it| Some((ranked(it)?, it))).max_by_key(|(rank, _)| *rank).map(|(_, it)| it)
    }

    /// Keeps a place. Where all take more than so many bytes, the oldest are forgotten.
    pub(super) fn keeps(&mut self, place: Place, most: usize) {
        let nth = self.count;
        self.count += 1;
        self.by_path.insert((place.trail.path, nth));
        self.by_answer.extend(place.answer.id.clone().map(|id| (id, nth)));
        self.by_beginning.extend(place.beginning.map(|it| (it, nth)));
        self.bytes += place.bytes();
        self.places.insert(nth, Arc::new(place));
        while self.bytes > most
            && let Some((nth, place)) = self.places.pop_first()
        {
            self.forgets(nth, &place);
        }
    }

    /// Forgets where a place was.
    fn forgets(&mut self, nth: u64, place: &Place) {
        self.bytes -= place.bytes();
        self.by_path.remove(&(place.trail.path, nth));
        if let Some(id) = place.answer.id.as_ref().filter(|it| self.by_answer.get(*it) == Some(&nth)) {
            self.by_answer.remove(id);
        }
        if let Some(beginning) = place.beginning {
            self.by_beginning.remove(&(beginning, nth));
        }
    }
}

/// The numbers of the places with this key, in order.
fn of<K: Copy + Ord>(all: &BTreeSet<(K, u64)>, key: K) -> impl DoubleEndedIterator<Item = u64> {
    all.range((key, 0)..=(key, u64::MAX)).map(|(_, nth)| *nth)
}
