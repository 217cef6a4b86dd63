//! The files of vectors: each has what one product's own tests say of its rule, as short transcripts.
//!
//! A turn is a line, or a list of lines for one reply of the model:
//!
//! | line | means |
//! |---|---|
//! | `read {"path":"a"} -> text` | a call and its answer; `!>` in place of `->` for an error, `?>` for a status that is not known, `~>` for an answer that is lost; without an answer it is `ok` |
//! | `says text`, `thinks text` | text, thinking |
//! | `user text` | the user speaks |
//! | `breaks` | at the beginning of a list: the stream breaks after these calls, which ran |
//!
//! `3x ` before a line repeats it, and `{ times = 3, turns = […] }` repeats turns; `{n}` is the number of the
//! repetition, from 0; `@name` is a text of the file. What is expected is a list of interventions: the turn, the kind,
//! the rule and its level.

use std::path::Path;

use balk_contract::Status;
use serde::Deserialize;
use toml::Value;

/// One file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// The name of the peer.
    pub(crate) peer: String,
    /// Repository, version and licence.
    pub(crate) source: String,
    /// What the tools are, by name; others are not on offer.
    #[serde(default)]
    pub(crate) tools: toml::Table,
    /// Texts that lines name with `@`.
    #[serde(default)]
    pub(crate) texts: toml::Table,
    #[serde(default, rename = "vector")]
    pub(crate) vectors: Vec<Vector>,
    /// Tests of the product that cannot be written as a transcript for the rule.
    #[serde(default)]
    pub(crate) left_out: Vec<LeftOut>,
}

/// One test of the product, or one case of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Vector {
    /// The product's test; for a rule without tests, the place in the product's source.
    pub(crate) test: String,
    pub(crate) turns: Vec<Value>,
    #[serde(default)]
    pub(crate) expect: Vec<String>,
    /// What the last intervention says, in parts.
    #[serde(default)]
    pub(crate) says: Vec<String>,
    /// The settings of the rule.
    #[serde(default)]
    pub(crate) settings: toml::Table,
    /// Why the rule here differs. It must.
    pub(crate) differs: Option<String>,
}

/// Tests of the product that are no vector here.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LeftOut {
    pub(crate) tests: Vec<String>,
    pub(crate) reason: String,
}

/// What happens next in a transcript.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    User(String),
    Reply { parts: Vec<Said>, breaks: bool },
}

/// A piece of a reply.
#[derive(Clone, Debug)]
pub(crate) enum Said {
    Text(String),
    Thinking(String),
    Call { tool: String, arguments: String, answer: Answer },
}

/// What a tool answers.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Given(Status, String),
    Lost,
}

impl File {
    pub(crate) fn read(path: &Path) -> Self {
        let text =
            std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

impl Vector {
    /// What happens, in order.
    pub(crate) fn events(&self, texts: &toml::Table) -> Vec<Event> {
        let mut events = Vec::new();
        unroll(&self.turns, None, texts, &mut events);
        events
    }
}

fn unroll(turns: &[Value], number: Option<usize>, texts: &toml::Table, into: &mut Vec<Event>) {
    for turn in turns {
        if let Value::String(line) = turn {
            into.extend(repeated(line, number, texts).iter().map(|line| event(&[line])));
        } else if let Value::Array(lines) = turn {
            let lines = lines.iter().map(|line| line.as_str().expect("a line"));
            let lines: Vec<String> = lines.flat_map(|line| repeated(line, number, texts)).collect();
            into.push(event(&lines.iter().map(String::as_str).collect::<Vec<_>>()));
        } else {
            let times = turn["times"].as_integer().and_then(|it| usize::try_from(it).ok());
            let turns = turn["turns"].as_array().expect("a list of turns");
            (0..times.expect("a number of times")).for_each(|n| unroll(turns, Some(n), texts, into));
        }
    }
}

/// The line as often as it says, with its numbers and texts.
fn repeated(line: &str, number: Option<usize>, texts: &toml::Table) -> Vec<String> {
    let named = |line: String, (name, text): (&String, &Value)| {
        line.replace(&format!("@{name}"), text.as_str().expect("a text"))
    };
    let line = texts.iter().fold(line.to_owned(), named);
    let times = line.split_once("x ").and_then(|(times, rest)| Some((times.parse::<usize>().ok()?, rest)));
    let numbered = |line: &str, n: usize| line.replace("{n}", &n.to_string());
    match (times, number) {
        (Some((times, line)), _) => (0..times).map(|n| numbered(line, n)).collect(),
        (None, Some(n)) => vec![numbered(&line, n)],
        (None, None) => vec![line],
    }
}

fn event(lines: &[&str]) -> Event {
    match lines {
        [line] if line.starts_with("user ") => Event::User(line["user ".len()..].to_owned()),
        ["breaks", lines @ ..] => {
            Event::Reply { parts: lines.iter().map(|it| said(it)).collect(), breaks: true }
        }
        lines => Event::Reply { parts: lines.iter().map(|it| said(it)).collect(), breaks: false },
    }
}

fn said(line: &str) -> Said {
    if let Some(text) = line.strip_prefix("says ") {
        return Said::Text(text.to_owned());
    }
    if let Some(text) = line.strip_prefix("thinks ") {
        return Said::Thinking(text.to_owned());
    }
    let marks =
        [("->", Some(Status::Ok)), ("!>", Some(Status::Error)), ("?>", Some(Status::Unknown)), ("~>", None)];
    let answers = |(mark, status): (&str, Option<Status>)| {
        let (call, text) = line.split_once(&format!(" {mark}"))?;
        let text = text.strip_prefix(' ').unwrap_or(text);
        Some((call, status.map_or(Answer::Lost, |status| Answer::Given(status, text.to_owned()))))
    };
    let (call, answer) =
        marks.into_iter().find_map(answers).unwrap_or((line, Answer::Given(Status::Ok, "ok".into())));
    let (tool, arguments) = call.split_once(' ').unwrap_or((call, ""));
    Said::Call { tool: tool.into(), arguments: arguments.into(), answer }
}
