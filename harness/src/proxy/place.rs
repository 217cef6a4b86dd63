//! One place of a conversation: a request and its answer, and the way to them.

use std::sync::{Arc, Mutex, PoisonError};

use balk_guards::wire::Asked;
use balk_guards::{Completion, Entry, Message, Run, Step};

use super::beginning::{Beginning, Length};
use super::offers::Offered;
use super::put::Put;
use super::size;
use super::trail::Trail;
use super::watched::Watched;
use crate::listen::Held;

/// A place: a request, and what it was answered with.
pub(super) struct Place {
    pub(super) trail: Trail,
    /// How its request begins, if what follows can be read alone.
    pub(super) beginning: Option<Beginning>,
    /// What its request has.
    pub(super) length: Length,
    /// The place whose answer it goes on from.
    pub(super) from: Option<Arc<Place>>,
    /// What was committed since the answer before.
    pub(super) entries: Box<[Entry]>,
    /// What the agent's requests lack up to here.
    pub(super) puts: Arc<[Put]>,
    pub(super) answer: Answer,
    /// What the user was told last for the end of the run.
    pub(super) ending: Option<Arc<str>>,
    /// The run as the answer left it, until something goes on from it. It has a box because it is large, and of a
    /// conversation only the last place has one.
    pub(super) run: Mutex<Option<Box<Waiting>>>,
    /// Which way of a conversation it is on: forks have others.
    pub(super) branch: usize,
    /// What it takes without its run, among all places.
    pub(super) held: Held,
}

/// A run between an answer and what goes on from it.
pub(super) struct Waiting {
    pub(super) run: Run<Watched>,
    /// The tools that its view has.
    pub(super) offered: Arc<Offered>,
    /// What it takes, among all places.
    pub(super) held: Held,
}

/// What a request was answered with.
pub(super) struct Answer {
    /// What was committed for it.
    pub(super) entries: Box<[Entry]>,
    /// What the agent saw of it.
    pub(super) shown: Arc<Completion>,
    /// What the agent did not see of it.
    pub(super) puts: Vec<Put>,
    pub(super) named: Named,
}

/// How a request can follow an answer by its id.
#[derive(Default)]
pub(super) struct Named {
    /// The id; none where no request can follow one.
    pub(super) id: Option<Arc<str>>,
    /// What such a request lacks.
    pub(super) lacks: Vec<Message>,
    /// The request that the provider would have got next, if it did not give the id: such a request comes behind that.
    pub(super) behind: Option<Arc<str>>,
}

impl Drop for Place {
    /// A long conversation is a long chain, which would take as deep a stack to drop link by link.
    fn drop(&mut self) {
        let mut from = self.from.take();
        while let Some(mut place) = from.and_then(Arc::into_inner) {
            from = place.from.take();
        }
    }
}

impl Place {
    /// The run as the answer left it, if nothing has gone on from it, the offer is the same and it has not ended.
    pub(super) fn goes_on(&self, asked: &Asked) -> Option<(Run<Watched>, Arc<Offered>)> {
        let waiting = self.run.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let Waiting { run, offered, held: _ } = *waiting;
        let has_ended = matches!(run.step(), Step::Ended(_));
        (!has_ended && *run.view().offer() == asked.offer).then_some((run, offered))
    }

    /// Whether nothing has gone on from it, so its request can come again in its place. What goes on from it all the
    /// same is a way of its own.
    pub(super) fn gives_way(&self) -> bool {
        self.run.lock().unwrap_or_else(PoisonError::into_inner).take().is_some()
    }

    /// Counts what it takes.
    pub(super) fn counts(&self) {
        let Self { entries, puts, answer, ending, .. } = self;
        let Answer { entries: answered, shown, puts: own, named: Named { id, lacks, behind } } = answer;
        let is_shown = |it: &Entry| matches!(it, Entry::Completion(it) if Arc::ptr_eq(it, shown));
        let changed = if answered.iter().any(is_shown) { 0 } else { size::of_completion(shown) };
        let texts = [ending, id, behind].into_iter().flatten().map(|it| it.len()).sum::<usize>();
        let puts: usize = puts.iter().chain(own).map(Put::bytes).sum();
        let entries = size::of_entries(entries) + size::of_entries(answered);
        self.held.takes(size::PLACE + entries + changed + texts + puts + size::of_messages(lacks));
        if let Some(it) = &*self.run.lock().unwrap_or_else(PoisonError::into_inner) {
            it.held.takes(size::of_run(it.run.view().messages().len()));
        }
    }

    /// All entries up to the request.
    pub(super) fn way_to(&self) -> Vec<Entry> {
        let mut way: Vec<Entry> = self.from.as_ref().map_or_else(Vec::new, |from| from.way_from());
        way.extend(self.entries.iter().cloned());
        way
    }

    /// All entries up to the answer.
    pub(super) fn way_from(&self) -> Vec<Entry> {
        let mut way = vec![self];
        while let Some(from) = way.last().and_then(|it| it.from.as_deref()) {
            way.push(from);
        }
        way.iter().rev().flat_map(|it| it.unended()).cloned().collect()
    }

    /// The entries of its request and answer without those that end the run: what a user says after them begins the
    /// next one, which knows what was before.
    fn unended(&self) -> impl Iterator<Item = &Entry> {
        let all = || self.entries.iter().chain(&*self.answer.entries);
        let has_ended = matches!(all().next_back(), Some(Entry::End(_)));
        let ends = move |it: &&Entry| has_ended && matches!(it, Entry::Conclusion(_) | Entry::End(_));
        all().filter(move |it| !ends(it))
    }
}

#[cfg(test)]
mod tests {
    use balk_guards::{FinishReason, Offer, Usage};

    use super::*;

    #[test]
    fn a_conversation_may_have_any_number_of_turns() {
        let (finish, usage) = (FinishReason::Stop, Usage::default());
        let shown = Arc::new(Completion::new([], [], finish, usage, &Offer::default()));
        let mut last = None;
        for _ in 0..200_000 {
            let answer = Answer {
                entries: Box::default(),
                shown: shown.clone(),
                puts: Vec::new(),
                named: Named::default(),
            };
            last = Some(Arc::new(Place {
                trail: Trail::default(),
                beginning: None,
                length: Length::default(),
                from: last.take(),
                entries: Box::default(),
                puts: Arc::default(),
                answer,
                ending: None,
                run: Mutex::default(),
                branch: 0,
                held: Held::new(&Arc::default(), 0),
            }));
        }
        let last = last.expect("there are some");
        assert!(last.way_from().is_empty());
        drop(last);
    }
}
