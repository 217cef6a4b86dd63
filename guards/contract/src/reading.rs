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
//! Neither does a warning, or a test that passed. The words are those of English, German, Spanish, Chinese and
//! Japanese. Some of them also say whether the same call may work later: a network that broke off, but not a name that
//! does not exist. `balk texts` shows how messages of real tools are read.

use memchr::memchr_iter;

use crate::identity::masked::identity_of;
use line::Line;
use number::{Count, HttpFailure, count_after, count_before, exit_status, http_failure};
use words::{Meaning, meaning, next_word};

mod line;
mod number;
mod words;

/// Bytes at the beginning and at the end of an answer that are read. What comes between is mostly the contents of a
/// file, or the steps of a build.
const HEAD: usize = 240;
const TAIL: usize = 240;

/// What an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading<'t> {
    /// Whether it reads as a failure.
    pub failed: bool,
    /// If it is a failure: whether the same call may work later.
    pub prospect: Prospect,
    /// Whether it counts failures, as a run of tests does.
    pub counts: bool,
    /// A digest of what failed: how many failures it counts, and all lines that say so. Between two runs of many tests,
    /// these may be all that differs. Zero if nothing says so.
    pub failures: u16,
    /// The last line that says that something failed, if one does. A line that only counts failures, as a summary
    /// does, says less than any other.
    pub line: Option<&'t str>,
}

/// Whether a failed call may work later, though nobody changes anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Prospect {
    /// It may: a network, a lock, a limit of rate.
    Passing,
    /// It names something that stays so: a name, a form, a right.
    Lasting,
    /// It does not say.
    #[default]
    Unknown,
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
    counts: bool,
    failures: u16,
    /// The bytes of the line, perhaps with blanks around it.
    line: Option<(usize, usize)>,
}

impl Findings {
    pub(crate) fn of(answer: &str) -> Self {
        let mut said = Said::default();
        if answer.len() <= HEAD + TAIL {
            said.read(answer.as_bytes(), 0, Cut::Nowhere);
        } else {
            let tail = answer.len() - TAIL;
            said.read(&answer.as_bytes()[..HEAD], 0, Cut::End);
            said.read(&answer.as_bytes()[tail..], tail, Cut::Start);
        }
        Self {
            failed: said.verdict(),
            prospect: said.prospect(),
            counts: matches!(said.counted, Some(Count::Some(_))),
            failures: said.failures(),
            line: said.error_line.or(said.failure_line).or(said.count_line),
        }
    }

    pub(crate) fn in_answer(self, answer: &str) -> Reading<'_> {
        let Self { failed, prospect, counts, failures, line } = self;
        let line = line.and_then(|(start, end)| answer.get(start..end)).map(str::trim);
        Reading { failed, prospect, counts, failures, line }
    }

    /// All of it in one number, which is not zero.
    pub(crate) fn packed(self) -> u64 {
        let prospect = match self.prospect {
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
            counts: packed >> 2 & 1 == 1,
            failures: (packed >> DIGEST_SHIFT) as u16,
            line: (packed >> 5 & 1 == 1).then_some((start, end)),
        };
        (packed != 0).then_some(findings)
    }
}

/// Bits for the length of a line.
const LENGTH_BITS: u32 = usize::BITS - (HEAD + TAIL).leading_zeros();
/// Where the digest is. What is left for the line is enough for an answer of gigabytes.
const DIGEST_SHIFT: u32 = u64::BITS - u16::BITS;

/// Where a part of an answer is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    Nowhere,
    End,
    Start,
}

/// A digest of a line without its volatile parts, and without the number of a thread (`thread 'a' (4711) panicked`).
fn digest(line: &[u8]) -> u64 {
    let number = |at: usize| line[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_alone = |at: usize| number(at) > 0 && line.get(at + 1 + number(at)) == Some(&b')');
    let found = memchr_iter(b'(', line).find(|&at| is_alone(at));
    let (before, behind) = line.split_at(found.unwrap_or(line.len()));
    let behind = behind.get(1 + found.map_or(0, number)..).unwrap_or_default();
    identity_of(before).folded() ^ identity_of(behind).folded().rotate_left(32)
}

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
    /// What its words say of a later try.
    passing: bool,
    lasting: bool,
    hint: bool,
    /// The bytes of the last lines that begin like an error, and that have a word of failure.
    error_line: Option<(usize, usize)>,
    failure_line: Option<(usize, usize)>,
    /// The last one in which only a count says that something failed.
    count_line: Option<(usize, usize)>,
    /// Whether the current line has counted failures.
    is_counting: bool,
    /// Digests of the whole lines that say that something failed, and not only how much.
    lines: u64,
}

