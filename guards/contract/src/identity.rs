//! What a tool result says once its volatile parts are masked: two results of one call are the same when their keys
//! are equal.
//!
//! | masked | example | not masked |
//! |---|---|---|
//! | date with a year | `2024-05-01`, `2024/05/01`, `05/01/2024` | `2024-13-01`, `1.2024-05-01`, the year alone |
//! | date with a month's name | `Fri May  3 12:30:01 2024`, `May 3 12:30`, `03 May 2024` | `May 3` alone |
//! | time with seconds | `12:30:01`, `0:00:12.5`, and a zone after it (`Z`, `+02:00`, ` +0200`) | `12:30` (a line and column), `main.rs:12:30:01` |
//! | time without seconds | after a date (`2024-05-01 12:30`), before am or pm | `12:30` |
//! | duration | `1.23s`, `12 ms`, `0.4 seconds`, `3 min`, `1h 2m 3s` | `3 m`, `3 files`, `1.2.3s`, `s3`, `5 days` |
//! | speed of a progress bar | `284.96it/s`, `5.2 MB/s`, `812 kB/s` | `1200 req/s`, `5.2 MB` |
//! | countdown | `7 steps left`, `2 attempts remaining`, `steps left: 7`; the number of a cell, `In [3]`, `Out[3]` | `x[3]`, `7 files left`, `step 3 of 10`, `3/10 steps` (progress) |
//! | address | `0x7ffe5a3b10` (9 to 16 digits), `at 0x804a010` (from 5 digits on) | `0x80070005` (an error code) |
//! | UUID | `550e8400-e29b-41d4-a716-446655440000` | a shorter one |
//! | hexadecimal id | `3f2b8c1d`: 8 to 32 digits of one case, with both letters and digits | `12345678`, `deadbeef`, `a1b2c3d`, `1e10000000`, `#1f2e3d4c`, digests of 40 digits and more |
//! | id of mixed digits and letters | `msg_a8Kd93LmQz7XcVb2`: 16 to 64 of both cases, often changing | `parseHTTPResponse2xxOr3xx`, `a8Kd93Lm` |
//! | time since 1970, id that begins with one | `1767225600`, `1767225600123`, 16 to 20 digits | `1234567890`, 11 or 12 digits |
//! | number of a process | `pid 4711`, `PID: 4711` | `port 4711`, `process 4711` |
//! | temporary name | after `/tmp/`: `tmpab12cd`, `.tmpXy12Za`, `tmp.Xy12Za90Qw`, `build-x7k2p9`, `go-build123456` | `/tmp/report2024.txt`, `/tmp/out.txt` |
//!
//! All other digits stay: counts, line numbers, exit codes, ids of records and versions say what changed. The rules
//! come from the kinds of noise in recorded tool results; a full digest (SHA-1 and longer) stays because it names
//! content. Masked parts of one kind are equal, whatever their length. With the last step of a countdown (`1 steps
//! left`) harnesses add a sentence; a short text in the lines after it does not count.
//!
//! One pass without allocation: only text around a digit or after `/tmp/` is examined closely.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use memchr::memchr;
use memchr::memmem::Finder;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

use crate::reading::{Findings, Reading};
use digits::Digits;
use goes_on::says_it_goes_on;
use known::Known;
pub use result_key::ResultKey;
use volatile::{Kind, Span};

mod digits;
mod goes_on;
mod known;
mod moment;
mod plain;
mod reader;
mod result_key;
mod vocabulary;
mod volatile;

/// A tool's answer, with cached properties that guards ask for. Each is computed at the first request, so the text is
/// masked and read once, however many guards look at it.
#[derive(Clone, Default)]
pub struct ResultText {
    text: Arc<str>,
    known: Known,
}

impl ResultText {
    /// Its [`identity`].
    #[must_use]
    pub fn key(&self) -> ResultKey {
        self.known.key(|| identity(&self.text))
    }

    /// Whether it is a short text that says that something is still in progress.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.known.goes_on(|| says_it_goes_on(&self.text))
    }

    /// What it says: whether it reads as a failure, and of which kind.
    #[must_use]
    pub fn reading(&self) -> Reading<'_> {
        self.known.findings(|| Findings::of(&self.text)).in_answer(&self.text)
    }

    /// Whether it reads as a failure: a part of its [`reading`](Self::reading).
    #[must_use]
    pub fn reads_as_failure(&self) -> bool {
        self.known.findings(|| Findings::of(&self.text)).failed
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }
}

/// Shows the text only, so the output does not depend on which properties are cached.
impl fmt::Debug for ResultText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl Deref for ResultText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl From<Arc<str>> for ResultText {
    fn from(text: Arc<str>) -> Self {
        Self { text, known: Known::default() }
    }
}

impl From<&str> for ResultText {
    fn from(text: &str) -> Self {
        Arc::<str>::from(text).into()
    }
}

impl From<String> for ResultText {
    fn from(text: String) -> Self {
        Arc::<str>::from(text).into()
    }
}

