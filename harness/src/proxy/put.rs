//! What an agent's requests lack: exchanges that it never saw, each behind the item of its history that it follows.
//!
//! What is put has the ids of a view, where each call of an answer has one of its own. An agent may show the calls that
//! it sees under other ids, or under none. Then they have in its requests the ids that it gives them, by their order,
//! and the calls that it does not see have ids that none of those has.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use balk_guards::wire::Edit;
use balk_guards::{Completion, Entry, Message, ToolCall};

use super::beginning::Length;
use super::history;
use super::size;
use crate::listen::path::Item;

/// Something that a request lacks.
#[derive(Clone, Debug)]
pub(super) struct Put {
    /// After so many items of the history.
    after: usize,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// These messages, before the answer that follows.
    Messages(Vec<Message>),
    /// These messages in place of the answer that follows.
    Instead(Vec<Message>),
    /// This answer in place of the one that follows, in which the agent sees other words.
    Said(Arc<Answered>),
    /// The calls of this answer that the agent does not see, in the answer that follows.
    Calls(Arc<Answered>),
    /// What guards add to the results of this answer.
    Results(Arc<Answered>, Vec<Message>),
}

/// An answer, and which of its calls an agent sees.
#[derive(Debug)]
pub(super) struct Answered {
    /// The answer to a request with so many items.
    items: usize,
    said: Arc<Completion>,
    /// Of each call, whether the agent sees it.
    sees: Vec<bool>,
}

impl Put {
    /// Exchanges between a request with so many items and its answer.
    pub(super) fn before_answer(items: usize, hidden: &[Entry]) -> Option<Self> {
        let messages = history::messages(hidden);
        (!messages.is_empty()).then_some(Self { after: items, what: What::Messages(messages) })
    }

    /// What the model really said and was told, where the agent saw other words and no call.
    pub(super) fn instead(items: usize, said: &[Entry]) -> Self {
        Self { after: items, what: What::Instead(history::messages(said)) }
    }

    /// What the model really said, where the agent saw other words and these of its calls.
    pub(super) fn said(items: usize, said: &Arc<Completion>, calls: &[Arc<ToolCall>]) -> Self {
        Self { after: items, what: What::Said(Answered::of(items, said, calls).into()) }
    }

    /// The calls of an answer of which the agent saw these.
    pub(super) fn calls(items: usize, said: &Arc<Completion>, calls: &[Arc<ToolCall>]) -> Self {
        Self { after: items, what: What::Calls(Answered::of(items, said, calls).into()) }
    }

    /// What guards add to the results that an agent sent, and to what its user said then: the results of those calls
    /// of this answer that the agent does not see, and notes.
    pub(super) fn of_guards(items: usize, entries: &[Entry], answer: Option<&Arc<Answered>>) -> Option<Self> {
        let is_result = |it: &Entry| matches!(it, Entry::Result(_)) && answer.is_some();
        let is_theirs = |it: &&Entry| is_result(it) || matches!(it, Entry::Intervention(_));
        let said = answer.map(|it| Entry::Completion(it.said.clone()));
        let all: Vec<Entry> = said.into_iter().chain(entries.iter().filter(is_theirs).cloned()).collect();
        let unseen: BTreeSet<Arc<str>> = answer.into_iter().flat_map(|it| it.unseen_ids()).collect();
        let is_put = |message: &Message| match message {
            Message::User(_) => true,
            Message::Assistant(_) => false,
            Message::Result { id, .. } => unseen.contains(id),
        };
        let messages: Vec<Message> = history::messages(&all).into_iter().filter(is_put).collect();
        let what = |messages| match answer {
            Some(answer) => What::Results(answer.clone(), messages),
            None => What::Messages(messages),
        };
        (!messages.is_empty()).then(|| Self { after: items, what: what(messages) })
    }

    /// The answer that is put, if the agent sees a part of it.
    pub(super) fn answered(&self) -> Option<&Arc<Answered>> {
        match &self.what {
            What::Said(answer) | What::Calls(answer) | What::Results(answer, _) => Some(answer),
            What::Messages(_) | What::Instead(_) => None,
        }
    }

    /// About how many bytes it takes beside its texts and answers, which are those of entries.
    pub(super) fn bytes(&self) -> usize {
        let more = match &self.what {
            What::Messages(messages) | What::Instead(messages) | What::Results(_, messages) => {
                size::of_messages(messages)
            }
            What::Said(answer) | What::Calls(answer) => size_of::<Answered>() + answer.sees.len(),
        };
        size_of::<Self>() + more
    }
}

impl Answered {
    fn of(items: usize, said: &Arc<Completion>, calls: &[Arc<ToolCall>]) -> Self {
        let mut left = calls.iter().peekable();
        // Two calls without ids may be equal.
        let sees = |call| left.next_if(|it| Arc::ptr_eq(it, call)).is_some();
        Self { items, said: said.clone(), sees: said.calls.iter().map(sees).collect() }
    }

