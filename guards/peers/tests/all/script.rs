//! The files of vectors: each has what one product's own tests say of its rule, as short transcripts.
//!
//! A turn is a line, or a list of lines for one reply of the model:
//!
//! | line | means |
//! |---|---|
//! | `read {"path":"a"} -> text` | a call and its answer; `!>` in place of `->` for an error, `?>` for a status that is not known; without an answer it is `ok` |
//! | `says text`, `thinks text` | text, thinking |
//! | `user text` | the user speaks |
//! | `breaks` | at the beginning of a list: the stream breaks after these calls, which ran |
//!
//! `3x ` before a line repeats it, and `{ times = 3, turns = […] }` repeats turns; `{n}` is the number of the
//! repetition, from 0. What is expected is a list of interventions: the turn, the kind, the rule and its level.

use std::path::Path;

use balk_contract::Status;
use serde::Deserialize;

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
    pub(crate) turns: Vec<Turn>,
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

/// Tests that no vector stands for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LeftOut {
    pub(crate) tests: Vec<String>,
    pub(crate) reason: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Turn {
    Line(String),
    Lines(Vec<String>),
    Repeated { times: usize, turns: Vec<Turn> },
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
    Call { tool: String, arguments: String, status: Status, answer: String },
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
    pub(crate) fn events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        unroll(&self.turns, None, &mut events);
        events
    }
}

fn unroll(turns: &[Turn], number: Option<usize>, into: &mut Vec<Event>) {
    for turn in turns {
        match turn {
            Turn::Line(line) => into.extend(repeated(line, number).iter().map(|line| event(&[line]))),
            Turn::Lines(lines) => {
                let lines: Vec<String> = lines.iter().flat_map(|line| repeated(line, number)).collect();
                into.push(event(&lines.iter().map(String::as_str).collect::<Vec<_>>()));
            }
            Turn::Repeated { times, turns } => (0..*times).for_each(|n| unroll(turns, Some(n), into)),
        }
    }
}

/// The line as often as it says, with its numbers.
fn repeated(line: &str, number: Option<usize>) -> Vec<String> {
    let times = line.split_once("x ").and_then(|(times, rest)| Some((times.parse::<usize>().ok()?, rest)));
    let numbered = |line: &str, n: usize| line.replace("{n}", &n.to_string());
    match (times, number) {
        (Some((times, line)), _) => (0..times).map(|n| numbered(line, n)).collect(),
        (None, Some(n)) => vec![numbered(line, n)],
        (None, None) => vec![line.to_owned()],
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
    let marks = [("->", Status::Ok), ("!>", Status::Error), ("?>", Status::Unknown)];
    let answers = |(mark, status): (&str, Status)| {
        let (call, answer) = line.split_once(&format!(" {mark}"))?;
        Some((call, status, answer.strip_prefix(' ').unwrap_or(answer)))
    };
    let (call, status, answer) = marks.into_iter().find_map(answers).unwrap_or((line, Status::Ok, "ok"));
    let (tool, arguments) = call.split_once(' ').unwrap_or((call, ""));
    Said::Call { tool: tool.into(), arguments: arguments.into(), status, answer: answer.into() }
}
