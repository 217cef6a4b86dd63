//! The part of an input that is held in memory while values are cut out of it.

use std::io::{self, Read};
use std::ops::Deref;
use std::sync::Arc;

use memchr::{memchr, memchr_iter};

use super::scan::{Scan, Step};

/// How many bytes are read at once, and at first: most files are small, and fresh memory costs more than reading.
const READ_BYTES: usize = 256 << 10;
const FIRST_BYTES: usize = 64 << 10;

/// For how many bytes there is room at once where all of an input is held: what outgrows its room is copied.
const WHOLE_BYTES: usize = 1 << 20;

/// What is held, and what is still to come. Places in it are counted from the start of the input.
pub(super) struct Window<'a> {
    input: Box<dyn Read + 'a>,
    /// So many bytes may be held; what was read last may lie beyond.
    bound: usize,
    held: Arc<Vec<u8>>,
    /// Where what is held begins.
    begin: usize,
    /// What comes before this is not needed any more.
    needed: usize,
    /// Where the next token is looked for.
    at: usize,
    /// The number of the line with the byte that lines were counted up to.
    line: u64,
    counted: usize,
    /// Where the value that was scanned last begins and ends.
    scanned: Option<(usize, usize)>,
    ended: bool,
    /// Why nothing more can be read. What was read before is used first.
    failure: Option<io::Error>,
}

/// A text that was read: it is not copied, and what was read with it lives as long.
#[derive(Clone, Debug)]
pub(super) struct Part {
    read: Arc<Vec<u8>>,
    start: usize,
    end: usize,
}

impl Deref for Part {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.read[self.start..self.end]
    }
}

impl From<Vec<u8>> for Part {
    fn from(text: Vec<u8>) -> Self {
        Self { start: 0, end: text.len(), read: Arc::new(text) }
    }
}

/// Why a value cannot be cut out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Uncut {
    /// The input ends before it does.
    Ended,
    /// There is a line feed in a string, at this byte of what is held.
    Torn(usize),
    /// It is longer than may be held.
    TooLong,
}

impl<'a> Window<'a> {
    pub(super) fn new(input: Box<dyn Read + 'a>, bound: usize) -> Self {
        Self {
            input,
            bound,
            held: Arc::default(),
            begin: 0,
            needed: 0,
            at: 0,
            line: 1,
            counted: 0,
            scanned: None,
            ended: false,
            failure: None,
        }
    }

    /// Reads more. False at the end of the input, where it cannot be read further, or where too much is held already.
    pub(super) fn more(&mut self) -> bool {
        if self.ended {
            return false;
        }
        let before = self.begin + self.held.len() - self.needed;
        if before > self.bound {
            let why = format!("more than {} MiB without a run in them", self.bound >> 20);
            self.failure = Some(io::Error::new(io::ErrorKind::InvalidData, why));
            self.ended = true;
            return false;
        }
        let wanted = if self.held.is_empty() { FIRST_BYTES } else { READ_BYTES.max(before / 2) };
        self.make_room(wanted);
        let held = Arc::make_mut(&mut self.held);
        let read = self.input.by_ref().take(wanted as u64).read_to_end(held);
        self.failure = read.err();
        // Less than was asked for is all there was.
        self.ended = self.held.len() - before < wanted || self.failure.is_some();
        self.held.len() > before
    }

    /// Drops what is not needed any more, and makes room behind the rest.
    fn make_room(&mut self, bytes: usize) {
        self.line_of(self.needed);
        let passed = self.needed - self.begin;
        self.begin = self.needed;
        if let Some(held) = Arc::get_mut(&mut self.held) {
            held.drain(..passed);
            held.reserve(bytes);
        } else {
            // Parts of it live on.
            let rest = &self.held[passed..];
            let mut held = Vec::with_capacity(rest.len() + bytes);
            held.extend_from_slice(rest);
            self.held = Arc::new(held);
        }
    }

    /// Reads on until this many bytes are held, or all there are.
    pub(super) fn fill(&mut self, bytes: usize) {
        while self.held.len() < bytes && self.more() {}
    }

    /// Drops a byte order mark, with which some editors begin a file.
    pub(super) fn drop_mark(&mut self) {
        let mark = "\u{feff}".as_bytes();
        if self.held.starts_with(mark) {
            Arc::make_mut(&mut self.held).drain(..mark.len());
        }
    }

    /// Reads to the end, or until too much is held: then it is false.
    ///
    /// # Errors
    /// The input cannot be read or unpacked to its end.
    pub(super) fn all(&mut self) -> io::Result<bool> {
        if !self.ended {
            self.make_room(WHOLE_BYTES);
        }
        while self.held.len() <= self.bound && self.more() {}
        self.failed()?;
        Ok(self.held.len() <= self.bound)
    }

    /// Whether the input could be read so far.
    ///
    /// # Errors
    /// Why it could not.
    pub(super) fn failed(&mut self) -> io::Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// What is held, as long as all of it is needed.
    pub(super) fn held(&self) -> &[u8] {
        &self.held
    }

    /// What is held from this byte on.
    pub(super) fn from(&self, start: usize) -> &[u8] {
        &self.held[start - self.begin..]
    }

    /// As many bytes from this one on, or all that are held.
    pub(super) fn beginning(&self, start: usize, bytes: usize) -> &[u8] {
        let held = self.from(start);
        &held[..held.len().min(bytes)]
    }

    /// The bytes from `start` to `end`, to keep.
    pub(super) fn part(&self, start: usize, end: usize) -> Part {
        Part { read: self.held.clone(), start: start - self.begin, end: end - self.begin }
    }

