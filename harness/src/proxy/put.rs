//! What an agent's requests lack: exchanges that it never saw, each behind the item of its history that it follows.

use std::sync::Arc;

use balk_guards::wire::Edit;
use balk_guards::{Completion, Entry, Message, Origin};

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
    /// The calls of this completion, in the answer that follows.
    Calls(Arc<Completion>),
}

impl Put {
    /// Exchanges between a request with so many items and its answer.
    pub(super) fn before_answer(items: usize, hidden: &[Entry]) -> Option<Self> {
        let messages = history::messages(hidden);
        (!messages.is_empty()).then_some(Self { after: items, what: What::Messages(messages) })
    }

    /// What the model really said and was told, where the agent saw other words.
    pub(super) fn instead(items: usize, said: &[Entry]) -> Self {
        Self { after: items, what: What::Instead(history::messages(said)) }
    }

    /// About how many bytes it takes beside its texts, which are those of entries.
    pub(super) fn bytes(&self) -> usize {
        let messages = match &self.what {
            What::Messages(messages) | What::Instead(messages) => size::of_messages(messages),
            What::Calls(_) => 0,
        };
        size_of::<Self>() + messages
    }

    /// The calls that the agent did not see of an answer.
    pub(super) fn calls(items: usize, completion: &Arc<Completion>) -> Self {
        Self { after: items, what: What::Calls(completion.clone()) }
    }

    /// What guards add to the results that an agent sent, and to what its user said then: answers to calls that the
    /// agent did not see, and notes.
    pub(super) fn of_guards(items: usize, entries: &[Entry], shown: &Completion) -> Option<Self> {
        let is_seen = |id: &str| shown.calls.iter().any(|it| *it.id == *id);
        let message = |entry: &Entry| {
            if let Entry::Result(it) = entry {
                let is_ours = it.origin == Origin::Synthetic && !is_seen(&it.call.id);
                let (id, text) = (it.call.id.clone(), it.text.text().clone());
                is_ours.then_some(Message::Result { id, text, is_error: true })
            } else if let Entry::Intervention(it) = entry {
                it.message().cloned().map(Message::User)
            } else {
                None
            }
        };
        let messages: Vec<Message> = entries.iter().filter_map(message).collect();
        (!messages.is_empty()).then_some(Self { after: items, what: What::Messages(messages) })
    }
}

/// What has to be done to the messages of a request that lacks all this. `items` and `messages` come behind `before`.
pub(super) fn edits(puts: &[Put], before: Length, items: &[Item], messages: &[Message]) -> Vec<Edit> {
    let edit = |put: &Put| {
        let at = match put.after.checked_sub(before.items)?.checked_sub(1) {
            None => 0,
            Some(last) => items.get(last)?.at + 1,
        };
        let is_answer = matches!(messages.get(at), Some(Message::Assistant(_)));
        let at = before.messages + at;
        match &put.what {
            What::Instead(messages) if is_answer => Some(Edit::Replace { at, messages: messages.clone() }),
            What::Messages(messages) | What::Instead(messages) => {
                Some(Edit::Put { before: at, messages: messages.clone() })
            }
            What::Calls(completion) if is_answer => Some(Edit::Calls { at, completion: completion.clone() }),
            What::Calls(_) => None,
        }
    };
    puts.iter().filter_map(edit).collect()
}
