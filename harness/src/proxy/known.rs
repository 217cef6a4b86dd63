//! All places that are known, within a bound.
//!
//! Many sessions can have one task, and so many places one request. Every key has the answer in it where that tells
//! them apart, so a look costs the same however many there are.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use balk_guards::Completion;

use super::beginning::Beginning;
use super::echo;
use super::place::Place;
use super::trail::Trail;
use crate::listen::path::{Item, Path};

mod index;

use index::Index;

/// All places that are known.
#[derive(Default)]
pub(super) struct Known {
    /// By the order in which they came.
    places: BTreeMap<u64, Arc<Place>>,
    /// By all that the request shows: as it is, with what its answer calls, and with the very answer.
    by_whole: Index<(Path, u64)>,
    /// By what stays of the request, with the very answer; then by all that the request shows.
    by_given: Index<(Path, Path, u64)>,
    /// By how requests begin that go on from the place, byte for byte: as for `by_whole`.
    by_beginning: Index<(Beginning, u64)>,
    /// By the id of the answer within the conversation, of dialects whose requests follow one; then by all that the
    /// request shows.
    by_answer: Index<(Path, Path, u64)>,
    /// How many places have come.
    count: u64,
    /// About how many bytes they take, those that are forgotten but for what goes on from them among them.
    kept: Arc<AtomicUsize>,
}

impl Known {
    /// No places yet. What they take is counted in `kept`.
    pub(super) fn new(kept: Arc<AtomicUsize>) -> Self {
        Self { kept, ..Self::default() }
    }

    /// The longest of these beginnings that is the request of a place, and how many elements it has.
    pub(super) fn begun(&self, beginnings: &[Beginning]) -> Option<(Beginning, usize)> {
        let is_known = |it| last(&self.by_beginning, it).is_some();
        let longest = beginnings.iter().enumerate().rev().find(|(_, it)| is_known(**it));
        longest.map(|(at, it)| (*it, at + 1))
    }

    /// The place whose request is this and whose answer is shown as `echo`: as it was given, if there is one.
    pub(super) fn shown(&self, request: Beginning, echo: &Completion) -> Option<Arc<Place>> {
        let with = |answer| last(&self.by_beginning, request.and(answer));
        let found = echo::as_given(echo).find_map(with).or_else(|| with(echo::called(Some(echo))));
        self.places.get(&found?).cloned()
    }

    /// The place of this conversation at which the answer with this id was given. There is none where several sessions
    /// have the id.
    pub(super) fn answered(&self, root: Path, id: &str) -> Option<Arc<Place>> {
        self.places.get(&only(&self.by_answer, root.with(id.as_bytes()))?).cloned()
    }

    /// The last place on the way to these items that they do not contradict, and how many of them lead to it. A request
    /// mostly goes on from the answer to the one before it, so the last ones are looked up first.
    pub(super) fn last_of(&self, trails: &[Trail], items: &[Item]) -> Option<(Arc<Place>, usize)> {
        let place = |(at, trail): (usize, &Trail)| {
            let nth = self.fitting(trail, items.get(at + 1))?;
            Some((self.places.get(&nth)?.clone(), at + 1))
        };
        trails.iter().enumerate().rev().find_map(place)
    }

    /// The place at the end of this way; `next` is the item behind it. Its request was as it is shown now or, if the
    /// agent has changed that since, its answer is shown by the names that it was given with: else it may be another
    /// session's. So it may be where a server gives several sessions the same names; then there is none.
    fn fitting(&self, trail: &Trail, next: Option<&Item>) -> Option<u64> {
        let whole = last(&self.by_whole, trail.whole);
        let Some(next) = next else { return whole };
        let echo = next.after.as_deref();
        let as_given = || echo.into_iter().flat_map(echo::as_given);
        let with = |answer| last(&self.by_whole, trail.whole.and(answer));
        let whole_and_given = whole.and_then(|_| as_given().find_map(with));
        let given = || as_given().find_map(|answer| only(&self.by_given, trail.path.and(answer)));
        let called = || whole.and_then(|_| with(echo::called(echo)));
        whole_and_given.or_else(given).or_else(called).or(whole)
    }

    /// Keeps a place. Where all take more than so many bytes, the oldest are forgotten. One from which another goes on
    /// that is known is still there, and takes its room.
    pub(super) fn keeps(&mut self, place: Place, most: usize) {
        let nth = self.count;
        self.count += 1;
        let by = FoundBy::of(&place);
        for key in by.whole {
            self.by_whole.insert((key, nth));
        }
        self.by_given.insert((by.given, place.trail.whole, nth));
        for key in by.beginning.into_iter().flatten() {
            self.by_beginning.insert((key, nth));
        }
        if let Some(key) = by.answer {
            self.by_answer.insert((key, place.trail.whole, nth));
        }
        self.places.insert(nth, Arc::new(place));
        while self.kept.load(Ordering::Relaxed) > most
            && let Some((nth, place)) = self.places.pop_first()
        {
            self.forgets(nth, &place);
        }
    }

