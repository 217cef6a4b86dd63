//! How many messages are read as what.

use std::collections::BTreeMap;

use balk_guards::reading::{Cause, Causes, Prospect, Reading};
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
    /// Of all messages that are failures: those in which a cause is read, and those of them with one of their class.
    pub(super) causes: u32,
    pub(super) right_causes: u32,
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
        if let Some(cause) = Causes::of(&text).likely().filter(|_| fails) {
            self.causes += 1;
            self.right_causes += u32::from(fits(message.class, cause));
        }
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

/// Whether failures of this class have this cause. A time that ran out may be that of a network or a limit that was
/// set.
fn fits(class: Class, cause: Cause) -> bool {
    match class {
        Class::TransientNetwork => matches!(cause, Cause::Network | Cause::Timeout),
        Class::NotFound | Class::MissingDependency => matches!(cause, Cause::Missing | Cause::Command),
        Class::Permission => cause == Cause::Denied,
        Class::Syntax | Class::Type => matches!(cause, Cause::Form | Cause::Arguments),
        Class::Assertion => cause == Cause::Check,
        Class::Conflict => cause == Cause::Conflict,
        Class::Limit => matches!(cause, Cause::Limit | Cause::Timeout),
        Class::Busy => cause == Cause::Busy,
        Class::Empty | Class::Success | Class::SuccessMentionsFailure | Class::Progress => false,
    }
}

/// What the reading gets wrong in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mistake {
    /// Whether it is a failure.
    Failure,
    /// Whether it may pass.
    Prospect,
    /// Its cause, where one is read.
    Cause,
}

impl Mistake {
    fn of(message: &Message) -> Option<Self> {
        let text = message.example();
        let reading = Reading::of(&text);
        let fails = message.class.fails();
        if reading.failed != fails {
            return Some(Self::Failure);
        }
        if !fails {
            return None;
        }
        let passes = reading.prospect == Prospect::Passing;
        if message.class.passes().is_some_and(|it| it != passes) {
            return Some(Self::Prospect);
        }
        let cause = Causes::of(&text).likely()?;
        (!fits(message.class, cause)).then_some(Self::Cause)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Failure => "failure",
            Self::Prospect => "prospect",
            Self::Cause => "cause",
        }
    }
}

/// The messages that are not reserve and are read wrong.
pub(super) fn misread() -> impl Iterator<Item = (&'static Tool, &'static Message, Mistake)> {
    let open = tools().iter().filter(|it| !it.reserve);
    open.flat_map(|tool| tool.messages.iter().map(move |it| (tool, it)))
        .filter_map(|(tool, message)| Some((tool, message, Mistake::of(message)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether so many of these are at least this share, in per cent.
    fn is_at_least(percent: u32, part: u32, of: u32) -> bool {
        of > 0 && part * 100 >= of * percent
    }

    #[test]
    fn f2_messages_of_real_tools_are_read_right() {
        for (part, percent) in [(Part::read(false), 95), (Part::read(true), 90)] {
            let all = part.all;
            assert!(is_at_least(percent, all.right, all.messages), "{all:?}");
            assert!(is_at_least(90, all.told, all.asked), "{all:?}");
        }
    }

    #[test]
    fn f1_causes_that_are_read_are_right() {
        for (part, told, right) in [(Part::read(false), 95, 95), (Part::read(true), 60, 90)] {
            let failures = part
                .classes
                .iter()
                .filter(|it| Class::ALL.iter().any(|class| class.name() == it.name && class.fails()));
            let failures = failures.map(|it| it.counts.messages).sum();
            assert!(is_at_least(told, part.all.causes, failures), "{:?}", part.all);
            assert!(is_at_least(right, part.all.right_causes, part.all.causes), "{:?}", part.all);
        }
    }
}
