//! What the failed calls of a tool were to write, as far as a fence can be compared with it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use balk_contract::ToolCall;

/// Digests of lines that are kept of one tool.
const LINES: usize = 256;
/// Letters and digits of the shortest line that says what a text is. Brackets, `else:` and `return x` are in all code.
const CHARS: usize = 9;

/// The lines that the failed calls of a tool would have written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Written {
    /// Sorted digests.
    lines: Vec<u64>,
    /// How many lines the longest text has.
    longest: usize,
}

/// What a code block is beside what could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likeness {
    /// They share a line.
    Shared,
    /// They share none, and the block is shorter than half of it: it is no other form of the same.
    Other,
    /// They share none, but the block may be another form of it, or one of them has no line that says anything.
    Open,
}

impl Written {
    /// Adds the lines of a call that failed: those of all texts among its arguments.
    pub(super) fn add(&mut self, call: &ToolCall) {
        let Ok(Value::Object(members)) = serde_json::from_str(&call.arguments) else { return };
        let path = call.path();
        let is_path = |text: &&str| path.as_deref() == Some(*text);
        for text in members.values().filter_map(Value::as_str).filter(|it| !is_path(it)) {
            self.longest = self.longest.max(lines(text).count());
            for line in lines(text) {
                if let Err(at) = self.lines.binary_search(&line)
                    && self.lines.len() < LINES
                {
                    self.lines.insert(at, line);
                }
            }
        }
    }

    /// Compares a code block with them.
    pub(super) fn likeness(&self, block: &str) -> Likeness {
        let mut all = 0_usize;
        let is_shared = lines(block).any(|line| {
            all = all.saturating_add(1);
            self.lines.binary_search(&line).is_ok()
        });
        match is_shared {
            true => Likeness::Shared,
            false if all > 0 && all.saturating_mul(2) < self.longest => Likeness::Other,
            false => Likeness::Open,
        }
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
