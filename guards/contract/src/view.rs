//! What the model is sent: the one projection of a transcript.
//!
//! A view is the same for every provider; [`wire`](crate::wire) renders it. It is updated entry by entry, because a
//! rebuild in each turn would be quadratic in the length of the run.
//!
//! A view is legal for every provider once each call of the last completion has its result; other irregularities of
//! foreign transcripts (results out of place, ids used twice, an assistant that speaks twice in a row) are resolved
//! here, so that all dialects agree.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::completion::{Completion, FinishReason, Part, Usage, is_blank};
use crate::entry::{Entry, InterventionKind, Status, ToolResult};
use crate::offer::{Offer, Tool};

/// The messages sent to the model, and the tools offered now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    messages: Vec<Message>,
    offer: Arc<Offer>,
    /// The ids of all calls in the view.
    ids: BTreeSet<Arc<str>>,
    /// The numbers given to an id that came more than once.
    numbers: BTreeMap<Arc<str>, Numbers>,
    /// The calls of the last assistant message that have no result yet: their ids in the view, by the id in the
    /// transcript and the place among the calls. Results may come in any order.
    open: BTreeMap<(Arc<str>, usize), Arc<str>>,
    /// Where the next result belongs: after the last completion and the results it already has.
    next_result: usize,
    /// The size of the last message before the last completion was merged into it; `None` if that completion is in no
    /// message.
    last: Option<Earlier>,
}

/// The numbers behind an id.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Numbers {
    /// The last one that was given. All lower ones are taken but for `free`.
    last: u64,
    /// Those that a repair took back.
    free: BTreeSet<u64>,
}

impl Default for Numbers {
    /// The first one is 2.
    fn default() -> Self {
        Self { last: 1, free: BTreeSet::new() }
    }
}

/// What an earlier completion contributed to a message that has two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Earlier {
    parts: usize,
    calls: usize,
}

/// Replaces an empty message in the user's role: providers refuse blank text, and an empty correction is still a
/// correction.
pub const EMPTY_MESSAGE: &str = "(empty message)";

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Text in the user's role: the user, the loop, or a guard.
    User(Arc<str>),
    /// What the model said; always with visible text or a call.
    Assistant(Arc<Completion>),
    /// The result of a call of the last assistant message.
    Result {
        /// The id of the call.
        id: Arc<str>,
        /// The tool's answer; empty if it was only white space.
        text: Arc<str>,
        /// Known to have failed. Only some dialects carry it.
        is_error: bool,
    },
}

impl Message {
    /// The part of a message that every dialect carries: no thinking, no finish reason, no usage, no error flag. An
    /// actor sees messages only in this form, so it decides the same way in process and behind HTTP.
    #[must_use]
    pub fn neutral(&self) -> Self {
        match self {
            Self::User(text) => Self::User(text.clone()),
            Self::Assistant(completion) => Self::Assistant(Arc::new(Completion {
                parts: completion.texts().cloned().map(Part::Text).collect(),
                calls: completion.calls.clone(),
                finish: FinishReason::NotGiven,
                usage: Usage::default(),
            })),
            Self::Result { id, text, is_error: _ } => {
                Self::Result { id: id.clone(), text: text.clone(), is_error: false }
            }
        }
    }
}

impl View {
    /// The view of a whole transcript, built from scratch.
    #[must_use]
    pub fn of(entries: &[Entry]) -> Self {
        let mut view = Self::default();
        for entry in entries {
            view.push(entry);
        }
        view
    }

    /// Adds one entry to the view.
    pub fn push(&mut self, entry: &Entry) {
        match entry {
            Entry::Start(start) => self.offer = start.offer.clone(),
            Entry::User(message) => self.user(&message.text),
            Entry::Completion(completion) => self.assistant(completion),
            Entry::Result(result) => self.result(result),
            Entry::Intervention(it) => match &it.kind {
                InterventionKind::Repair(completion) if it.seen => self.repair(completion),
                InterventionKind::Repair(_)
                | InterventionKind::Feedback
                | InterventionKind::Note
                | InterventionKind::Question(_)
                | InterventionKind::Notice
                | InterventionKind::Block
                | InterventionKind::Stop => {
                    if let Some(text) = it.message() {
                        self.user(text);
                    }
                }
            },
            Entry::Answer(answer) => self.user(&answer.text),
            Entry::Compaction(compaction) => {
                self.messages.clear();
                self.ids.clear();
                self.numbers.clear();
                self.open.clear();
                self.user(&compaction.summary);
            }
            Entry::Failed(_) | Entry::Tried(_) | Entry::Conclusion(_) | Entry::End(_) => {}
        }
    }

