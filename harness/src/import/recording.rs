//! What every importer yields: one transcript in the neutral form.
//!
//! A [`Joiner`] makes it. It takes messages in the order of the source, and finds the call of every result: by id, by
//! the tool's name, or by order, as the source has it. So every call has an id, and every result names one.

use std::collections::BTreeMap;
use std::sync::Arc;

use balk_guards::{Status, Usage};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::bad::BadLine;
use super::one_line::one_line;
use super::waiting::{Nameless, Order};

/// One recorded run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// Its id; empty where the source has none.
    pub id: Arc<str>,
    /// The model's name; empty where the source has none.
    pub model: Arc<str>,
    /// How it ended, as the source says.
    pub outcome: Outcome,
    /// The tools on offer, as the source lists them.
    pub tools: Vec<Listed>,
    /// What was said, in order.
    pub messages: Vec<Message>,
    /// When a message was said, by its index, in order; only of those of which the source says it.
    pub times: Vec<(usize, Timestamp)>,
    /// Calls whose id an earlier call has.
    pub reused_ids: u64,
}

impl Recording {
    /// When a message was said, by its index.
    #[must_use]
    pub fn time(&self, message: usize) -> Option<Timestamp> {
        let found = self.times.binary_search_by_key(&message, |(index, _)| *index);
        found.ok().map(|at| self.times[at].1)
    }
}

/// How a recorded run ended, as the source says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The task was solved.
    Resolved,
    /// The task was not solved.
    Failed,
    /// The source does not say.
    #[default]
    Unknown,
}

impl Outcome {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }

    /// The same where a run ends, in a picture.
    #[must_use]
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Resolved | Self::Failed => self.word(),
            Self::Unknown => "outcome unknown",
        }
    }

    /// What a verdict of the source says; nothing without one.
    #[must_use]
    pub fn of(solved: Option<bool>) -> Self {
        match solved {
            Some(true) => Self::Resolved,
            Some(false) => Self::Failed,
            None => Self::Unknown,
        }
    }
}

/// A tool on offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: Arc<str>,
    /// What it does; empty where the source does not say.
    pub description: Arc<str>,
    /// The text of its JSON Schema.
    pub parameters: Option<Arc<str>>,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Instructions to the model. They ask for something; they are not something that happened.
    System(Arc<str>),
    /// What the user said, or the harness in the user's place.
    User(Arc<str>),
    /// What the model answered.
    Assistant(Said),
    /// What a tool answered.
    Result(Answer),
}

/// What the model answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Reasoning that the user does not see.
    pub thinking: Option<Arc<str>>,
    /// The text that the user sees.
    pub text: Option<Arc<str>>,
    /// The calls, in order.
    pub calls: Vec<Call>,
    /// The tokens that it cost; zero if the source does not say.
    pub usage: Usage,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its id.
    pub id: Arc<str>,
    /// The name of the tool, as in the source.
    pub tool: Arc<str>,
    /// The arguments as they were sent; nearly always an object of JSON.
    pub arguments: Arc<str>,
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The id of its call.
    pub id: Arc<str>,
    /// Whether the tool failed, if the source says so.
    pub status: Status,
    /// What it said.
    pub text: Arc<str>,
}

/// A call as the source has it: perhaps without an id.
#[derive(Clone, Debug)]
pub struct Made {
    /// Its id, if the source has one.
    pub id: Option<Arc<str>>,
    /// The name of the tool.
    pub tool: Arc<str>,
    /// The text of the arguments.
    pub arguments: Arc<str>,
}

/// How the source says which call a result belongs to.
#[derive(Clone, Debug)]
pub enum Of {
    /// By its id.
    Id(Arc<str>),
    /// By its id, if a call has it; else it is the first call of this tool without an id that no result came for.
    Tool(Option<Arc<str>>, Arc<str>),
    /// By order: the first call of the last answer that no result came for, of those without an id if there are any.
    Next,
}

