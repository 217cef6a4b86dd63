//! A place in a recording with a few messages around it.

use std::io::{self, Write};

use balk_guards::{Entry, Part};

use crate::import::{Placed, one_line};
use crate::redact;

/// The number of messages that are shown before the place.
const BEFORE: usize = 6;

/// The number of messages that are shown after it.
const AFTER: usize = 6;

/// The maximum length of a text.
const CHARS: usize = 600;

/// Something that was said in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Said<'a> {
    /// Who or what said it.
    pub(crate) who: &'static str,
    /// The tool that a call names.
    pub(crate) tool: Option<&'a str>,
    /// The text; of a call, its arguments.
    pub(crate) text: &'a str,
}

/// What an entry adds to the conversation, in order.
pub(crate) fn said(entry: &Entry) -> Vec<Said<'_>> {
    let one = |who, text| vec![Said { who, tool: None, text }];
    match entry {
        Entry::User(said) => one("user", &said.text),
        Entry::Result(result) => one("result", &result.text),
        Entry::Intervention(said) => one("guard", &said.note.text),
        Entry::Failed(_) => one("model", ""),
        Entry::Completion(completion) => {
            let parts = completion.parts.iter().map(|part| match part {
                Part::Text(text) => Said { who: "model", tool: None, text },
                Part::Thinking { text, .. } => Said { who: "thinking", tool: None, text },
            });
            let calls = completion.calls.iter().map(|call| Said {
                who: "calls",
                tool: Some(&call.tool),
                text: &call.arguments,
            });
            parts.chain(calls).collect()
        }
        Entry::Start(_)
        | Entry::Tried(_)
        | Entry::Answer(_)
        | Entry::Compaction(_)
        | Entry::Conclusion(_)
        | Entry::End(_) => Vec::new(),
    }
}

/// Writes the messages around this one, with their contents or without.
///
/// # Errors
/// Those of the writer.
pub fn around(out: &mut dyn Write, entries: &[Placed], message: usize, redacts: bool) -> io::Result<()> {
    let near = |it: &&Placed| it.message + BEFORE >= message && it.message <= message + AFTER;
    for Placed { message: at, entry } in entries.iter().filter(near) {
        let mark = if *at == message { ">>>" } else { "   " };
        for Said { who, tool, text } in said(entry) {
            let text = if redacts { redact::text(text) } else { one_line(text, CHARS) };
            let tool = tool.map_or_else(String::new, |tool| format!("{tool} "));
            writeln!(out, "{mark} {at:>4} {who:>9} │ {tool}{text}")?;
        }
    }
    Ok(())
}
