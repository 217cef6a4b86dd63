//! What a framework's requests lack: exchanges that it never saw, each at its place in the history.

use std::sync::Arc;

use balk_guards::{Entry, Origin, Status, ToolCall};
use serde::Serialize;

use super::messages;
use crate::{Call, Said};

/// A message of a request, as it is to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Placed {
    /// A message of the framework.
    Own {
        /// Its index.
        from: usize,
        /// Calls that it lacks; they come after its own.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        calls: Vec<Call>,
    },
    /// A message that the framework does not have.
    New {
        /// The message.
        said: Said,
    },
}

/// Something that a request lacks.
#[derive(Clone, Debug)]
pub(super) struct Put {
    /// The index of the message of the framework that it belongs to.
    at: usize,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// These messages, before that one.
    Before(Vec<Said>),
    /// These messages in its place.
    Instead(Vec<Said>),
    /// These calls, after its own.
    Calls(Vec<Call>),
}

impl Put {
    /// What was said before the message with this index, if anything was.
    pub(super) fn before(at: usize, entries: &[Entry]) -> Option<Self> {
        Self::said(at, messages(entries))
    }

    fn said(at: usize, messages: Vec<Said>) -> Option<Self> {
        (!messages.is_empty()).then_some(Self { at, what: What::Before(messages) })
    }

    /// What the model really said and was told, where the framework has other words.
    pub(super) fn instead(at: usize, entries: &[Entry]) -> Self {
        Self { at, what: What::Instead(messages(entries)) }
    }

    /// The calls of an answer that the framework did not see.
    pub(super) fn calls<'a>(at: usize, calls: impl Iterator<Item = &'a Arc<ToolCall>>) -> Self {
        Self { at, what: What::Calls(calls.map(|it| Call::from(&**it)).collect()) }
    }

    /// What guards add to the results that a framework sent: answers to calls that it did not see, and notes.
    pub(super) fn of_guards(at: usize, entries: &[Entry], seen: &[Call]) -> Option<Self> {
        let message = |entry: &Entry| {
            if let Entry::Result(it) = entry {
                let is_ours =
                    it.origin == Origin::Synthetic && !seen.iter().any(|call| call.id == it.call.id);
                let ToolCall { id, tool, .. } = &*it.call;
                let (id, tool, text) = (id.clone(), tool.clone(), it.text.text().clone());
                is_ours.then_some(Said::Tool { id, tool, text, status: Status::Error })
            } else if let Entry::Intervention(it) = entry {
                it.message().map(|text| Said::User { text: text.clone() })
            } else {
                None
            }
        };
        Self::said(at, entries.iter().filter_map(message).collect())
    }
}

/// The messages of a request that has so many of its own and lacks all this.
pub(super) fn placed(own: usize, mut puts: Vec<&Put>) -> Vec<Placed> {
    let mut placed = Vec::with_capacity(own + puts.len());
    // Those of one message stay in their order.
    puts.sort_by_key(|it| it.at);
    let mut rest = &*puts;
    for at in 0..=own {
        let (here, later) = rest.split_at(rest.partition_point(|it| it.at <= at));
        rest = later;
        let new = |said: &Said| Placed::New { said: said.clone() };
        let mut message = Some(Vec::new()).filter(|_| at < own);
        let mut instead: &[Said] = &[];
        for put in here {
            match &put.what {
                What::Before(messages) => placed.extend(messages.iter().map(new)),
                What::Instead(messages) => (message, instead) = (None, messages),
                What::Calls(calls) => message = message.map(|_| calls.clone()),
            }
        }
        placed.extend(instead.iter().map(new));
        placed.extend(message.map(|calls| Placed::Own { from: at, calls }));
    }
    placed
}
