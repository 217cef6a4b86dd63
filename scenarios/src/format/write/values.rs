//! Values in a line: strings, templates, numbers, chances, conditions, calls.

use std::fmt::Write;

use crate::scenario::template::{Piece, Template};
use crate::scenario::{Bound, CallSpec, Called, Condition, PhraseId, Ratio, Scenario, Sent};

use super::super::names::BUILT_IN;
use super::super::placeholders::{ARGUMENT, EACH_VISIT, SECONDS, STEP, TOOL};
use super::super::roles::role_name;

/// The word of a value. Every value in a scenario was read from its word, or composed of such values.
pub(super) fn word<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> String {
    let (word, _) = words.iter().find(|(_, it)| it == value).expect("a value in a scenario has a word");
    quoted(word)
}

/// A string in quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => {
                write!(out, "\\u{:04X}", u32::from(c)).expect("writing to a string never fails");
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A table in a line.
pub(super) fn table<'k>(entries: impl IntoIterator<Item = (&'k str, String)>) -> String {
    let entries: Vec<String> = entries.into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", entries.join(", "))
}

pub(super) fn ratio(ratio: Ratio) -> String {
    quoted(&format!("{}/{}", ratio.num, ratio.den))
}

pub(super) fn bound(scenario: &Scenario, bound: Bound) -> String {
    match bound {
        Bound::Fixed(number) => number.to_string(),
        Bound::Drawn(at) => quoted(&scenario.numbers[at].name),
    }
}

pub(super) fn phrase(scenario: &Scenario, phrase: PhraseId) -> String {
    quoted(&scenario.phrases[phrase].name)
}

pub(super) fn texts(scenario: &Scenario, templates: &[Template]) -> Vec<String> {
    templates.iter().map(|it| text(scenario, it)).collect()
}

/// A template in quotes.
pub(super) fn text(scenario: &Scenario, template: &Template) -> String {
    quoted(&template.pieces.iter().map(|it| piece(scenario, it)).collect::<String>())
}

fn piece(scenario: &Scenario, piece: &Piece) -> String {
    let field = |pool: usize, field: usize| {
        let pool = &scenario.pools[pool];
        format!("{}.{}", pool.name, pool.fields[field])
    };
    let inside = match piece {
        Piece::Text(plain) => return plain.replace('{', "{{").replace('}', "}}"),
        Piece::Field(pool, at) => field(*pool, *at),
        Piece::EachVisit(pool, at) => format!("{EACH_VISIT}{}", field(*pool, *at)),
        Piece::Number(at) => scenario.numbers[*at].name.clone(),
        Piece::Step(at) => format!("{STEP}{}", scenario.numbers[*at].name),
        Piece::Argument(name) => format!("{ARGUMENT}{name}"),
        Piece::Seconds(fact) => format!("{SECONDS}{fact}"),
        Piece::Tool(role) => format!("{TOOL}{}", role_name(*role)),
        Piece::ToolArgument(role, at) => format!("{TOOL}{}.{}", role_name(*role), role.arguments()[*at]),
        Piece::Code
        | Piece::Draft
        | Piece::Clock
        | Piece::Hex
        | Piece::Visit
        | Piece::OwnStep
        | Piece::Applied => {
            let known = BUILT_IN.iter().find(|(.., it)| it == piece);
            known.map(|(word, ..)| (*word).to_owned()).expect("it is built in")
        }
    };
    format!("{{{inside}}}")
}

pub(super) fn conditions(scenario: &Scenario, all: &[Condition]) -> Vec<String> {
    all.iter().map(|it| condition(scenario, it)).collect()
}

fn condition(scenario: &Scenario, condition: &Condition) -> String {
    let one = |key, template| table([(key, text(scenario, template))]);
    let two = |key, template, with, value| table([(key, text(scenario, template)), (with, value)]);
    match condition {
        Condition::Fact(fact) => one("fact", fact),
        Condition::FactFor(fact, seconds) => two("fact", fact, "for", bound(scenario, *seconds)),
        Condition::NoFact(fact) => one("no_fact", fact),
        Condition::File(path) => one("file", path),
        Condition::NoFile(path) => one("no_file", path),
        Condition::FileContains(path, part) => two("file", path, "contains", text(scenario, part)),
        Condition::Plan(part) => one("plan", part),
        Condition::Record(name) => one("record", name),
        Condition::Once(name) => one("once", name),
        Condition::ArgumentContains(name, part) if name == "said" => one("said", part),
        Condition::ArgumentContains(name, part) => {
            table([("argument", quoted(name)), ("contains", text(scenario, part))])
        }
    }
}

pub(super) fn calls(scenario: &Scenario, all: &[CallSpec]) -> Vec<String> {
    all.iter().map(|it| call(scenario, it)).collect()
}

fn call(scenario: &Scenario, call: &CallSpec) -> String {
    let called = match &call.called {
        Called::Role(role) => ("tool", quoted(role_name(*role))),
        Called::Name(name) => ("name", quoted(name)),
    };
    let sent = match (&call.sent, &call.called) {
        (Sent::Arguments(values), Called::Role(role)) => {
            let values = values.iter().map(|it| text(scenario, it));
            ("arguments", table(role.arguments().iter().copied().zip(values)))
        }
        (Sent::Raw(raw), _) => ("raw", text(scenario, raw)),
        (Sent::Arguments(_), Called::Name(_)) => unreachable!("only a role has arguments"),
    };
    table([called, sent])
}
