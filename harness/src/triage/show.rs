//! A place in a recording with a few messages around it.

use std::io::{self, Write};

use balk_guards::{Entry, Part};

use crate::import::{Placed, one_line};

/// The number of messages that are shown before the place.
const BEFORE: usize = 6;

/// The number of messages that are shown after it.
const AFTER: usize = 6;

/// The maximum length of a text.
const CHARS: usize = 600;

/// Writes the messages around this one. With `redact`, lengths stand for contents.
///
/// # Errors
/// Those of the writer.
pub fn around(out: &mut dyn Write, entries: &[Placed], message: usize, redact: bool) -> io::Result<()> {
    let near = |it: &&Placed| it.message + BEFORE >= message && it.message <= message + AFTER;
    for Placed { message: at, entry } in entries.iter().filter(near) {
        let mark = if *at == message { ">>>" } else { "   " };
        let words = |text: &str| {
            if redact { format!("({} bytes)", text.len()) } else { one_line(text, CHARS) }
        };
        let mut line = |who: &str, text: &str| writeln!(out, "{mark} {at:>4} {who:>9} │ {}", words(text));
        match entry {
            Entry::User(said) => line("user", &said.text)?,
            Entry::Result(result) => line("result", &result.text)?,
            Entry::Intervention(said) => line("guard", &said.note.text)?,
            Entry::Failed(_) => line("model", "")?,
            Entry::Completion(completion) => {
                for part in &completion.parts {
                    match part {
                        Part::Text(text) => line("model", text)?,
                        Part::Thinking { text, .. } => line("thinking", text)?,
                    }
                }
                for call in &completion.calls {
                    writeln!(out, "{mark} {at:>4}     calls │ {} {}", call.tool, words(&call.arguments))?;
                }
            }
            Entry::Start(_)
            | Entry::Tried(_)
            | Entry::Answer(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }
    Ok(())
}