/// Takes messages in order, and joins results to their calls.
#[derive(Default)]
pub struct Joiner {
    recording: Recording,
    /// How many calls have each id.
    ids: BTreeMap<Arc<str>, u64>,
    /// The calls of the last answer that no result came for: those with an id, and those without.
    named: Order,
    nameless: Order,
    /// The calls without an id, by tool.
    made: BTreeMap<Arc<str>, Nameless>,
    /// How often all open calls were closed.
    closed: u64,
    /// The index of the last answer.
    answer: Option<usize>,
    /// When the next message was said.
    time: Option<Timestamp>,
    /// Later pieces of the thinking and of the text of the last answer.
    pieces: [Vec<Arc<str>>; 2],
}

/// The maximum length of an id in a report.
const ID_CHARS: usize = 80;

impl Joiner {
    /// Says when the next message was said.
    pub fn at(&mut self, time: Option<Timestamp>) {
        self.time = time.or(self.time);
    }

    /// Says what the last answer cost.
    pub fn used(&mut self, usage: Usage) {
        if usage != Usage::default()
            && let Some(said) = self.said()
        {
            said.usage = usage;
        }
    }

    /// Makes room for so many more messages.
    pub fn expect(&mut self, messages: usize) {
        self.recording.messages.reserve(messages);
    }

    fn push(&mut self, message: Message) {
        let at = self.recording.messages.len();
        self.recording.times.extend(self.time.take().map(|time| (at, time)));
        self.recording.messages.push(message);
    }

    /// The number of messages so far.
    #[must_use]
    pub fn count(&self) -> usize {
        self.recording.messages.len()
    }

    /// Takes back what came after so many messages, as the user did: the model never saw it again. A later result of a
    /// call in it is without a call.
    pub fn rewind(&mut self, count: usize) {
        self.settle();
        let back = self.recording.messages.drain(count.min(self.recording.messages.len())..);
        let calls = back.flat_map(|message| match message {
            Message::Assistant(said) => said.calls,
            Message::System(_) | Message::User(_) | Message::Result(_) => Vec::new(),
        });
        for Call { id, tool, .. } in calls.rev() {
            if let Some(made) = self.made.get_mut(&tool) {
                made.take_back(&id);
            }
            match self.ids.get_mut(&id).filter(|count| **count > 1) {
                Some(count) => {
                    *count -= 1;
                    self.recording.reused_ids -= 1;
                }
                None => drop(self.ids.remove(&id)),
            }
        }
        let times = self.recording.times.partition_point(|(at, _)| *at < count);
        self.recording.times.truncate(times);
        self.close();
        self.answer = None;
    }

    /// No open call has a result to come.
    fn close(&mut self) {
        self.named.clear();
        self.nameless.clear();
        self.closed += 1;
    }

    /// Takes instructions to the model.
    pub fn system(&mut self, text: Arc<str>) {
        self.push(Message::System(text));
    }

    /// Takes what the user said.
    pub fn user(&mut self, text: Arc<str>) {
        self.push(Message::User(text));
    }

    /// Takes an answer of the model. A call without an id gets one.
    pub fn assistant(&mut self, thinking: Option<Arc<str>>, text: Option<Arc<str>>, calls: Vec<Made>) {
        self.settle();
        self.close();
        let calls = calls.into_iter().map(|made| self.call(made)).collect();
        self.answer = Some(self.recording.messages.len());
        self.push(Message::Assistant(Said { thinking, text, calls, usage: Usage::default() }));
    }

    /// Adds to the last answer of the model: some sources write one in pieces, and results perhaps between them.
    pub fn more(&mut self, thinking: Option<Arc<str>>, text: Option<Arc<str>>, calls: Vec<Made>) {
        if self.answer.is_none() {
            return self.assistant(thinking, text, calls);
        }
        let calls: Vec<Call> = calls.into_iter().map(|made| self.call(made)).collect();
        if let Some(said) = self.said() {
            said.calls.extend(calls);
        }
        self.pieces[0].extend(thinking);
        self.pieces[1].extend(text);
    }

