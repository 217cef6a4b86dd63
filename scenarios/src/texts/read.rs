//! The files of messages: TOML in, tools or diagnostics out.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::class::Class;
use super::hole::{Hole, Piece};
use super::message::{Message, Tool};
use crate::format::diagnostic::Diagnostics;
use crate::format::report::{Report, did_you_mean, listed};
use crate::format::source::Source;
use crate::format::syntax;

type Text = Spanned<String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TextsFile {
    tool: Vec<ToolTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolTable {
    name: Text,
    follows: Text,
    #[serde(default)]
    reserve: bool,
    message: Vec<MessageTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageTable {
    class: Text,
    language: Option<Text>,
    exit: Option<u8>,
    text: Text,
}

/// Reads a file of messages.
///
/// `file_name` is the name of the file in diagnostics.
///
/// # Errors
///
/// The diagnostics name everything that is wrong with the file.
pub fn parse(file_name: &str, text: &str) -> Result<Vec<Tool>, Diagnostics> {
    let source = Source::new(file_name, text);
    let file: TextsFile = syntax::read(&source, &[("tool", "[[tool]]")])?;
    let mut report = Report::new(&source);
    unlike("two tools are called", file.tool.iter().map(|it| &it.name), &mut report);
    let tools = file.tool.iter().map(|table| tool(table, &mut report)).collect();
    report.finish(tools)
}

/// Reports texts that occur twice.
fn unlike<'a>(what: &str, texts: impl Iterator<Item = &'a Text>, report: &mut Report<'_>) {
    let mut seen: BTreeMap<&str, &Text> = BTreeMap::new();
    for text in texts {
        if let Some(first) = seen.insert(text.get_ref(), text) {
            let shown = text.get_ref().lines().next().unwrap_or_default();
            report
                .error(text.span(), format!("{what} `{shown}`"), "again here")
                .related(first.span(), "first here");
        }
    }
}

fn tool(table: &ToolTable, report: &mut Report<'_>) -> Tool {
    for (key, value) in [("name", &table.name), ("follows", &table.follows)] {
        if value.get_ref().trim().is_empty() {
            report.error(value.span(), format!("`{key}` is empty"), "expected a name");
        }
    }
    if table.message.is_empty() {
        let name = table.name.get_ref();
        report
            .error(table.name.span(), format!("`{name}` has no message"), "expected at least one")
            .help("write a table [[tool.message]]");
    }
    unlike("two messages begin with", table.message.iter().map(|it| &it.text), report);
    Tool {
        name: table.name.get_ref().clone(),
        follows: table.follows.get_ref().clone(),
        reserve: table.reserve,
        messages: table.message.iter().map(|it| message(it, report)).collect(),
    }
}

fn message(table: &MessageTable, report: &mut Report<'_>) -> Message {
    let language = table.language.as_ref().map_or("en", |it| it.get_ref());
    if let Some(wrong) = table.language.as_ref().filter(|it| !is_language(it.get_ref())) {
        report.error(
            wrong.span(),
            format!("`{language}` is not a language"),
            "expected two lower-case letters as in ISO 639",
        );
    }
    if table.text.get_ref().trim().is_empty() {
        report.error(table.text.span(), "the message is empty", "expected what the tool prints");
    }
    let classes = Class::ALL.map(|class| (class.name(), class));
    Message {
        class: report.one_of("class", &table.class, &classes),
        language: language.to_owned(),
        exit: table.exit,
        pieces: pieces(&table.text, report),
    }
}

fn is_language(text: &str) -> bool {
    text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// The pieces of a message. A lower-case word in braces is a hole, with a digit from 2 behind it where a message has
/// several of its kind. Any other brace is what the tool prints.
fn pieces(text: &Text, report: &mut Report<'_>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text.get_ref().as_str();
    while let Some(open) = rest.find('{') {
        plain.push_str(&rest[..open]);
        rest = &rest[open..];
        let Some((name, number, after)) = hole(rest) else {
            plain.push('{');
            rest = &rest[1..];
            continue;
        };
        rest = after;
        if let Some(hole) = Hole::named(name) {
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Hole(hole, number));
        } else {
            let known: Vec<&str> = Hole::names().collect();
            let message = format!("unknown hole `{{{name}}}`");
            let expected = format!("expected {}", listed(&known, "or"));
            report.error(text.span(), message, expected).help_if(|| did_you_mean(name, &known));
        }
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    pieces
}

/// The name and the number of the hole at the start of a text, and the text behind it.
fn hole(text: &str) -> Option<(&str, usize, &str)> {
    let (inner, after) = text.strip_prefix('{')?.split_once('}')?;
    let (name, number) = match inner.as_bytes() {
        [.., digit @ b'2'..=b'9'] => (&inner[..inner.len() - 1], usize::from(digit - b'0')),
        _ => (inner, 1),
    };
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase());
    is_name.then_some((name, number, after))
}
