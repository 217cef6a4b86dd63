//! What the lines of an answer say together, each read by itself.

use memchr::{memchr, memchr_iter};

use super::json::Telling;
use super::line::{Line, is_marked, is_of_differences, is_silent};
use super::meaning::Meaning;
use super::number::{
    Count, HttpFailure, count_after, count_before, exit_status, http_failure, is_busy, is_denied,
};
use super::shape::{Counts, Shape};
use super::word_lines::WordLines;
use super::words::{meaning, next_word};
use crate::identity::masked::identity_of;

/// Bytes at the beginning and at the end of an answer that are read. What comes between is mostly the contents of a
/// file, or the steps of a build.
pub(super) const HEAD: usize = 240;
pub(super) const TAIL: usize = 240;

/// Whether a failed call may work later without any change.
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

/// Where a part of an answer is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    Nowhere,
    End,
    Start,
}

/// A digest of a line without its volatile parts, and without the number of a thread (`thread 'a' (4711) panicked`).
pub(super) fn digest(line: &[u8]) -> u64 {
    let number = |at: usize| line[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_alone = |at: usize| number(at) > 0 && line.get(at + 1 + number(at)) == Some(&b')');
    let found = memchr_iter(b'(', line).find(|&at| is_alone(at));
    let (before, behind) = line.split_at(found.unwrap_or(line.len()));
    let behind = behind.get(1 + found.map_or(0, number)..).unwrap_or_default();
    identity_of(before).folded() ^ identity_of(behind).folded().rotate_left(32)
}

/// The meaning of a word, and its length.
type Found = (Meaning, usize);

/// What the lines say together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Said {
    /// What kind of text it is; without it, all words count.
    shape: Option<Shape>,
    /// What speaks of the call, if the answer is JSON.
    telling: Option<Telling>,
    pub(super) exit: Option<Count>,
    pub(super) counted: Option<Count>,
    /// All that was counted is mended.
    mended: bool,
    pub(super) error: bool,
    pub(super) failure: bool,
    /// A line says more than an exit status; one is of a list of differences.
    speaks: bool,
    differs: bool,
    success: bool,
    /// What its words say of a later try.
    passing: bool,
    timeout: bool,
    part: bool,
    lasting: bool,
    hint: bool,
    /// The bytes of the last lines that begin like an error, and that have a word of failure.
    pub(super) error_line: Option<(usize, usize)>,
    pub(super) failure_line: Option<(usize, usize)>,
    /// The last one in which only a count says that something failed.
    pub(super) count_line: Option<(usize, usize)>,
    /// Whether the current line has counted failures.
    is_counting: bool,
    /// Digests of the whole lines that say that something failed, and not only how much.
    lines: u64,
    pub(super) words: WordLines,
}

impl Said {
    /// Nothing yet, of a text of this kind.
    pub(super) fn of_kind(shape: Shape, telling: Option<Telling>) -> Self {
        Self { shape: Some(shape), telling, ..Self::default() }
    }

    pub(super) fn verdict(self) -> bool {
        match (self.exit, self.counted) {
            (Some(exit), _) => exit != Count::None,
            (None, Some(Count::Some(_))) => !self.mended,
            (None, Some(Count::None)) => self.error,
            (None, None) => self.error || self.failure && !self.success,
        }
    }

    pub(super) fn says_no(self) -> bool {
        let is_answer = !self.speaks || self.differs && !self.error && !self.failure;
        is_answer && matches!(self.exit, None | Some(Count::Some(1)))
    }

    pub(super) fn prospect(self) -> Prospect {
        if self.says_no() {
            return Prospect::Unknown;
        }
        // A part of a page that did not come in time is not there. Whether it will be, the page says.
        let awaits_part = self.timeout && self.part;
        let passing = self.passing || self.timeout && !awaits_part;
        match (passing, self.lasting, self.hint && !awaits_part) {
            (true, _, _) | (false, false, true) => Prospect::Passing,
            (false, true, _) => Prospect::Lasting,
            (false, false, false) => Prospect::Unknown,
        }
    }

    /// The count and the lines in one number.
    pub(super) fn failures(self) -> u16 {
        let count = if let Some(Count::Some(count)) = self.counted { count } else { 0 };
        let lines = self.lines;
        count ^ (lines ^ lines >> 16 ^ lines >> 32 ^ lines >> 48) as u16
    }

    /// Reads the parts of an answer, each with its first byte.
    pub(super) fn having_read(mut self, parts: &[(&[u8], usize)]) -> Self {
        for (nth, &(part, from)) in parts.iter().enumerate() {
            let cut = match (nth, parts.len()) {
                (0, 1) => Cut::Nowhere,
                (0, _) => Cut::End,
                (_, _) => Cut::Start,
            };
            self.read(part, from, cut);
        }
        self
    }

