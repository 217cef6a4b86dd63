//! What an actor takes for a failure.
//!
//! A model has only the words of an answer, since not every wire carries a flag. Structure comes first, then words:
//!
//! 1. the exit status that a shell tool reports ("exit code 1");
//! 2. counts of failures ("10 passed, 0 failed", `"errors": []`) and statuses of HTTP ("502 Bad Gateway");
//! 3. lines that begin like an error ("fatal: …", "TypeError: …", "src/a.c:3:5: error: …");
//! 4. words of failure anywhere in a line ("not found", "Recv failure"), unless a line says that it worked.
//!
//! A line that quotes something, such as a numbered line of a file or a line of a log, says nothing about the tool.
//! Neither does a warning, or a test that passed. The words are those of English, German, Spanish, Chinese and
//! Japanese. `balk texts` shows how messages of real tools are read.

use line::Line;
use number::{Count, count_after, count_before, exit_status, is_http_failure};
use words::{Meaning, meaning, next_word};

mod line;
mod number;
mod words;

/// Bytes at the beginning and at the end of an answer that are read. What comes between is mostly the contents of a
/// file, or the steps of a build.
const HEAD: usize = 240;
const TAIL: usize = 240;

/// What the lines say together.
#[derive(Clone, Copy, Debug, Default)]
struct Said {
    exit: Option<Count>,
    counted: Option<Count>,
    /// All that was counted is mended.
    mended: bool,
    error: bool,
    failure: bool,
    success: bool,
}

/// Whether a tool's answer reads as a failure. A test checks that all error texts of the catalogue are recognised.
#[must_use]
pub fn reads_as_failure(answer: &str) -> bool {
    let bytes = answer.as_bytes();
    let mut said = Said::default();
    if bytes.len() <= HEAD + TAIL {
        said.read(bytes);
    } else {
        said.read(&bytes[..HEAD]);
        said.read(&bytes[bytes.len() - TAIL..]);
    }
    said.verdict()
}

impl Said {
    fn verdict(self) -> bool {
        match (self.exit, self.counted) {
            (Some(exit), _) => exit == Count::Some,
            (None, Some(Count::Some)) => !self.mended,
            (None, Some(Count::None)) => self.error,
            (None, None) => self.error || self.failure && !self.success,
        }
    }

    fn read(&mut self, bytes: &[u8]) {
        for line in bytes.split(|byte| *byte == b'\n') {
            self.line(line);
        }
    }

    fn line(&mut self, line: &[u8]) {
        let line = match Line::of(line) {
            Line::Plain(line) => line,
            Line::Error(line) => {
                self.error = true;
                line
            }
            Line::Warning(line) => return self.warning(line),
            Line::Aside => return,
        };
        let mut at = 0;
        while let Some(start) = next_word(line, at) {
            at = start + self.word(line, start);
        }
    }

    fn warning(&mut self, line: &[u8]) {
        let mut at = 0;
        while let Some(start) = next_word(line, at) {
            at = start + 1;
            if let Some((Meaning::Exit, length)) = meaning(&line[start..]) {
                self.exit = worse(self.exit, exit_status(&line[start + length..]));
            }
        }
    }

    /// Reads the word that starts here, and returns how many bytes it took.
    fn word(&mut self, line: &[u8], start: usize) -> usize {
        let rest = &line[start..];
        if rest[0].is_ascii_digit() {
            let (length, counted) = count_before(rest);
            // In `10:42 error.log` the number is one of a clock.
            self.count(counted.filter(|_| start == 0 || line[start - 1] != b':'));
            self.mended |= rest.starts_with(b"0 remaining");
            self.failure |= is_http_failure(rest);
            return length;
        }
        let Some((meaning, length)) = meaning(rest) else { return 1 };
        match meaning {
            Meaning::Failure => self.failure = true,
            Meaning::Success => self.success |= start == 0,
            Meaning::Nothing => self.count(Some(Count::None)),
            Meaning::Exit => self.exit = worse(self.exit, exit_status(&rest[length..])),
            Meaning::Counted => match count_after(&rest[length..]) {
                None => self.failure = true,
                counted => self.count(counted),
            },
        }
        length
    }

    fn count(&mut self, counted: Option<Count>) {
        self.counted = worse(self.counted, counted);
    }
}

/// The greater count of the two.
fn worse(a: Option<Count>, b: Option<Count>) -> Option<Count> {
    a.max(b)
}

#[cfg(test)]
mod tests;