    /// Where the next token is looked for.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn go(&mut self, at: usize) {
        self.at = at;
    }

    /// Where what is held ends.
    pub(super) fn end(&self) -> usize {
        self.begin + self.held.len()
    }

    /// The number of the line with this byte, which is not before any that was asked about.
    pub(super) fn line_of(&mut self, at: usize) -> u64 {
        if at > self.counted {
            self.line +=
                memchr_iter(b'\n', &self.held[self.counted - self.begin..at - self.begin]).count() as u64;
            self.counted = at;
        }
        self.line
    }

    /// Goes behind this line feed, which ends the line of what came before, and forgets that line.
    pub(super) fn pass_line(&mut self, feed: usize) {
        self.line += 1;
        self.counted = feed + 1;
        self.forget(feed + 1);
    }

    /// The first line feed from this byte on; `None` if so many bytes have none, or if it ends before.
    pub(super) fn feed(&mut self, start: usize, bytes: usize) -> Option<usize> {
        let mut passed = start;
        loop {
            if let Some(feed) = memchr(b'\n', self.from(passed)) {
                return Some(passed + feed);
            }
            passed = self.end();
            if passed - start > bytes || !self.more() {
                return None;
            }
        }
    }

    /// The next byte; `None` at the end.
    pub(super) fn peek(&mut self) -> Option<u8> {
        if self.at == self.end() {
            self.more();
        }
        self.from(self.at).first().copied()
    }

    /// The next byte that is no white space, and goes there; `None` at the end.
    pub(super) fn token(&mut self) -> Option<u8> {
        loop {
            let held = self.from(self.at);
            if let Some(blanks) = held.iter().position(|byte| !byte.is_ascii_whitespace()) {
                let byte = held[blanks];
                self.at += blanks;
                return Some(byte);
            }
            self.at = self.end();
            if !self.more() {
                return None;
            }
        }
    }

    /// The end of the value that begins at this byte.
    ///
    /// # Errors
    /// It has no end here.
    pub(super) fn end_of(&mut self, start: usize) -> Result<usize, Uncut> {
        if let Some((begin, end)) = self.scanned
            && begin == start
        {
            return Ok(end);
        }
        let mut scan = Scan::default();
        let mut scanned = start;
        loop {
            let ready = self.ready(scanned);
            match scan.take(self.beginning(scanned, ready - scanned)) {
                Step::End(end) => {
                    self.scanned = Some((start, scanned + end));
                    return Ok(scanned + end);
                }
                Step::Torn(at) => return Err(Uncut::Torn(scanned + at)),
                Step::More => scanned = ready,
            }
            if self.end() - self.needed > self.bound {
                return Err(Uncut::TooLong);
            }
            if !self.more() {
                return Err(Uncut::Ended);
            }
        }
    }

    /// Passes the rest of a list or an object, from here between two of its parts to its end, and holds nothing of it.
    ///
    /// # Errors
    /// It has no end here.
    pub(super) fn pass_rest(&mut self) -> Result<(), Uncut> {
        let mut scan = Scan::within();
        let mut passed = 0;
        loop {
            let ready = self.ready(self.at);
            match scan.take(self.beginning(self.at, ready - self.at)) {
                Step::End(end) => {
                    self.at += end;
                    return Ok(());
                }
                Step::Torn(at) => return Err(Uncut::Torn(self.at + at)),
                Step::More => {}
            }
            passed += ready - self.at;
            self.forget(ready);
            if passed > self.bound {
                return Err(Uncut::TooLong);
            }
            if !self.more() {
                return Err(Uncut::Ended);
            }
        }
    }

    /// Where the bytes from this one on end that can be scanned: a backslash waits for the byte that it escapes.
    fn ready(&self, start: usize) -> usize {
        let backslashes = self.from(start).iter().rev().take_while(|it| **it == b'\\').count();
        self.end() - backslashes % 2
    }

    /// Goes to this byte, and forgets what comes before it.
    pub(super) fn forget(&mut self, before: usize) {
        self.at = before;
        self.needed = before;
    }

    /// What is held, once all was read.
    pub(super) fn into_held(self) -> Vec<u8> {
        Arc::unwrap_or_clone(self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_an_object_is_passed_to_the_bound_and_not_held() {
        let rest = |bytes: u64| {
            let long = io::repeat(b'x').take(bytes).chain(&b"\\\\\"}], \"y\": [\"\\\"]\"]}z"[..]);
            (&b", \"x\": [{\"x\": \""[..]).chain(long)
        };
        let mut window = Window::new(Box::new(rest(3 << 20)), 4 << 20);
        assert_eq!((window.pass_rest(), window.token()), (Ok(()), Some(b'z')));
        assert!(window.held().len() < 1 << 20, "{}", window.held().len());
        let mut window = Window::new(Box::new(rest(3 << 20)), 1 << 20);
        assert_eq!(window.pass_rest(), Err(Uncut::TooLong));
    }

    #[test]
    fn what_separates_values_is_held_to_the_bound() {
        for filler in [b' ', b'\n'] {
            let mut window = Window::new(Box::new(io::repeat(filler)), 1 << 20);
            assert_eq!(window.token(), None);
            assert!(window.held().len() < 3 << 20, "{}", window.held().len());
            let bad = window.failed().expect_err("it goes on").to_string();
            assert_eq!(bad, "more than 1 MiB without a run in them");
        }
    }
}
