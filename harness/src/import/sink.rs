//! Where importers put what they find in a piece of a file.

use std::sync::Arc;

use super::bad::BadLine;
use super::recording::Recording;

/// What came before the first transcript of a document and is the same for all of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    /// The model's name; empty where the document does not say.
    pub(super) model: Arc<str>,
}

/// Transcripts, and parts that cannot be used, in order; each with the number of lines of the piece before it.
#[derive(Debug, Default)]
pub(super) struct Sink {
    pub(super) found: Vec<(u64, Result<Recording, BadLine>)>,
}

impl Sink {
    /// Takes a transcript.
    pub(super) fn recording(&mut self, recording: Recording) {
        self.found.push((0, Ok(recording)));
    }

    /// Takes a part that cannot be used.
    pub(super) fn bad(&mut self, lines_before: u64, bad: BadLine) {
        self.found.push((lines_before, Err(bad)));
    }

    /// Passes every line of a text on that is not blank. One that cannot be used is reported, and the rest goes on.
    pub(super) fn lines<'a>(&mut self, text: &'a str, mut take: impl FnMut(&'a str) -> Result<(), BadLine>) {
        for (number, line) in (0..).zip(text.lines()) {
            if line.trim().is_empty() {
                continue;
            }
            if let Err(bad) = take(line) {
                self.bad(number, bad);
            }
        }
    }
}