    /// The ids of its calls in a view.
    fn ids(&self) -> Vec<Arc<str>> {
        let shown = history::messages(&[Entry::Completion(self.said.clone())]);
        let calls = shown.iter().flat_map(|message| match message {
            Message::Assistant(it) => &it.calls[..],
            Message::User(_) | Message::Result { .. } => &[],
        });
        calls.map(|it| it.id.clone()).collect()
    }

    fn unseen_ids(&self) -> Vec<Arc<str>> {
        self.ids().into_iter().zip(&self.sees).filter(|(_, sees)| !**sees).map(|(id, _)| id).collect()
    }

    /// The ids of its calls in a request that shows it so.
    fn ids_in(&self, echo: Option<&Completion>) -> Vec<Arc<str>> {
        let ids = self.ids();
        let shown: Vec<&Arc<str>> = echo.into_iter().flat_map(|it| &it.calls).map(|it| &it.id).collect();
        let others: BTreeSet<&Arc<str>> = shown.iter().copied().collect();
        let mut taken: BTreeSet<Arc<str>> = ids.iter().chain(shown.iter().copied()).cloned().collect();
        let (mut shown, mut number) = (shown.iter().copied(), 1);
        let mut name = |(id, sees): (&Arc<str>, &bool)| {
            if *sees {
                return shown.next().unwrap_or(id).clone();
            }
            let mut free = id.clone();
            // A number is tried once, so all calls together try few.
            while others.contains(id) && !taken.insert(free.clone()) {
                number += 1;
                free = format!("{id}_{number}").into();
            }
            free
        };
        ids.iter().zip(&self.sees).map(&mut name).collect()
    }

    /// What the model said, as a request has it that shows it so. The calls that the agent sees come first, as their
    /// results do: where calls have no ids, their order says which result is whose.
    fn said_in(&self, echo: Option<&Completion>) -> Completion {
        let ids = self.ids_in(echo);
        let mut said = (*self.said).clone();
        said.name_calls(|at, _| ids[at].clone());
        let calls = said.calls.into_iter().zip(&self.sees);
        let (seen, unseen): (Vec<_>, Vec<_>) = calls.partition(|(_, sees)| **sees);
        Completion { calls: seen.into_iter().chain(unseen).map(|(call, _)| call).collect(), ..said }
    }

    /// The calls that the agent does not see, as a request has them that shows the answer so.
    fn unseen_in(&self, echo: &Completion) -> Completion {
        let mut said = self.said_in(Some(echo));
        let seen = self.sees.iter().filter(|it| **it).count();
        said.calls.drain(..seen);
        Completion { parts: Vec::new(), ..said }
    }

    /// These results, as a request has them that shows the answer so.
    fn results_in(&self, echo: Option<&Completion>, messages: &[Message]) -> Vec<Message> {
        let ids: BTreeMap<Arc<str>, Arc<str>> = self.ids().into_iter().zip(self.ids_in(echo)).collect();
        let mut messages = messages.to_vec();
        for message in &mut messages {
            if let Message::Result { id, .. } = message
                && let Some(name) = ids.get(id)
            {
                *id = name.clone();
            }
        }
        messages
    }
}

/// What has to be done to the messages of a request that lacks all this. `items` come behind `before`, and so do
/// `shown`, those of the messages that show answers again.
pub(super) fn edits(puts: &[Put], before: Length, items: &[Item], shown: &[Message]) -> Vec<Edit> {
    let place = |items_before: usize| match items_before.checked_sub(before.items)?.checked_sub(1) {
        None => Some(0),
        Some(last) => Some(items.get(last)?.at + 1),
    };
    let echo = |at: usize| match shown.get(at) {
        Some(Message::Assistant(it)) => Some(&**it),
        Some(Message::User(_) | Message::Result { .. }) | None => None,
    };
    let edit = |put: &Put| {
        let at = place(put.after)?;
        let (echo_here, at_all) = (echo(at), before.messages + at);
        let instead = |messages| match echo_here {
            Some(_) => Edit::Replace { at: at_all, messages },
            None => Edit::Put { before: at_all, messages },
        };
        Some(match &put.what {
            What::Messages(messages) => Edit::Put { before: at_all, messages: messages.clone() },
            What::Instead(messages) => instead(messages.clone()),
            What::Said(answer) => instead(vec![Message::Assistant(answer.said_in(echo_here).into())]),
            What::Calls(answer) => {
                Edit::Calls { at: at_all, completion: answer.unseen_in(echo_here?).into() }
            }
            What::Results(answer, messages) => {
                let echo = place(answer.items).and_then(echo);
                Edit::Put { before: at_all, messages: answer.results_in(echo, messages) }
            }
        })
    };
    puts.iter().filter_map(edit).collect()
}