impl Said {
    fn verdict(self) -> bool {
        match (self.exit, self.counted) {
            (Some(exit), _) => exit != Count::None,
            (None, Some(Count::Some(_))) => !self.mended,
            (None, Some(Count::None)) => self.error,
            (None, None) => self.error || self.failure && !self.success,
        }
    }

    fn prospect(self) -> Prospect {
        match (self.passing, self.lasting, self.hint) {
            (true, _, _) | (false, false, true) => Prospect::Passing,
            (false, true, _) => Prospect::Lasting,
            (false, false, false) => Prospect::Unknown,
        }
    }

    /// The count and the lines in one number.
    fn failures(self) -> u16 {
        let count = if let Some(Count::Some(count)) = self.counted { count } else { 0 };
        let lines = self.lines;
        count ^ (lines ^ lines >> 16 ^ lines >> 32 ^ lines >> 48) as u16
    }

    /// Reads lines, of which the first begins at this byte of the answer. A line that is cut has no digest: where it is
    /// cut depends on what comes before.
    fn read(&mut self, bytes: &[u8], from: usize, cut: Cut) {
        let mut start = 0;
        for end in memchr_iter(b'\n', bytes).chain([bytes.len()]) {
            let line = &bytes[start..end];
            let says = self.line(line, (from + start, from + end));
            let is_cut = match cut {
                Cut::Nowhere => false,
                Cut::End => end == bytes.len(),
                Cut::Start => start == 0,
            };
            if says && !is_cut {
                self.lines = self.lines.rotate_left(7) ^ digest(line);
            }
            start = end + 1;
        }
    }

    /// Reads a line. Whether it says that something failed, and not only how much.
    fn line(&mut self, line: &[u8], place: (usize, usize)) -> bool {
        let errors = self.error_line;
        let line = match Line::of(line) {
            Line::Plain(line) => line,
            Line::Error(line) => {
                self.error = true;
                self.error_line = Some(place);
                line
            }
            Line::Warning(line) => {
                self.warning(line);
                return false;
            }
            Line::Aside => return false,
        };
        let failures = self.failure;
        (self.failure, self.is_counting) = (false, false);
        let mut at = 0;
        while let Some(start) = next_word(line, at) {
            at = start + self.word(line, start);
        }
        match (self.failure, self.is_counting) {
            (true, _) => self.failure_line = Some(place),
            (false, true) => self.count_line = Some(place),
            (false, false) => {}
        }
        let says = self.failure || self.error_line != errors;
        self.failure |= failures;
        says
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
            if let Some(status) = http_failure(line, start) {
                self.refused(status);
            }
            return length;
        }
        let Some((meaning, length)) = meaning(rest) else { return 1 };
        match meaning {
            Meaning::Failure => self.failure = true,
            Meaning::Passing => (self.failure, self.passing) = (true, true),
            Meaning::Lasting => (self.failure, self.lasting) = (true, true),
            Meaning::Hint => self.hint = true,
            Meaning::Success => self.success |= start == 0,
            Meaning::Nothing => self.count(Some(Count::None)),
            Meaning::Exit => self.exit = worse(self.exit, exit_status(&rest[length..])),
            Meaning::Counted => match count_after(&rest[length..]) {
                // What was counted before it, as in "2 failed".
                None if self.is_counting => {}
                None => self.failure = true,
                counted => self.count(counted),
            },
        }
        length
    }

    fn refused(&mut self, status: HttpFailure) {
        self.failure = true;
        self.passing |= status.may_pass();
        self.lasting |= !status.may_pass();
    }

    fn count(&mut self, counted: Option<Count>) {
        self.is_counting |= matches!(counted, Some(Count::Some(_)));
        self.counted = worse(self.counted, counted);
    }
}

/// The greater count of the two.
fn worse(a: Option<Count>, b: Option<Count>) -> Option<Count> {
    a.max(b)
}

#[cfg(test)]
mod tests;
