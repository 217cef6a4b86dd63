//! The tools that were seen, and a starter of the table for `--tools`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use balk_guards::{Effect, Offer};
use serde::{Deserialize, Serialize};

/// The number of tools that are kept: input of any size must not fill the memory with their names.
const TOOLS_MAX: usize = 1_000;

/// The tools that were seen, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tools(BTreeMap<String, Seen>);

/// One tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    /// How often it was called.
    calls: u64,
    /// What a call can change, as its name and the members of its schema suggest; a guess.
    guess: Effect,
    /// Whether the caller said what a call can change.
    declared: bool,
}

impl Tools {
    /// Notes the tools of a run, by the names that the recording has.
    pub(super) fn offered(&mut self, offer: &Offer) {
        for tool in offer.tools() {
            if self.0.len() < TOOLS_MAX || self.0.contains_key(&*tool.original) {
                let seen = self.0.entry(tool.original.to_string()).or_default();
                seen.declared |= tool.effect != Effect::Unknown;
                if seen.guess == Effect::Unknown {
                    seen.guess = guess(&tool.original, tool.parameters.text());
                }
            }
        }
    }

    /// Notes a call.
    pub(super) fn called(&mut self, name: &str) {
        if let Some(seen) = self.0.get_mut(name) {
            seen.calls += 1;
        }
    }

    /// Adds the tools of a later part. Beyond [`TOOLS_MAX`], other names may be kept than those of one run, because a
    /// part has its names in alphabetical order.
    pub(super) fn merge(&mut self, part: Self) {
        for (name, seen) in part.0 {
            if self.0.len() < TOOLS_MAX || self.0.contains_key(&name) {
                let whole = self.0.entry(name).or_default();
                whole.calls = whole.calls.saturating_add(seen.calls);
                whole.declared |= seen.declared;
                if whole.guess == Effect::Unknown {
                    whole.guess = seen.guess;
                }
            }
        }
    }

    /// How many were seen, and of how many the caller did not say what they can change.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        (self.0.len(), self.0.values().filter(|it| !it.declared).count())
    }

    /// The names that were called most, with their calls.
    #[must_use]
    pub fn most_called(&self, number: usize) -> Vec<(&str, u64)> {
        let mut all: Vec<_> = self.0.iter().map(|(name, seen)| (name.as_str(), seen.calls)).collect();
        all.sort_by_key(|(_, calls)| std::cmp::Reverse(*calls));
        all.truncate(number);
        all
    }

    /// A table for `--tools` to start from.
    #[must_use]
    pub fn starter(&self) -> String {
        let mut text = String::from(
            "# What the tools can change: read-only, idempotent-write, write, external or unknown.\n\
             # Every line is a guess from the tool's name and schema. Read each, and correct it.\n",
        );
        for (name, seen) in &self.0 {
            let key = serde_json::Value::from(name.as_str());
            let effect = serde_json::to_value(seen.guess).expect("an effect is a word");
            let why = if seen.guess == Effect::Unknown { "no guess" } else { "a guess" };
            writeln!(text, "{key} = {effect} # {why}; {} calls", seen.calls)
                .expect("a string takes what is written");
        }
        text
    }
}

/// Words of names that only read.
const READING: &[&str] = &[
    "read",
    "get",
    "list",
    "ls",
    "view",
    "search",
    "find",
    "grep",
    "glob",
    "lookup",
    "fetch",
    "calculate",
    "think",
];
/// Words of names that act on the world outside.
const ACTING: &[&str] = &[
    "send", "pay", "book", "transfer", "publish", "post", "email", "cancel", "exchange", "return", "refund",
    "order",
];
/// Words of names that write.
const WRITING: &[&str] = &[
    "write", "create", "edit", "append", "patch", "save", "update", "insert", "delete", "remove", "move",
    "rename", "replace", "apply", "modify",
];
/// Members of schemas with a content to write.
const CONTENTS: &[&str] = &["content", "new_string", "new_str", "file_text", "patch", "diff"];

/// What a call can change: the first word of the name that says it, else a member of the schema.
fn guess(name: &str, schema: &str) -> Effect {
    let of = |word: &str| {
        [(READING, Effect::ReadOnly), (ACTING, Effect::External), (WRITING, Effect::Write)]
            .into_iter()
            .find_map(|(words, effect)| words.contains(&word).then_some(effect))
    };
    let schema: serde_json::Value = serde_json::from_str(schema).unwrap_or_default();
    let writes = || CONTENTS.iter().any(|it| !schema["properties"][it].is_null()).then_some(Effect::Write);
    words(name).iter().find_map(|word| of(word)).or_else(writes).unwrap_or_default()
}

/// The words of a name in snake, kebab or camel case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().expect("there is one").extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::ToolTable;

    #[test]
    fn effects_are_guessed_from_names_and_schemas() {
        assert_eq!(guess("readFile", "{}"), Effect::ReadOnly);
        assert_eq!(guess("get_or_create", ""), Effect::ReadOnly);
        assert_eq!(guess("cancel_pending_order", ""), Effect::External);
        assert_eq!(guess("str_replace_editor", ""), Effect::Write);
        assert_eq!(guess("canvas", r#"{"properties": {"content": {}}}"#), Effect::Write);
        assert_eq!(guess("bash", r#"{"properties": {"command": {}}}"#), Effect::Unknown);
    }

    #[test]
    fn the_starter_is_a_tool_table_whatever_the_names_are() {
        let mut tools = Tools::default();
        tools.offered(&Offer::new([balk_guards::Tool::new("fs.read"), balk_guards::Tool::new("a\"\nb")]));
        let table = ToolTable::parse(&tools.starter()).expect("a table");
        assert_eq!(table.declared("fs.read").effect, Effect::ReadOnly);
        assert!(table.get("a\"\nb").is_some());
    }
}
