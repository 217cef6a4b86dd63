//! What a tool's answer says, read from its text alone.
//!
//! Not every wire carries a status, and a model has only the words. So guards and scripted models read alike: structure
//! comes first, then words:
//!
//! 1. the exit status that a shell tool reports ("exit code 1");
//! 2. counts of failures ("10 passed, 0 failed", `"errors": []`) and statuses of HTTP ("502 Bad Gateway");
//! 3. lines that begin like an error ("fatal: …", "TypeError: …", "src/a.c:3:5: error: …");
//! 4. words of failure anywhere in a line ("not found", "Recv failure"), unless a line says that it worked.
//!
//! A line that quotes something, such as a numbered line of a file or a line of a log, says nothing about the tool.
//! Neither does a warning, or a test that passed.
//!
//! Words count less where a text is about something else (`reading/shape.rs`). A tool that failed says so in a few
//! words, first or in a line of its own. In a letter, a ticket, a list, a table or several sentences of prose, words of
//! failure are what the tool was asked for, so only these places count, and lines with the mark of an error
//! (`TypeError: …`). Of JSON (`reading/json.rs`), only members that speak of the call count: `error`, `ok`, and
//! `message` if nothing else comes first. Neither rule knows a language; a letter of one member, or a list without
//! marks, is read as before. The words are those of English, German, Spanish, Chinese and Japanese. Some of them also
//! say whether the same call may work later: a network that broke off, but not a name that does not exist. A short
//! answer that says "yet" may come, whatever else it says. A time that ran out may be enough later, unless it was spent
//! on waiting for a part of a page: that depends on the page. `balk texts` shows how messages of real tools are read.

use crate::identity::goes_on::says_not_yet;
pub use cause::{Cause, Causes};
pub use errors::Errors;
pub(crate) use errors::FoundErrors;
use json::Telling;
use number::Count;
pub use said::Prospect;
use said::{HEAD, Said, TAIL};
use shape::{Counts, Shape};

mod cause;
mod errors;
mod json;
mod line;
mod meaning;
mod number;
mod said;
mod shape;
mod word_lines;
mod words;

/// What an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading<'t> {
    /// Whether it reads as a failure.
    pub failed: bool,
    /// If it is a failure, by this reading or by its status: whether the same call may work later.
    pub prospect: Prospect,
    /// Whether it is an answer in the form of a failure: an exit status of 1 or none, and no output or only
    /// differences. So `grep` says that there is no match, and `test`, `pgrep` and `diff` say no. A program that could
    /// not do its work says why, or leaves with another status.
    pub says_no: bool,
    /// Whether it counts failures, as a run of tests does.
    pub counts: bool,
    /// A digest of what failed: how many failures it counts, and all lines that say so. Between two runs of many tests,
    /// these may be all that differs. Zero if nothing says so.
    pub failures: u16,
    /// The last line that says that something failed, if one does. A line that only counts failures, as a summary
    /// does, says less than any other.
    pub line: Option<&'t str>,
}

impl<'t> Reading<'t> {
    /// Reads an answer: its beginning and its end, if it is long.
    #[must_use]
    pub fn of(answer: &'t str) -> Self {
        Findings::of(answer).in_answer(answer)
    }
}

/// A reading without the text of its answer, to be kept beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Findings {
    pub(crate) failed: bool,
    prospect: Prospect,
    pub(crate) says_no: bool,
    counts: bool,
    failures: u16,
    /// The bytes of the line, perhaps with blanks around it.
    line: Option<(usize, usize)>,
}

