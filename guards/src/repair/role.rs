//! Which tools on offer do what a call of an unknown name seems to be for: those that take what the call gives.
//!
//! The evidence is the call itself, so a call that gives nothing known, or something that no tool takes, is for a tool
//! that is missing, and names none.

use serde_json::{Map, Value};

use super::offered::{Offered, Tools};
use balk_contract::{Effect, Purpose, ToolCall};

/// What an argument is, by its name, or by its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A file or a folder.
    Place,
    /// What a file is to contain.
    Content,
    /// What is to be run.
    Command,
    /// What is to be found.
    Query,
    /// The address of a page.
    Address,
}

/// How agents name such arguments, in small letters and without separators.
const NAMES: [(Kind, &[&str]); 5] = [
    (
        Kind::Place,
        &[
            "path",
            "filepath",
            "absolutepath",
            "relativepath",
            "filename",
            "file",
            "targetfile",
            "dir",
            "directory",
            "folder",
            "destination",
        ],
    ),
    (
        Kind::Content,
        &[
            "content",
            "contents",
            "filetext",
            "newstring",
            "newstr",
            "newtext",
            "newcontent",
            "inserttext",
            "replacement",
            "patch",
            "diff",
            "codeedit",
            "body",
        ],
    ),
    (Kind::Command, &["command", "commands", "cmd", "commandline", "shell"]),
    (Kind::Query, &["query", "pattern", "regex", "search", "searchterm", "q", "keyword", "keywords"]),
    (Kind::Address, &["url", "uri", "link", "href"]),
];
/// The most tools that are named: more of them say nothing about the call.
const TOOLS: usize = 2;

impl Kind {
    fn of_name(name: &str) -> Option<Self> {
        let plain: String =
            name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        NAMES.iter().find(|(_, names)| names.contains(&&*plain)).map(|(kind, _)| *kind)
    }

    /// A value of several lines is a content, whatever it is called. One word as a command names what an editor does.
    fn of(name: &str, value: &Value) -> Option<Self> {
        let text = value.as_str()?;
        match Self::of_name(name) {
            Some(Self::Command) if !text.trim().contains(char::is_whitespace) => None,
            None if text.contains('\n') => Some(Self::Content),
            kind => kind,
        }
    }
}

/// What the arguments of a call are, each kind once.
fn kinds(arguments: &Map<String, Value>) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for kind in arguments.iter().filter_map(|(name, value)| Kind::of(name, value)) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

/// The tools that take all that the call gives and need nothing of a known kind beside it, if they are few: the ones
/// that write for a call that gives a content, else the ones that do not.
pub(super) fn alike<'o>(call: &ToolCall, offered: &'o Tools) -> Vec<&'o Offered> {
    let Ok(Value::Object(arguments)) = serde_json::from_str(&call.arguments) else { return Vec::new() };
    let given = kinds(&arguments);
    let writes = given.contains(&Kind::Content) || !given.contains(&Kind::Command) && call.seems_to_write("");
    if given.is_empty() && !writes {
        return Vec::new();
    }
    let is_alike = |tool: &&Offered| {
        let takes = |kind: Kind| tool.members().any(|it| Kind::of_name(it) == Some(kind));
        let needs_more = || {
            let mut needed = tool.required.iter().filter_map(|it| Kind::of_name(it));
            !writes && needed.any(|kind| !given.contains(&kind))
        };
        let is_for_work = matches!(tool.purpose, Purpose::Shell | Purpose::Other) && !tool.is_of_provider;
        let is_writer = takes(Kind::Content) && tool.effect != Effect::ReadOnly;
        is_for_work && is_writer == writes && given.iter().all(|kind| takes(*kind)) && !needs_more()
    };
    let compared = offered.compared().into_iter().flatten();
    let all: Vec<&Offered> = compared.filter(is_alike).take(TOOLS + 1).collect();
    if all.len() > TOOLS { Vec::new() } else { all }
}
