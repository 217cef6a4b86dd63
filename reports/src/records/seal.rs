//! Seals: damage to a file of lines is found, with its line.
//!
//! Every line is a JSON object. Its last member, `sum`, is a checksum of the members before it and of its place; that
//! of the last line is called `seal` and is one of the whole file. So a changed byte, and a line that was dropped,
//! moved, added or taken from another file, cannot pass, and yet a change of one line changes no other but the last.
//! A file that still grows has no last line: its end may come after any line.
//! The checksum is the 64-bit xxh3: it finds damage, not forgery.

use std::fmt;
use std::io::{self, BufRead, Read as _, Write};

use serde::Serialize;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64_with_seed};

/// Writes sealed lines.
pub struct Sealing<W> {
    out: W,
    lines: Lines,
}

/// Reads sealed lines.
pub struct Sealed<R> {
    input: R,
    lines: Lines,
    has_ended: bool,
    grows: bool,
}

/// What the next checksum depends on.
#[derive(Default)]
struct Lines {
    /// The number of lines so far.
    number: u64,
    sums: Xxh3Default,
}

/// The name of the last member: of a line, and of the last line.
const SUM: &str = "sum";
const SEAL: &str = "seal";

/// The longest line, in bytes; a thousand times the longest sensible one.
pub(super) const LINE_BYTES: usize = 16 << 20;

/// Why a line cannot be read.
#[derive(Debug)]
pub enum Damage {
    /// The file cannot be read.
    Io(io::Error),
    /// A line is not as it was written.
    Line {
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
}

impl Damage {
    fn line(expected: &'static str, found: impl Into<String>) -> Self {
        Self::Line { expected, found: found.into() }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Line { expected, found } => write!(f, "expected {expected}, found {found}"),
        }
    }
}

impl Lines {
    /// The checksum of the next line, which has these bytes without its last member and the bracket after it.
    fn sum(&self, bytes: &[u8], name: &str) -> u64 {
        xxh3_64_with_seed(bytes, if name == SEAL { self.sums.digest() } else { self.number + 1 })
    }

    /// Goes on after a line with this checksum.
    fn take(&mut self, sum: u64) {
        self.number += 1;
        self.sums.update(&sum.to_le_bytes());
    }
}

impl<W> fmt::Debug for Sealing<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealing").field("number", &self.lines.number).finish_non_exhaustive()
    }
}

impl<W> Sealing<W> {
    /// Goes on with the next line in another output.
    pub fn on<V>(self, out: V) -> Sealing<V> {
        Sealing { out, lines: self.lines }
    }

    /// What is written to.
    pub fn output(&self) -> &W {
        &self.out
    }
}

impl<W: Write> Sealing<W> {
    /// Nothing is written so far.
    pub fn new(out: W) -> Self {
        Self { out, lines: Lines::default() }
    }

    /// Writes a line.
    ///
    /// # Errors
    /// The output cannot be written to, or the value is no JSON object with members or too long to be read.
    pub fn line(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.write(value, SUM)
    }

    /// Writes the last line.
    ///
    /// # Errors
    /// As for [`line`](Self::line).
    pub fn last(mut self, value: &impl Serialize) -> io::Result<()> {
        self.write(value, SEAL)
    }

    fn write(&mut self, value: &impl Serialize, name: &str) -> io::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        if line.len() < 3 || line.pop() != Some(b'}') {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a line is no JSON object with members"));
        }
        let sum = self.lines.sum(&line, name);
        line.extend_from_slice(member(name, sum).as_bytes());
        if line.len() > LINE_BYTES {
            let why = format!("a line has {} bytes, and no reader takes more than {LINE_BYTES}", line.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        self.lines.take(sum);
        self.out.write_all(&line)
    }
}

/// Whether a line of this text can be written, with its checksum.
#[must_use]
pub fn fits(text: &str) -> bool {
    text.len() + member(SEAL, 0).len() <= LINE_BYTES
}

/// Lines without checksums, as older versions wrote them, each with the same bound.
pub fn plain_lines(mut input: impl BufRead) -> impl Iterator<Item = io::Result<String>> {
    std::iter::from_fn(move || {
        let mut line = String::new();
        match input.by_ref().take(LINE_BYTES as u64 + 1).read_line(&mut line) {
            Err(error) => Some(Err(error)),
            Ok(0) => None,
            Ok(length) if length > LINE_BYTES => {
                Some(Err(io::Error::other(format!("a line has more than {} MiB", LINE_BYTES >> 20))))
            }
            Ok(_) => Some(Ok(line)),
        }
    })
}

/// The end of a line: its last member, the bracket, and the line feed.
fn member(name: &str, sum: u64) -> String {
    format!(",\"{name}\":\"{sum:016x}\"}}\n")
}

impl<R: BufRead> Sealed<R> {
    /// Nothing is read so far.
    pub fn new(input: R) -> Self {
        Self { input, lines: Lines::default(), has_ended: false, grows: false }
    }