    /// Forgets where a place was.
    fn forgets(&mut self, nth: u64, place: &Place) {
        let by = FoundBy::of(place);
        for key in by.whole {
            self.by_whole.remove(&(key, nth));
        }
        self.by_given.remove(&(by.given, place.trail.whole, nth));
        for key in by.beginning.into_iter().flatten() {
            self.by_beginning.remove(&(key, nth));
        }
        if let Some(key) = by.answer {
            self.by_answer.remove(&(key, place.trail.whole, nth));
        }
    }
}

/// What a place is found by.
struct FoundBy {
    whole: [Path; 3],
    given: Path,
    beginning: Option<[Beginning; 3]>,
    answer: Option<Path>,
}

impl FoundBy {
    fn of(place: &Place) -> Self {
        let (whole, shown) = (place.trail.whole, &place.answer.shown);
        let (called, given) = (echo::called(Some(shown)), echo::given(shown));
        Self {
            whole: [whole, whole.and(called), whole.and(given)],
            given: place.trail.path.and(given),
            beginning: place.beginning.map(|it| [it, it.and(called), it.and(given)]),
            answer: place.answer.named.id.as_ref().map(|id| place.trail.root.with(id.as_bytes())),
        }
    }
}

/// The last of the places with this key.
fn last<K: Copy + Ord>(all: &Index<(K, u64)>, key: K) -> Option<u64> {
    all.within((key, 0)..=(key, u64::MAX)).next_back().map(|(_, nth)| *nth)
}

/// The last of the places with this key, if all of them have one request.
fn only(all: &Index<(Path, Path, u64)>, key: Path) -> Option<u64> {
    let mut all = all.within((key, Path::default(), 0)..=(key, Path::LAST, u64::MAX));
    let (_, first, nth) = all.next()?;
    match all.next_back() {
        None => Some(*nth),
        Some((_, last, nth)) => (first == last).then_some(*nth),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, Weak};

    use balk_guards::{Entry, FinishReason, Message, Offer, RawCall, Speaker, Usage, UserMessage};

    use super::super::beginning::Length;
    use super::super::place::{Answer, Named};
    use super::*;
    use crate::listen::{Held, path};

    fn called(id: &str) -> Completion {
        let call = RawCall { id: id.into(), tool: "ls".into(), arguments: "{}".into() };
        Completion::new([], [call], FinishReason::ToolCall, Usage::default(), &Offer::default())
    }

    /// A place that goes on from another one, with an entry of so many bytes.
    fn place(known: &Known, trail: Trail, id: &str, from: Option<Arc<Place>>, bytes: usize) -> Place {
        let said = UserMessage { from: Speaker::User, text: "x".repeat(bytes).into() };
        let answer = Answer {
            entries: Box::default(),
            shown: called(id).into(),
            puts: Vec::new(),
            named: Named::default(),
        };
        let place = Place {
            trail,
            beginning: None,
            length: Length::default(),
            from,
            entries: [Entry::User(said)].into(),
            puts: Arc::default(),
            answer,
            ending: None,
            run: Mutex::default(),
            branch: 0,
            held: Held::new(&known.kept, usize::MAX),
        };
        place.counts();
        place
    }

    #[test]
    fn what_others_go_on_from_counts_until_it_is_free() {
        const MOST: usize = 100_000;
        let mut known = Known::default();
        let mut all: Vec<Weak<Place>> = Vec::new();
        let mut last = None;
        for _ in 0..500 {
            let place = place(&known, Trail::default(), "a", last.take(), 1_000);
            known.keeps(place, MOST);
            last = known.places.last_key_value().map(|(_, it)| it.clone());
            all.extend(last.as_ref().map(Arc::downgrade));
            let alive = all.iter().filter(|it| it.strong_count() > 0).count();
            assert!(alive * 1_000 <= MOST, "{alive}");
        }
        drop((last, known.places));
        assert_eq!(known.kept.load(Ordering::Relaxed), 0);
    }

    /// How many keys so many looks read among the places of so many sessions with one task.
    fn read(sessions: usize) -> u64 {
        let mut known = Known::default();
        let user = Message::User("Do it.".into());
        let shown = |id: &str| {
            path::items(&[user.clone(), Message::Assistant(called(id).into()), user.clone()], None)
        };
        let trails = Trail::of(Path::of("it")).to(&shown("a"));
        for session in 0..sessions {
            let place = place(&known, trails[0], &format!("id {session}"), None, 0);
            known.keeps(place, usize::MAX);
        }
        let before = index::counts::all();
        for look in 0..200 {
            let session = look % sessions;
            let found = known.last_of(&trails, &shown(&format!("id {session}")));
            assert_eq!(
                found.map(|(it, known)| (it.answer.shown.calls[0].id.clone(), known)),
                Some((format!("id {session}").into(), 1))
            );
            // No session has this answer.
            assert!(known.last_of(&trails, &shown("another id")).is_some());
        }
        index::counts::all() - before
    }

    #[test]
    fn a_look_reads_the_same_however_many_sessions_have_one_task() {
        let [few, many] = [10, 10_000].map(read);
        assert_eq!(few, many);
        assert!(few > 0);
    }
}
