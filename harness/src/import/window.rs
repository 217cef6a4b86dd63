//! The part of an input that is held in memory while values are cut out of it.

use std::io::{self, BufRead, Cursor, Read};

use memchr::memchr_iter;

use super::scan::{Scan, Step};

/// How many bytes are read at once, and at first: most files are small, and fresh memory costs more than reading.
const READ_BYTES: usize = 256 << 10;
const FIRST_BYTES: usize = 64 << 10;

/// What is held, and what is still to come.
pub(super) struct Window<'a> {
    input: Box<dyn BufRead + 'a>,
    /// So many bytes may be held; what was read last may lie beyond.
    bound: usize,
    held: Vec<u8>,
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

/// The place in an input where it could not be read further.
struct Failed(Option<io::Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

impl BufRead for Failed {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.0.take().map_or(Ok(&[]), Err)
    }

    fn consume(&mut self, _: usize) {}
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
    pub(super) fn new(input: Box<dyn BufRead + 'a>, bound: usize) -> Self {
        Self {
            input,
            bound,
            held: Vec::new(),
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
        if self.held.len() > self.bound {
            let why = format!("more than {} MiB without a run in them", self.bound >> 20);
            self.failure = Some(io::Error::new(io::ErrorKind::InvalidData, why));
            self.ended = true;
            return false;
        }
        let before = self.held.len();
        let wanted = if before == 0 { FIRST_BYTES } else { READ_BYTES.max(before / 2) };
        self.held.reserve(wanted);
        let read = self.input.by_ref().take(wanted as u64).read_to_end(&mut self.held);
        self.failure = read.err();
        // Less than was asked for is all there was.
        self.ended = self.held.len() - before < wanted || self.failure.is_some();
        self.held.len() > before
    }

    /// Reads on until this many bytes are held, or all there are.
    pub(super) fn fill(&mut self, bytes: usize) {
        while self.held.len() < bytes && self.more() {}
    }

    /// Drops a byte order mark, with which some editors begin a file.
    pub(super) fn drop_mark(&mut self) {
        let mark = "\u{feff}".as_bytes();
        if self.held.starts_with(mark) {
            self.held.drain(..mark.len());
        }
    }

    /// Reads to the end, or until too much is held: then it is false.
    ///
    /// # Errors
    /// The input cannot be read or unpacked to its end.
    pub(super) fn all(&mut self) -> io::Result<bool> {
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

    pub(super) fn held(&self) -> &[u8] {
        &self.held
    }

    /// As many bytes from this one on, or all that are held.
    pub(super) fn part(&self, start: usize, bytes: usize) -> &[u8] {
        &self.held[start..self.held.len().min(start + bytes)]
    }

    /// Where the next token is looked for.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn go(&mut self, at: usize) {
        self.at = at;
    }

    /// The number of the line with this byte, which is not before any that was asked about.
    pub(super) fn line_of(&mut self, at: usize) -> u64 {
        self.line += memchr_iter(b'\n', &self.held[self.counted..at]).count() as u64;
        self.counted = at;
        self.line
    }

    /// The next byte that is no white space, and goes there; `None` at the end.
    pub(super) fn token(&mut self) -> Option<u8> {
        loop {
            while let Some(byte) = self.held.get(self.at) {
                if !byte.is_ascii_whitespace() {
                    return Some(*byte);
                }
                self.at += 1;
            }
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
            match scan.take(&self.held[scanned..ready]) {
                Step::End(end) => {
                    self.scanned = Some((start, scanned + end));
                    return Ok(scanned + end);
                }
                Step::Torn(at) => return Err(Uncut::Torn(scanned + at)),
                Step::More => scanned = ready,
            }
            if self.held.len() > self.bound {
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
            match scan.take(&self.held[self.at..self.ready(self.at)]) {
                Step::End(end) => {
                    self.at += end;
                    return Ok(());
                }
                Step::Torn(at) => return Err(Uncut::Torn(self.at + at)),
                Step::More => {}
            }
            let ready = self.ready(self.at);
            passed += ready - self.at;
            self.at = ready;
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
        let backslashes = self.held[start..].iter().rev().take_while(|it| **it == b'\\').count();
        self.held.len() - backslashes % 2
    }

    /// Forgets what comes before this byte.
    pub(super) fn forget(&mut self, before: usize) {
        // Moving the rest costs time, so it waits until there is something to gain.
        if before >= READ_BYTES || before == self.held.len() {
            self.line_of(before);
            self.held.drain(..before);
            self.counted = 0;
            self.scanned = None;
            self.at = self.at.saturating_sub(before);
        }
    }

    /// What is held, and what comes after it.
    pub(super) fn into_input(self) -> Box<dyn BufRead + 'a> {
        Box::new(Cursor::new(self.held).chain(Failed(self.failure)).chain(self.input))
    }

    /// What is held, once all was read.
    pub(super) fn into_held(self) -> Vec<u8> {
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_an_object_is_passed_to_the_bound_and_not_held() {
        let rest = |bytes: u64| {
            let long = io::repeat(b'x').take(bytes).chain(&b"\\\\\"}], \"y\": [\"\\\"]\"]}z"[..]);
            io::BufReader::new((&b", \"x\": [{\"x\": \""[..]).chain(long))
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
            let input = io::BufReader::new(io::repeat(filler));
            let mut window = Window::new(Box::new(input), 1 << 20);
            assert_eq!(window.token(), None);
            assert!(window.held().len() < 3 << 20, "{}", window.held().len());
            let bad = window.failed().expect_err("it goes on").to_string();
            assert_eq!(bad, "more than 1 MiB without a run in them");
        }
    }
}