    /// Reads lines, of which the first begins at this byte of the answer. A line that is cut has no digest: where it is
    /// cut depends on what comes before.
    fn read(&mut self, bytes: &[u8], from: usize, cut: Cut) {
        let mut start = 0;
        for end in memchr_iter(b'\n', bytes).chain([bytes.len()]) {
            let line = &bytes[start..end];
            let exit = self.exit;
            // A line of a list of differences is of a file.
            let is_shown =
                self.differs && matches!(line, [b'-' | b'<' | b'>', ..]) && !line.starts_with(b"--- ");
            let says = !is_shown && self.line(line, (from + start, from + end));
            self.speaks = self.speaks || exit == self.exit && (says || !is_silent(line));
            self.differs = self.differs || is_of_differences(line);
            self.words.end_line();
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
        let end = line.len();
        let shape = self.shape.filter(|_| self.telling.is_none());
        let counts = shape.map_or(Counts::All, |shape| shape.counts(line, place.0));
        let line = match (Line::of(line), counts) {
            (Line::Aside, _) => return false,
            (Line::Warning(line), _) => {
                self.numbers(line, Counts::Nothing);
                return false;
            }
            (Line::Plain(line), Counts::Nothing | Counts::Marked)
            | (Line::Error(line), Counts::Verdict | Counts::Nothing) => {
                self.numbers(line, counts);
                return false;
            }
            (Line::Error(line), Counts::Marked | Counts::Clauses) if !is_marked(line) => {
                self.numbers(line, counts);
                return false;
            }
            (Line::Error(line), _) if self.telling.is_none() => {
                (self.error, self.words.has_word) = (true, true);
                self.error_line = Some(place);
                line
            }
            (Line::Error(line) | Line::Plain(line), _) => line,
        };
        let failures = self.failure;
        (self.failure, self.is_counting) = (false, false);
        let cut = end - line.len();
        let mut at = 0;
        let is_quoting = memchr(b'"', line).is_some();
        while let Some(start) = next_word(line, at) {
            let found = meaning(&line[start..]);
            if found.is_none() && !line[start].is_ascii_digit() {
                at = start + 1;
                continue;
            }
            let is_read = match &self.telling {
                Some(telling) => telling.has(place.0 + cut + start),
                None if counts == Counts::All && !is_quoting => true,
                None => counts.has(line, start, cut),
            };
            at = start
                + match is_read {
                    true => self.word(line, start, found),
                    false if self.telling.is_some() => self.member(line, start, found, place.0),
                    false => self.number(line, start, found, counts),
                };
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

    /// Reads the numbers in a line whose words do not count.
    fn numbers(&mut self, line: &[u8], counts: Counts) {
        let mut at = 0;
        while let Some(start) = next_word(line, at) {
            at = start + self.number(line, start, meaning(&line[start..]), counts);
        }
    }

    /// Reads the exit status of a member of JSON that starts here, in the end of an answer that is cut.
    fn member(&mut self, line: &[u8], start: usize, found: Option<Found>, from: usize) -> usize {
        let is_name = from >= HEAD && line[..start].ends_with(b"\"");
        if is_name { self.number(line, start, found, Counts::Nothing) } else { 1 }
    }

    /// Reads the exit status that starts here, or the count of failures behind its name: data has them, too. Returns
    /// how many bytes were read.
    fn number(&mut self, line: &[u8], start: usize, found: Option<Found>, counts: Counts) -> usize {
        let Some((meaning, length)) = found else { return 1 };
        let rest = &line[start + length..];
        match meaning {
            Meaning::Exit if counts.has_exit(line) => {
                self.exit = worse(self.exit, exit_status(&line[start..]));
            }
            Meaning::Counted if self.telling.is_none() && counts != Counts::Nothing => {
                self.count(count_after(rest))
            }
            Meaning::Part => self.part = true,
            Meaning::Failure
            | Meaning::Passing
            | Meaning::Timeout
            | Meaning::Lasting
            | Meaning::Hint
            | Meaning::Success
            | Meaning::Nothing
            | Meaning::Exit
            | Meaning::Counted => {}
        }
        1
    }

    /// Reads the word or number that starts here, and returns how many bytes it took.
    fn word(&mut self, line: &[u8], start: usize, found: Option<Found>) -> usize {
        let rest = &line[start..];
        if rest[0].is_ascii_digit() {
            let (length, counted) = count_before(rest);
            // In `10:42 error.log` the number is one of a clock.
            self.count(counted.filter(|_| start == 0 || line[start - 1] != b':'));
            let is_mended = rest.starts_with(b"0 remaining");
            self.mended |= is_mended;
            self.words.has_word |= is_mended || counted.is_some();
            if let Some(status) = http_failure(line, start) {
                self.refused(status);
            }
            self.hint |= is_busy(line, start);
            return length;
        }
        let Some((meaning, length)) = found else { return 1 };
        self.words.has_word = true;
        match meaning {
            Meaning::Failure => self.failure = true,
            Meaning::Timeout => (self.failure, self.timeout) = (true, true),
            Meaning::Part => self.part = true,
            Meaning::Passing => (self.failure, self.passing) = (true, true),
            Meaning::Lasting => (self.failure, self.lasting) = (true, true),
            Meaning::Hint => self.hint = true,
            // `"ok": false`.
            Meaning::Success if is_denied(&rest[length..]) => self.failure = true,
            Meaning::Success => self.success |= start == 0,
            Meaning::Nothing => self.count(Some(Count::None)),
            Meaning::Exit => self.exit = worse(self.exit, exit_status(rest)),
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
        (self.failure, self.words.has_word) = (true, true);
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