    /// The same of a file that grows. What a killed run left of its last line is no line.
    pub fn growing(input: R) -> Self {
        Self { grows: true, ..Self::new(input) }
    }

    /// Whether the last line was read, which has the seal.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The number of lines that were read, and thus the number of the last one, from 1.
    pub fn number(&self) -> u64 {
        self.lines.number
    }

    /// The next line, without its checksum; none after the last one.
    ///
    /// # Errors
    /// It cannot be read, or is not as it was written. Its number is then one more than [`number`](Self::number).
    pub fn line(&mut self) -> Result<Option<String>, Damage> {
        let mut line = Vec::new();
        self.input.by_ref().take(LINE_BYTES as u64 + 1).read_until(b'\n', &mut line).map_err(Damage::Io)?;
        if line.len() > LINE_BYTES {
            let found = format!("one of more than {} MiB", LINE_BYTES >> 20);
            return Err(Damage::line("a line of a record", found));
        }
        if self.grows && self.is_torn(&line) {
            return Ok(None);
        }
        match (self.has_ended, line.is_empty()) {
            (true, true) => return Ok(None),
            (true, false) => return Err(Damage::line("the end of the file", "more")),
            (false, true) => {
                return Err(Damage::line("another line", "the end of the file: it is truncated"));
            }
            (false, false) => {}
        }
        let Some((name, before)) = last_member(&line) else {
            let found = if line.ends_with(b"\n") { "none" } else { "the end of the file: it is truncated" };
            return Err(Damage::line("a line with its checksum at the end", found));
        };
        let found = String::from_utf8_lossy(&line[before..]).into_owned();
        line.truncate(before);
        let sum = self.lines.sum(&line, name);
        if found != member(name, sum) {
            let found =
                "other contents: this line was changed, or lines before it were dropped, added or moved";
            return Err(Damage::line("the line that was written", found));
        }
        self.lines.take(sum);
        self.has_ended = name == SEAL;
        line.push(b'}');
        String::from_utf8(line).map(Some).map_err(|_| Damage::line("UTF-8", "other bytes"))
    }