impl PartialEq for ResultText {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for ResultText {}

impl PartialEq<str> for ResultText {
    fn eq(&self, other: &str) -> bool {
        *self.text == *other
    }
}

/// The key of a result with its volatile parts masked.
#[must_use]
pub fn identity(text: &str) -> ResultKey {
    let bytes = text.as_bytes();
    let mut spans = Spans::<true>::new(bytes);
    let Some(first) = spans.next() else { return ResultKey(xxh3_128(bytes)) };
    let mut hash = Xxh3Default::new();
    let (mut plain, mut end) = (0, bytes.len());
    for span in std::iter::once(first).chain(spans) {
        if span.start >= end {
            break;
        }
        hash.update(&bytes[plain..span.start]);
        // This byte occurs in no text, so a mask equals nothing that was written out.
        hash.update(&[0xff, span.kind as u8]);
        plain = span.end;
        if span.kind == Kind::Countdown && is_last(&bytes[span.start..span.end]) {
            end = plain + line_of_the_last(&bytes[plain..]);
        }
    }
    hash.update(&bytes[plain..end.max(plain)]);
    ResultKey(hash.digest128())
}

/// How long the sentences may be, in bytes, that come with the last steps.
const LAST_WORDS: usize = 160;

/// Whether this countdown is at its end: `1 steps left`, `0 attempts remaining`.
fn is_last(countdown: &[u8]) -> bool {
    matches!(countdown, [b'0' | b'1', b' ', ..])
}

/// How much counts of what comes after a countdown at its end. A harness adds a sentence then ("You should take the
/// last step to propose a solution"), which says nothing about the call.
fn line_of_the_last(rest: &[u8]) -> usize {
    let line = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
    if rest.len() - line <= LAST_WORDS { line } else { rest.len() }
}

/// How many slashes are checked one by one before a search for `/tmp/`.
const SLASHES: usize = 4;

/// The volatile parts of a text, in order. The short cut skips numbers that no rule can match; it finds the same
/// parts, faster.
struct Spans<'t, const SHORT_CUT: bool> {
    bytes: &'t [u8],
    digits: Digits<'t>,
    /// Where the last span ended; nothing before it is examined again.
    floor: usize,
    /// Where the next name after `/tmp/` starts.
    temporary: Option<usize>,
}

impl<'t, const SHORT_CUT: bool> Spans<'t, SHORT_CUT> {
    fn new(bytes: &'t [u8]) -> Self {
        Self { bytes, digits: Digits::new(bytes), floor: 0, temporary: temporary(bytes, 0) }
    }

    /// The next word with a digit in it that a rule may match; `None` if the digit is not before `until`.
    #[inline]
    fn word(&mut self, until: usize) -> Option<(usize, usize)> {
        let is_plain = |first, last| SHORT_CUT && plain::is_plain(self.bytes, first, last);
        let (first, last) = self.digits.run_unless(until, is_plain)?;
        // Words are taken whole, so that a long one is examined once.
        let alphanumeric = |byte: &&u8| byte.is_ascii_alphanumeric();
        let before = self.bytes[self.floor..first].iter().rev().take_while(alphanumeric).count();
        let end = last + self.bytes[last..].iter().take_while(alphanumeric).count();
        self.digits.skip_to(end);
        Some((first - before, end))
    }
}

impl<const SHORT_CUT: bool> Iterator for Spans<'_, SHORT_CUT> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        loop {
            let until = self.temporary.unwrap_or(self.bytes.len());
            let span = match (self.word(until), self.temporary) {
                (Some((start, end)), _) => volatile::around(self.bytes, self.floor, start, end),
                (None, Some(name)) => {
                    self.temporary = temporary(self.bytes, name);
                    volatile::temporary_name(self.bytes, name)
                }
                (None, None) => return None,
            };
            if let Some(span) = span.filter(|span| span.start >= self.floor) {
                self.digits.skip_to(span.end);
                self.floor = span.end;
                return Some(span);
            }
        }
    }
}

/// Where the next name after `/tmp/` starts.
fn temporary(bytes: &[u8], mut from: usize) -> Option<usize> {
    const DIRECTORY: &[u8] = b"/tmp/";
    static TMP: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(DIRECTORY));
    // Most texts have no path or only a few, which this loop finds out faster than a search.
    for _ in 0..SLASHES {
        from += memchr(b'/', &bytes[from..])?;
        if bytes[from..].starts_with(DIRECTORY) {
            return Some(from + DIRECTORY.len());
        }
        from += 1;
    }
    TMP.find(&bytes[from..]).map(|found| from + found + DIRECTORY.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spans<const SHORT_CUT: bool>(text: &str) -> Vec<Span> {
        Spans::<SHORT_CUT>::new(text.as_bytes()).collect()
    }

    /// Numbers of all kinds, and what rules look for next to them.
    fn text() -> impl Strategy<Value = String> {
        let number = "[0-9]{1,9}|[0-9]{12}|[0-9a-f]{4}|[0-9a-f]{8}|[0-3][0-9](:[0-5][0-9]){1,2}\
                      |2024[-/]0[0-9][-/]1[0-9]";
        let beside = "[ ,.:/_=\"()<>x-]{1,3}|[a-hA-Hnt]| ?(it|B|kB|MiB)/s\
                      |[ .,-]?(ms|s|m|min|am|steps|left|tries|May|Fri|Z|µs|%)\
                      |In \\[|\\]|ipython-input-|at 0x|/tmp/|-4716-|\n";
        let uuid = "[0-9]{8}-[0-9a-f]{4}-[0-9]{4}-[0-9]{4}-[0-9]{12}";
        let thousands = "[0-9]{1,2}(,[0-9]{2,3}){1,3}[,.]?( ms| s| )";
        let part = prop_oneof![8 => number, 12 => beside, 1 => uuid, 1 => thousands];
        proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_short_cut_finds_what_a_close_look_finds(text in text()) {
            prop_assert_eq!(spans::<true>(&text), spans::<false>(&text));
        }
    }
}
