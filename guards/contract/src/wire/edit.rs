//! Changes to the messages of a request.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::place::Place;
use super::reading::Unreadable;
use crate::completion::Completion;
use crate::view::Message;

/// A change to the messages of a request. Indices count [`Asked::messages`](super::Asked::messages) of the request as
/// it came, whatever the other edits do. So edits may be given in any order; only those at one place keep theirs.
///
/// What is put in reads as a view has it: text is not blank, and calls have ids. An assistant's message without text
/// and calls adds nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// These messages come directly after the message before this index, and directly before the first message if the
    /// index is 0. The number of messages is the place after the last one.
    Put {
        /// The index of the message that follows.
        before: usize,
        /// What is put in.
        messages: Vec<Message>,
    },
    /// These messages replace the assistant's message with this index.
    Replace {
        /// The index of the message.
        at: usize,
        /// What comes in its place.
        messages: Vec<Message>,
    },
    /// The assistant's message with this index gets the calls of this completion whose ids it lacks, after its own.
    Calls {
        /// The index of the message.
        at: usize,
        /// The completion with the calls.
        completion: Arc<Completion>,
    },
}

/// The edits of one request, checked and in order.
#[derive(Default)]
pub(super) struct Plan<'e> {
    /// The new messages, each with the number of the request's own messages before it.
    pub(super) news: Vec<(usize, &'e Message)>,
    /// The messages that are replaced.
    pub(super) gone: BTreeSet<usize>,
    /// The calls that a message lacks, as a completion without anything else.
    pub(super) calls: BTreeMap<usize, Completion>,
}

impl<'e> Plan<'e> {
    pub(super) fn of<'m>(
        edits: &'e [Edit],
        messages: impl Iterator<Item = &'m Message>,
    ) -> Result<Self, Unreadable> {
        let messages: Vec<&Message> = messages.collect();
        let mut plan = Self::default();
        let mut puts: Vec<(usize, &'e [Message])> = Vec::new();
        let mut changed = BTreeMap::new();
        for (nth, edit) in edits.iter().enumerate() {
            let place = Place::new("edits").nth(nth);
            match edit {
                Edit::Put { before, messages: new } => {
                    if *before > messages.len() {
                        return Err(out_of_range(place.member("before"), messages.len(), *before));
                    }
                    puts.push((*before, new));
                }
                Edit::Replace { at, messages: new } => {
                    said(&messages, *at, place)?;
                    once(&mut changed, *at, nth)?;
                    plan.gone.insert(*at);
                    plan.put(at + 1, new);
                }
                Edit::Calls { at, completion } => {
                    let own = said(&messages, *at, place)?;
                    once(&mut changed, *at, nth)?;
                    let lacking = lacking(own, completion);
                    if !lacking.calls.is_empty() {
                        plan.calls.insert(*at, lacking);
                    }
                }
            }
        }
        // What replaces a message comes before what is put behind it: the order of both is kept.
        for (before, new) in puts {
            plan.put(before, new);
        }
        plan.news.sort_by_key(|(at, _)| *at);
        Ok(plan)
    }

    /// Whether nothing changes.
    pub(super) fn is_empty(&self) -> bool {
        self.news.is_empty() && self.gone.is_empty() && self.calls.is_empty()
    }

    fn put(&mut self, at: usize, messages: &'e [Message]) {
        let says = |message: &&Message| match message {
            Message::Assistant(it) => it.has_text() || !it.calls.is_empty(),
            Message::User(_) | Message::Result { .. } => true,
        };
        self.news.extend(messages.iter().filter(says).map(|message| (at, message)));
    }
}

fn out_of_range(place: Place<'_>, most: usize, found: usize) -> Unreadable {
    Unreadable::new(place, format!("expected an index up to {most}, found {found}"))
}

/// The assistant's message with this index, for the edit that is at `place`.
fn said<'m>(messages: &[&'m Message], at: usize, place: Place<'_>) -> Result<&'m Completion, Unreadable> {
    let found = match messages.get(at) {
        Some(Message::Assistant(it)) => return Ok(it),
        Some(Message::User(_)) => "the user's".to_owned(),
        Some(Message::Result { .. }) => "a result".to_owned(),
        None => format!("{at} of {}", messages.len()),
    };
    Err(Unreadable::new(place.member("at"), format!("expected a message of the assistant, found {found}")))
}

/// A message is replaced or extended once.
fn once(changed: &mut BTreeMap<usize, usize>, at: usize, nth: usize) -> Result<(), Unreadable> {
    match changed.entry(at) {
        Entry::Vacant(free) => {
            free.insert(nth);
            Ok(())
        }
        Entry::Occupied(first) => {
            let found = format!("message {at}, which edits[{}] changes", first.get());
            let place = Place::new("edits").nth(nth);
            Err(Unreadable::new(place.member("at"), format!("expected another message, found {found}")))
        }
    }
}

/// The calls of `completion` whose ids `own` lacks.
fn lacking(own: &Completion, completion: &Completion) -> Completion {
    let mut ids: BTreeSet<&Arc<str>> = own.calls.iter().map(|call| &call.id).collect();
    let calls = completion.calls.iter().filter(|call| ids.insert(&call.id)).cloned().collect();
    Completion { parts: Vec::new(), calls, finish: completion.finish, usage: completion.usage }
}
