//! What a request shows, in any dialect.

use std::sync::Arc;

use crate::view::{Message, View};

/// What a request shows to the model: equal for the same view in every dialect, and in process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The messages, in their neutral form.
    pub messages: Vec<Message>,
    /// The names of the tools offered now.
    pub tools: Vec<Arc<str>>,
}

impl Seen {
    /// What these messages and tools show.
    pub(super) fn shown<'a>(messages: &[Message], tools: impl Iterator<Item = &'a Arc<str>>) -> Self {
        Self { messages: messages.iter().map(Message::neutral).collect(), tools: tools.cloned().collect() }
    }

    /// What a view shows, without building a request.
    #[must_use]
    pub fn of(view: &View) -> Self {
        Self::shown(view.messages(), view.tools().map(|tool| &tool.name))
    }
}
