//! The key of a text without its volatile parts.

use std::sync::LazyLock;

use memchr::memchr;
use memchr::memmem::Finder;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

use super::digits::Digits;
use super::plain;
use super::result_key::ResultKey;
use super::volatile::{self, Kind, Span};

/// The key of a result with its volatile parts masked.
#[must_use]
pub fn identity(text: &str) -> ResultKey {
    identity_of(text.as_bytes())
}

/// The same of a part of a text, which may be cut anywhere.
pub(crate) fn identity_of(bytes: &[u8]) -> ResultKey {
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
                      |In \\[|\\]|ipython-input-|at 0x|/tmp/|-4716-|req_|[a-z]?(request|trace)_?[iI]d\\\": ?\"?|\n|\\[?ref[=:]e|s1e";
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