    /// The last answer.
    fn said(&mut self) -> Option<&mut Said> {
        match self.recording.messages.get_mut(self.answer?)? {
            Message::Assistant(said) => Some(said),
            Message::System(_) | Message::User(_) | Message::Result(_) => None,
        }
    }

    /// Puts the pieces of the last answer together.
    fn settle(&mut self) {
        if self.pieces.iter().all(Vec::is_empty) {
            return;
        }
        let [thinking, text] = std::mem::take(&mut self.pieces);
        if let Some(said) = self.said() {
            add(&mut said.thinking, thinking);
            add(&mut said.text, text);
        }
    }

    fn call(&mut self, made: Made) -> Call {
        let Made { id, tool, arguments } = made;
        let id = match id.filter(|id| !id.is_empty()) {
            Some(id) => {
                self.named.push(id.clone());
                id
            }
            None => {
                let id = numbered(self.ids.len() + 1);
                let made = match self.made.get_mut(&tool) {
                    Some(made) => made,
                    None => self.made.entry(tool.clone()).or_default(),
                };
                made.push(id.clone(), self.closed);
                self.nameless.push(id.clone());
                id
            }
        };
        let count = self.ids.entry(id.clone()).or_default();
        self.recording.reused_ids += u64::from(*count > 0);
        *count += 1;
        Call { id, tool, arguments }
    }

    /// Whether a call with this id came before.
    #[must_use]
    pub fn has_call(&self, id: &str) -> bool {
        self.ids.contains_key(id)
    }

    /// Whether a result that comes by order would have a call.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.next().is_some()
    }

    /// Takes the result of a call; `place` is the member that says whose it is.
    ///
    /// # Errors
    /// No call before it is meant.
    pub fn result(
        &mut self,
        of: Of,
        status: Status,
        text: Arc<str>,
        place: impl FnOnce() -> String,
    ) -> Result<(), BadLine> {
        let (id, said) = match of {
            // Some servers give no call an id, and no result.
            Of::Id(id) if id.is_empty() => (self.next().cloned(), id),
            Of::Id(id) => (self.ids.get_key_value(&*id).map(|(id, _)| id.clone()), id),
            Of::Tool(id, tool) => {
                let by_id = id.filter(|id| self.has_call(id));
                (by_id.or_else(|| self.of_tool(&tool)), tool)
            }
            Of::Next => (self.next().cloned(), Arc::default()),
        };
        let Some(id) = id else {
            return Err(BadLine::OrphanResult { place: place(), id: one_line(&said, ID_CHARS) });
        };
        self.named.take(&id);
        self.nameless.take(&id);
        self.push(Message::Result(Answer { id, status, text }));
        Ok(())
    }

    /// The id of the call that a result belongs to which says nothing of it.
    fn next(&self) -> Option<&Arc<str>> {
        self.nameless.first().or_else(|| self.named.first())
    }

    /// The id of the call without one that a result of this tool belongs to; of one that has its result, if none
    /// waits.
    fn of_tool(&mut self, tool: &str) -> Option<Arc<str>> {
        self.made.get_mut(tool)?.next(self.closed)
    }

    /// The transcript of what was taken.
    #[must_use]
    pub fn finish(mut self) -> Recording {
        self.settle();
        self.recording
    }

    /// The transcript of what was taken, with the other facts of `head`.
    #[must_use]
    pub fn into(self, head: Recording) -> Recording {
        let Recording { messages, times, reused_ids, .. } = self.finish();
        Recording { messages, times, reused_ids, ..head }
    }
}

/// The id of a call that has none in its source. In some formats no call has one, and `format!` takes longer than the
/// rest of a call.
fn numbered(number: usize) -> Arc<str> {
    ["call-", itoa::Buffer::new().format(number)].concat().into()
}

/// Puts later pieces of a text behind the first, each on a line of its own.
fn add(text: &mut Option<Arc<str>>, more: Vec<Arc<str>>) {
    if more.is_empty() {
        return;
    }
    let all: Vec<&str> = text.iter().chain(&more).map(|it| &**it).collect();
    *text = Some(all.join("\n").into());
}
