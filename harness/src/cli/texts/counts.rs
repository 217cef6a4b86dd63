//! How many messages are read as what.

use std::collections::BTreeMap;

use balk_guards::reading::{Prospect, Reading};
use balk_scenarios::texts::{Class, Message, Tool, tools};
use serde::Serialize;

/// The tools that the reading may be tuned on, or the reserve.
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
    /// Read as failures.
    pub(super) failed: u32,
    /// Read as what they are: a failure or none.
    pub(super) right: u32,
    /// Of the messages that are failures and read so, by what a later try is said to bring.
    pub(super) passing: u32,
    pub(super) lasting: u32,
    pub(super) unknown: u32,
    /// Of these, those whose class says whether they pass, and those of them that are read so.
    pub(super) asked: u32,
    pub(super) told: u32,
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
        let reading = Reading::of(&text);
        let fails = message.class.fails();
        self.messages += 1;
        self.failed += u32::from(reading.failed);
        self.right += u32::from(reading.failed == fails);
        if !(reading.failed && fails) {
            return;
        }
        let told = match reading.prospect {
            Prospect::Passing => &mut self.passing,
            Prospect::Lasting => &mut self.lasting,
            Prospect::Unknown => &mut self.unknown,
        };
        *told += 1;
        if let Some(passes) = message.class.passes() {
            self.asked += 1;
            self.told += u32::from(passes == (reading.prospect == Prospect::Passing));
        }
    }
}

/// What the reading gets wrong in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mistake {
    /// Whether it is a failure.
    Failure,
    /// Whether it may pass.
    Prospect,
}

impl Mistake {
    fn of(message: &Message) -> Option<Self> {
        let text = message.example();
        let reading = Reading::of(&text);
        let fails = message.class.fails();
        if reading.failed != fails {
            return Some(Self::Failure);
        }
        let passes = message.class.passes().filter(|_| fails)?;
        (passes != (reading.prospect == Prospect::Passing)).then_some(Self::Prospect)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Failure => "failure",
            Self::Prospect => "prospect",
        }
    }
}

/// The messages that are not reserve and are read wrong.
pub(super) fn misread() -> impl Iterator<Item = (&'static Tool, &'static Message, Mistake)> {
    let open = tools().iter().filter(|it| !it.reserve);
    open.flat_map(|tool| tool.messages.iter().map(move |it| (tool, it)))
        .filter_map(|(tool, message)| Some((tool, message, Mistake::of(message)?)))
}
