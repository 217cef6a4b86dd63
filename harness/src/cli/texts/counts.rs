//! How many messages are read as what.

use std::collections::BTreeMap;
use std::sync::Arc;

use balk_guards::{Offer, RawCall, Reading, Status, ToolCall, ToolResult};
use balk_scenarios::reads_as_failure;
use balk_scenarios::texts::{Class, Message, Tool, tools};
use serde::Serialize;

/// Who reads a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    Guards,
    Actors,
}

/// The tools that readings may be tuned on, or the reserve.
#[derive(Debug, Serialize)]
pub(super) struct Part {
    pub(super) reserve: bool,
    pub(super) tools: usize,
    /// By class, in their order.
    pub(super) classes: Vec<Row>,
    pub(super) languages: Vec<Row>,
    pub(super) all: Counts,
}

/// The messages of one class, or of one language.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) counts: Counts,
}

/// Messages, by how they are read.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Counts {
    pub(super) messages: u32,
    pub(super) guards: Read,
    /// Of the failures that guards see, those that may be temporary.
    pub(super) temporary: u32,
    /// Of the other messages, those in which guards see that something is in progress.
    pub(super) waiting: u32,
    pub(super) actors: Read,
}

/// How one reader reads.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Read {
    /// Read as failures.
    pub(super) failed: u32,
    /// Read as what they are: a failure or none.
    pub(super) right: u32,
}

impl Part {
    pub(super) fn read(reserve: bool) -> Self {
        let part = || tools().iter().filter(move |it| it.reserve == reserve);
        let mut classes: BTreeMap<Class, Counts> = BTreeMap::new();
        let mut languages: BTreeMap<&str, Counts> = BTreeMap::new();
        let mut all = Counts::default();
        for message in part().flat_map(|tool| &tool.messages) {
            classes.entry(message.class).or_default().add(message);
            languages.entry(&message.language).or_default().add(message);
            all.add(message);
        }
        let classes = classes.into_iter().map(|(class, counts)| Row { name: class.name(), counts }).collect();
        let languages = languages.into_iter().map(|(name, counts)| Row { name, counts }).collect();
        Self { reserve, tools: part().count(), classes, languages, all }
    }
}

impl Counts {
    fn add(&mut self, message: &Message) {
        let text = message.example();
        let reading = by_guards(&text);
        self.messages += 1;
        self.temporary += u32::from(reading == Reading::TemporaryFailure);
        self.waiting += u32::from(reading == Reading::Waiting);
        self.guards.add(message, is_failure(reading));
        self.actors.add(message, reads_as_failure(&text));
    }
}

impl Read {
    fn add(&mut self, message: &Message, failed: bool) {
        self.failed += u32::from(failed);
        self.right += u32::from(failed == message.class.fails());
    }
}

/// What the guards take a text for that comes without a status.
fn by_guards(text: &str) -> Reading {
    let raw = RawCall { id: "1".into(), tool: "shell".into(), arguments: "{}".into() };
    let call = Arc::new(ToolCall::new(raw, &Offer::default()));
    Reading::of(&ToolResult::executed(&call, Status::Unknown, text))
}

const fn is_failure(reading: Reading) -> bool {
    match reading {
        Reading::TemporaryFailure | Reading::Failure => true,
        Reading::Waiting | Reading::Other => false,
    }
}

/// The messages that are not reserve and that this reader gets wrong.
pub(super) fn misread(reader: Reader) -> impl Iterator<Item = (&'static Tool, &'static Message)> {
    let open = tools().iter().filter(|it| !it.reserve);
    open.flat_map(|tool| tool.messages.iter().map(move |it| (tool, it))).filter(move |(_, message)| {
        let text = message.example();
        let failed = match reader {
            Reader::Guards => is_failure(by_guards(&text)),
            Reader::Actors => reads_as_failure(&text),
        };
        failed != message.class.fails()
    })
}