impl Findings {
    pub(crate) fn of(answer: &str) -> Self {
        let bytes = answer.as_bytes();
        let is_long = bytes.len() > HEAD + TAIL;
        let (head, rest) = bytes.split_at(if is_long { HEAD } else { bytes.len() });
        let tail = &rest[rest.len().saturating_sub(TAIL)..];
        let parts = [(head, 0), (tail, bytes.len() - tail.len())];
        let parts = &parts[..1 + usize::from(is_long)];
        let mut said = Said::default().having_read(parts);
        // Most answers have no word of failure, so it does not matter what kind of text they are.
        let complains = said.error || said.failure || said.counted.is_some();
        let may_pass = said.prospect() == Prospect::Passing;
        if complains && said.exit != Some(Count::None) || matches!(said.exit, Some(Count::Some(_))) {
            let (shape, telling) = (Shape::of([head, tail]), Telling::of(head));
            let counts = |line: &[u8], from| shape.counts(line, from) == Counts::All;
            // Where all words count in each line that has one, the same would be read again.
            if telling.is_some() || !said.words.are_in(parts, counts) {
                said = Said::of_kind(shape, telling).having_read(parts);
            }
        }
        let findings = Self::from(said);
        // What is not there yet may come, whatever else the same words mean: "is not ready yet".
        let may_come = findings.failed && !findings.says_no && says_not_yet(answer);
        // A text of another kind may still be a failure by its status. Then its words are all that is known.
        let may_pass = may_pass && !findings.failed && !findings.says_no;
        if may_come || may_pass { Self { prospect: Prospect::Passing, ..findings } } else { findings }
    }

    pub(crate) fn in_answer(self, answer: &str) -> Reading<'_> {
        let Self { failed, prospect, says_no, counts, failures, line } = self;
        let line = line.and_then(|(start, end)| answer.get(start..end)).map(str::trim);
        Reading { failed, prospect, says_no, counts, failures, line }
    }

    /// All of it in one number, which is not zero.
    pub(crate) fn packed(self) -> u64 {
        let prospect = match self.prospect {
            // What is an answer has no prospect.
            _ if self.says_no => 3,
            Prospect::Passing => 0,
            Prospect::Lasting => 1,
            Prospect::Unknown => 2,
        };
        // A line that is read is no longer than what is read of an answer.
        let line = self.line.map_or(0, |(start, end)| (start << LENGTH_BITS | (end - start)) << 1 | 1);
        let line = (line as u64) << 5 & !(u64::MAX << DIGEST_SHIFT);
        let said = 1 | u64::from(self.failed) << 1 | u64::from(self.counts) << 2 | prospect << 3;
        said | line | u64::from(self.failures) << DIGEST_SHIFT
    }

    /// What [`packed`](Self::packed) made a number of; `None` for zero.
    pub(crate) fn unpacked(packed: u64) -> Option<Self> {
        let prospect = match packed >> 3 & 3 {
            0 => Prospect::Passing,
            1 => Prospect::Lasting,
            _ => Prospect::Unknown,
        };
        let line = ((packed & !(u64::MAX << DIGEST_SHIFT)) >> 6) as usize;
        let start = line >> LENGTH_BITS;
        let end = start + (line & ((1 << LENGTH_BITS) - 1));
        let findings = Self {
            failed: packed >> 1 & 1 == 1,
            prospect,
            says_no: packed >> 3 & 3 == 3,
            counts: packed >> 2 & 1 == 1,
            failures: (packed >> DIGEST_SHIFT) as u16,
            line: (packed >> 5 & 1 == 1).then_some((start, end)),
        };
        (packed != 0).then_some(findings)
    }
}

impl From<Said> for Findings {
    fn from(said: Said) -> Self {
        Self {
            failed: said.verdict(),
            prospect: said.prospect(),
            says_no: said.says_no(),
            counts: matches!(said.counted, Some(Count::Some(_))),
            failures: said.failures(),
            line: said.error_line.or(said.failure_line).or(said.count_line),
        }
    }
}

/// Bits for the length of a line.
const LENGTH_BITS: u32 = usize::BITS - (HEAD + TAIL).leading_zeros();
/// Where the digest is. What is left for the line is enough for an answer of gigabytes.
const DIGEST_SHIFT: u32 = u64::BITS - u16::BITS;

#[cfg(test)]
mod tests;