    fn user(&mut self, text: &Arc<str>) {
        let text = if is_blank(text) { EMPTY_MESSAGE.into() } else { text.clone() };
        self.messages.push(Message::User(text));
    }

    /// Replaces the last completion.
    fn repair(&mut self, completion: &Arc<Completion>) {
        if let Some(earlier) = self.last.take()
            && let Some(Message::Assistant(said)) = self.messages.last_mut()
        {
            let said = Arc::make_mut(said);
            for call in said.calls.drain(earlier.calls..) {
                self.ids.remove(&call.id);
                if let Some((base, number)) = call.id.rsplit_once('_')
                    && let (Some(numbers), Ok(number)) = (self.numbers.get_mut(base), number.parse())
                    && (2..=numbers.last).contains(&number)
                {
                    numbers.free.insert(number);
                }
            }
            self.open.retain(|(_, at), _| *at < earlier.calls);
            said.parts.truncate(earlier.parts);
            if said.parts.is_empty() && said.calls.is_empty() {
                self.messages.pop();
            }
        }
        self.assistant(completion);
    }

    fn assistant(&mut self, completion: &Arc<Completion>) {
        self.last = None;
        if !completion.has_text() && completion.calls.is_empty() {
            return;
        }
        // Recorded assistants may speak twice in a row; providers want one message.
        let last = match self.messages.pop_if(|it| matches!(it, Message::Assistant(_))) {
            Some(Message::Assistant(last)) => Some(last),
            Some(Message::User(_) | Message::Result { .. }) | None => None,
        };
        let earlier = last
            .as_ref()
            .map_or_else(Earlier::default, |it| Earlier { parts: it.parts.len(), calls: it.calls.len() });
        if last.is_none() {
            self.open.clear();
        }
        let mut said = completion.clone();
        for at in 0..completion.calls.len() {
            let theirs = &completion.calls[at].id;
            let ours = self.free_id(theirs);
            if ours != *theirs {
                Arc::make_mut(&mut Arc::make_mut(&mut said).calls[at]).id = ours.clone();
            }
            self.open.insert((theirs.clone(), earlier.calls + at), ours);
        }
        if let Some(mut both) = last {
            let it = Arc::make_mut(&mut both);
            it.parts.extend(said.parts.iter().cloned());
            it.calls.extend(said.calls.iter().cloned());
            (it.finish, it.usage) = (said.finish, said.usage);
            said = both;
        }
        self.messages.push(Message::Assistant(said));
        self.next_result = self.messages.len();
        self.last = Some(earlier);
    }

    /// Reserves the id of a call, or a numbered one if an earlier call has the same id: some providers restart their
    /// count in each answer, or send an empty id or the same one twice.
    fn free_id(&mut self, wanted: &Arc<str>) -> Arc<str> {
        let base = if is_blank(wanted) { "call".into() } else { wanted.clone() };
        if self.ids.insert(base.clone()) {
            return base;
        }
        // Counting the lower numbers again would cost more with every turn.
        let numbers = self.numbers.entry(base.clone()).or_default();
        loop {
            let number = numbers.free.pop_first().unwrap_or_else(|| {
                numbers.last += 1;
                numbers.last
            });
            let id: Arc<str> = format!("{base}_{number}").into();
            if self.ids.insert(id.clone()) {
                return id;
            }
        }
    }

    /// Skips a result whose call is not in the view or is already answered: a compaction can remove the call before
    /// its result comes.
    fn result(&mut self, result: &ToolResult) {
        let theirs = &result.call.id;
        let calls = self.open.range((theirs.clone(), 0)..=(theirs.clone(), usize::MAX));
        let first = calls.map(|(call, _)| call.clone()).next();
        let Some(id) = first.and_then(|call| self.open.remove(&call)) else { return };
        let is_error = result.status == Status::Error;
        let text = if is_blank(&result.text) { "".into() } else { result.text.text().clone() };
        self.messages.insert(self.next_result, Message::Result { id, text, is_error });
        self.next_result += 1;
    }

    /// The messages, in order.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The tools that a request names: the offer without the tools that the provider runs itself, which a request
    /// enables in other ways.
    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.offer.tools().iter().filter(|tool| !tool.provider_executed)
    }

    /// The whole offer of the run.
    #[must_use]
    pub fn offer(&self) -> &Arc<Offer> {
        &self.offer
    }
}