    /// Whether this is what a killed run left of a line: nothing, or its beginning. A whole line whose last byte is
    /// another one was changed.
    fn is_torn(&self, line: &[u8]) -> bool {
        let Some((last, rest)) = line.split_last() else { return true };
        if *last == b'\n' {
            return false;
        }
        let whole = [rest, b"\n"].concat();
        let is_whole = last_member(&whole).is_some_and(|(name, before)| {
            whole[before..] == *member(name, self.lines.sum(&whole[..before], name)).as_bytes()
        });
        !is_whole
    }
}

/// The name of the last member of a line, and where it begins.
fn last_member(line: &[u8]) -> Option<(&'static str, usize)> {
    [SUM, SEAL].into_iter().find_map(|name| {
        let before = line.len().checked_sub(member(name, 0).len()).filter(|it| *it > 0)?;
        line[before..].starts_with(format!(",\"{name}\":\"").as_bytes()).then_some((name, before))
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    /// The same lines with a seal: each is an object, with a seal or without.
    pub(crate) fn sealed(text: &str) -> String {
        let values: Vec<Value> = text
            .lines()
            .map(|line| {
                let mut value: Value = serde_json::from_str(line).expect("JSON");
                value.as_object_mut().expect("an object").retain(|name, _| name != SUM && name != SEAL);
                value
            })
            .collect();
        written(&values)
    }

    fn written(values: &[Value]) -> String {
        let (last, values) = values.split_last().expect("a line");
        let mut out = Vec::new();
        let mut sealing = Sealing::new(&mut out);
        values.iter().for_each(|value| sealing.line(value).expect("memory takes it"));
        sealing.last(last).expect("memory takes it");
        String::from_utf8(out).expect("JSON")
    }

    fn read(text: &[u8]) -> Result<Vec<String>, (u64, String)> {
        lines(Sealed::new(text))
    }

    /// The lines, or the number of the first bad one and what is wrong with it.
    fn lines(mut sealed: Sealed<&[u8]>) -> Result<Vec<String>, (u64, String)> {
        let mut lines = Vec::new();
        loop {
            match sealed.line() {
                Ok(Some(line)) => lines.push(line),
                Ok(None) => return Ok(lines),
                Err(damage) => return Err((sealed.number() + 1, damage.to_string())),
            }
        }
    }

    /// A file that has grown by these lines so far.
    fn grown() -> String {
        let mut sealing = Sealing::new(Vec::new());
        sealing.line(&json!({"a": 1})).expect("memory takes it");
        let first = sealing.output().clone();
        let mut sealing = sealing.on(first);
        sealing.line(&json!({"a": 2})).expect("memory takes it");
        String::from_utf8(sealing.out).expect("JSON")
    }

    fn some() -> String {
        written(&[json!({"a": 1}), json!({"a": 2}), json!({"a": 2}), json!({"end": true})])
    }

    #[test]
    fn what_is_written_reads_back() {
        let lines = [r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":2}"#, r#"{"end":true}"#];
        assert_eq!(read(some().as_bytes()), Ok(lines.map(str::to_owned).to_vec()));
        assert!(
            Sealing::new(Vec::new()).line(&json!({})).is_err() && Sealing::new(Vec::new()).line(&1).is_err()
        );
    }

    #[test]
    fn a_line_that_no_reader_takes_is_not_written() {
        let long = |length: usize| json!({ "a": "x".repeat(length) });
        let mut sealing = Sealing::new(Vec::new());
        sealing.line(&long(LINE_BYTES - 40)).expect("it fits");
        let error = sealing.line(&long(LINE_BYTES)).expect_err("it is too long");
        assert!(error.to_string().ends_with("bytes, and no reader takes more than 16777216"), "{error}");
        assert_eq!(lines(Sealed::growing(&*sealing.out)).map(|it| it.len()), Ok(1));
    }

    #[test]
    fn a_change_of_one_line_changes_that_and_the_last() {
        let other = written(&[json!({"a": 1}), json!({"a": 3}), json!({"a": 2}), json!({"end": true})]);
        let differ: Vec<bool> = some().lines().zip(other.lines()).map(|(one, other)| one != other).collect();
        assert_eq!(differ, [false, true, false, true]);
    }

    #[test]
    fn lines_that_were_dropped_moved_added_or_exchanged_are_found() {
        let text = some();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let [a, b, c, end] = lines[..] else { panic!("four lines") };
        let other = written(&[json!({"a": 1}), json!({"a": 3}), json!({"a": 2}), json!({"end": true})]);
        let theirs = other.split_inclusive('\n').nth(1).expect("a line");
        for (changed, line) in [
            (vec![b, c, end], 1),
            (vec![a, c, end], 2),
            (vec![a, c, b, end], 2),
            (vec![a, b, b, c, end], 3),
            (vec![a, theirs, c, end], 4),
            (vec![a, b, end], 3),
            (vec![a, b, c], 4),
            (vec![a, b, c, end, end], 5),
            (vec![], 1),
        ] {
            assert_eq!(read(changed.concat().as_bytes()).map_err(|(line, _)| line), Err(line), "{changed:?}");
        }
    }

    #[test]
    fn a_file_that_grows_ends_after_any_line_and_its_torn_line_is_none() {
        let text = grown();
        let first = 1 + text.find('\n').expect("a line");
        for cut in 0..=text.len() {
            let whole = [first, text.len()].iter().filter(|end| **end <= cut).count();
            let read = lines(Sealed::growing(&text.as_bytes()[..cut]));
            assert_eq!(read.map(|it| it.len()), Ok(whole), "{cut}");
        }
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut flipped = text.clone().into_bytes();
                flipped[at] ^= 1 << bit;
                let found = lines(Sealed::growing(&flipped)).map_err(|(line, _)| line);
                assert_eq!(found, Err(if at < first { 1 } else { 2 }), "byte {at}, bit {bit}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn every_flipped_bit_and_every_cut_is_found_in_its_line(at in any::<prop::sample::Index>(), bit in 0..8_u32) {
            let text = some();
            let at = at.index(text.len());
            let mut flipped = text.clone().into_bytes();
            flipped[at] ^= 1_u8 << bit;
            let line = 1 + text[..at].matches('\n').count() as u64;
            let found = read(&flipped).map_err(|(line, _)| line);
            prop_assert_eq!(found, Err(line));
            prop_assert!(read(&text.as_bytes()[..at]).is_err());
        }
    }
}
