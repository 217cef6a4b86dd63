//! What the model is sent: the one projection of a transcript.
//!
//! A view is the same for every provider; [`wire`](crate::wire) renders it. It is kept up entry by entry,
//! because building it anew each turn is quadratic in the length of the run.

use std::sync::Arc;

use crate::completion::Completion;
use crate::entry::{Entry, InterventionKind, Status};
use crate::offer::{Offer, Tool};

/// The messages sent to the model, and the tools offered now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    messages: Vec<Message>,
    offer: Arc<Offer>,
    withheld: Vec<Arc<str>>,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Text in the user's role: the user, the loop, or a guard.
    User(Arc<str>),
    /// What the model said; never without visible text or a call.
    Assistant(Arc<Completion>),
    /// What a call of the last assistant message got.
    Result {
        /// The id of the call.
        id: Arc<str>,
        /// What the tool answered.
        text: Arc<str>,
        /// Known to have failed. Only some dialects carry it.
        is_error: bool,
    },
}

impl View {
    /// The view of a whole transcript, from scratch.
    #[must_use]
    pub fn of(entries: &[Entry]) -> Self {
        let mut view = Self::default();
        for entry in entries {
            view.push(entry);
        }
        view
    }

    /// Takes one more entry into the view.
    pub fn push(&mut self, entry: &Entry) {
        match entry {
            Entry::Start(start) => self.offer = start.offer.clone(),
            Entry::User(message) => self.user(&message.text),
            Entry::Completion(completion) => {
                self.withheld.clear();
                if completion.has_text() || !completion.calls.is_empty() {
                    self.messages.push(Message::Assistant(completion.clone()));
                }
            }
            Entry::Result(result) => self.messages.push(Message::Result {
                id: result.call.id.clone(),
                text: result.text.clone(),
                is_error: result.status == Status::Error,
            }),
            Entry::Intervention(it) if it.seen => match &it.kind {
                InterventionKind::Feedback | InterventionKind::Note => self.user(&it.note.text),
                InterventionKind::Withheld(tool) => {
                    self.withheld.push(tool.clone());
                    self.user(&it.note.text);
                }
                InterventionKind::Question(_)
                | InterventionKind::Notice
                | InterventionKind::Block
                | InterventionKind::Stop => {}
            },
            Entry::Answer(answer) => self.user(&answer.text),
            Entry::Compaction(compaction) => {
                self.messages.clear();
                self.user(&compaction.summary);
            }
            Entry::Failed(_) | Entry::Tried(_) | Entry::Intervention(_) | Entry::End(_) => {}
        }
    }

    fn user(&mut self, text: &Arc<str>) {
        if !crate::completion::is_blank(text) {
            self.messages.push(Message::User(text.clone()));
        }
    }

    /// The messages, in order.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The tools offered now: the offer without what a guard withholds for this turn.
    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.offer.tools().iter().filter(|tool| !self.is_withheld(&tool.name))
    }

    /// True where a guard took this tool out of the present offer.
    #[must_use]
    pub fn is_withheld(&self, tool: &str) -> bool {
        self.withheld.iter().any(|name| &**name == tool)
    }

    /// The whole offer of the run.
    #[must_use]
    pub fn offer(&self) -> &Arc<Offer> {
        &self.offer
    }
}
