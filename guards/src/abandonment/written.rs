//! What the failed calls of a tool were to write, as far as a fence can be compared with it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use balk_contract::ToolCall;

/// Digests of lines that are kept of one tool.
const LINES: usize = 256;
/// Letters and digits of the shortest line that says what a text is. Brackets, `else:` and `return x` are in all code.
const CHARS: usize = 9;

/// The lines that the failed calls of a tool would have written: sorted digests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Written(Vec<u64>);

/// What a code block is beside what could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likeness {
    /// They share a line.
    Shared,
    /// They share none.
    Other,
    /// One of them has no line that says anything.
    Open,
}

impl Written {
    /// Adds the lines of a call that failed: those of all texts among its arguments.
    pub(super) fn add(&mut self, call: &ToolCall) {
        let Ok(Value::Object(members)) = serde_json::from_str(&call.arguments) else { return };
        let path = call.path();
        let is_path = |text: &&str| path.as_deref() == Some(*text);
        for text in members.values().filter_map(Value::as_str).filter(|it| !is_path(it)) {
            for line in lines(text) {
                if self.0.len() >= LINES {
                    return;
                }
                if let Err(at) = self.0.binary_search(&line) {
                    self.0.insert(at, line);
                }
            }
        }
    }

    /// Compares a code block with them.
    pub(super) fn likeness(&self, block: &str) -> Likeness {
        let mut lines = lines(block).peekable();
        if self.0.is_empty() || lines.peek().is_none() {
            return Likeness::Open;
        }
        if lines.any(|line| self.0.binary_search(&line).is_ok()) { Likeness::Shared } else { Likeness::Other }
    }
}

/// Digests of the lines that say what a text is, without indentation and the marks of a patch. What only brings in a
/// library is in many texts.
fn lines(text: &str) -> impl Iterator<Item = u64> + '_ {
    const IMPORTS: [&str; 7] = ["import ", "from ", "#include", "use ", "using ", "package ", "require"];
    text.lines().filter_map(|line| {
        let line = line.trim_start_matches(['+', '-', '>', ' ', '\t']).trim_end();
        let says_something = line.chars().filter(|c| c.is_alphanumeric()).nth(CHARS - 1).is_some();
        let is_import = IMPORTS.iter().any(|it| line.starts_with(it));
        (says_something && !is_import).then(|| xxh3_64(line.as_bytes()))
    })
}
