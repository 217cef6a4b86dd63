//! Lines of a plain, gzip or zstd file, read with a size limit.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;
use memchr::memchr;

/// The longest accepted line, in bytes: 32 MiB, a hundred times the longest line of recorded runs that we know. A
/// longer one is counted and skipped, and is never kept in memory.
pub const LINE_BYTES_MAX: usize = 32 << 20;

/// How long a line may be that is skipped, in bytes: 1 GiB. `/dev/zero` has no line feeds, and no end.
const SKIPPED_MAX: u64 = 1 << 30;

/// How many times its size a packed input may unpack to, beyond [`UNPACKED_FREE`]. Requests repeat all messages before
/// them: zstd packs recorded runs to a hundredth, and a text that was made to be large to a thirty-thousandth.
const UNPACKED_TIMES: u64 = 1_000;

/// How much a packed input of any size may unpack to, in bytes: 1 GiB.
pub(super) const UNPACKED_FREE: u64 = 1 << 30;

/// The size of the read buffer, in bytes.
const BUFFER_BYTES: usize = 64 << 10;

/// The first bytes of a gzip member (RFC 1952, 2.3.1).
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The first bytes of zstd (RFC 8878, 3.1.1 and 3.1.2): a frame, or the skippable frame with which kept transcripts
/// begin.
const ZSTD_MAGICS: [[u8; 4]; 2] = [[0x28, 0xb5, 0x2f, 0xfd], [0x50, 0x2a, 0x4d, 0x18]];

/// The lines of one input, in order.
pub struct Lines<'a> {
    input: Box<dyn BufRead + 'a>,
    number: u64,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The line number, from 1.
    pub number: u64,
    /// The bytes without the line feed, or the length of a line that was skipped because it is too long.
    pub bytes: Result<Vec<u8>, u64>,
}

impl<'a> Lines<'a> {
    /// The lines of `input`. It is unpacked if its first bytes are those of gzip or zstd, whatever its name is.
    ///
    /// # Errors
    /// The first bytes cannot be read.
    pub fn new(input: impl Read + 'a) -> io::Result<Self> {
        Ok(Self::of(unpacked(input)?))
    }

    /// The lines of an input that is not packed.
    pub(super) fn of(input: Box<dyn BufRead + 'a>) -> Self {
        Self::after(0, input)
    }

    /// The lines of an input from which this many were taken already.
    pub(super) fn after(number: u64, input: Box<dyn BufRead + 'a>) -> Self {
        Self { input, number }
    }

    /// The next line that is not empty; `None` at the end.
    ///
    /// # Errors
    /// The input cannot be read or unpacked further. The started line is lost, because a part of a line is not
    /// reliable.
    pub fn next_line(&mut self) -> io::Result<Option<Line>> {
        self.number += skip_feeds(&mut *self.input)?;
        let mut bytes = Vec::new();
        let bound = LINE_BYTES_MAX + 1;
        let read = read_until_feed(&mut *self.input, bound, &mut bytes)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        let ended = bytes.last() == Some(&b'\n');
        if ended {
            bytes.pop();
        }
        if bytes.len() <= LINE_BYTES_MAX {
            return Ok(Some(Line { number: self.number, bytes: Ok(bytes) }));
        }
        // Free the memory before the rest of the line is skipped.
        let held = bytes.len() as u64;
        drop(bytes);
        let rest = skip_line(&mut *self.input)?;
        Ok(Some(Line { number: self.number, bytes: Err(held + rest) }))
    }

    /// The number of the last line that was read; 0 before the first.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }
}

/// The bytes of an input. It is unpacked if its first bytes are those of gzip or zstd, whatever its name is.
///
/// # Errors
/// The first bytes cannot be read.
pub(super) fn unpacked<'a>(input: impl Read + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    let mut input = Ending { input, has_ended: false };
    let mut head = Vec::with_capacity(4);
    input.by_ref().take(4).read_to_end(&mut head)?;
    let gzip = head.starts_with(&GZIP_MAGIC);
    let zstd = ZSTD_MAGICS.iter().any(|magic| head == magic);
    let taken = Rc::new(Cell::new(0));
    let counted = Counted { input: Cursor::new(head).chain(input), taken: taken.clone() };
    let whole = BufReader::with_capacity(BUFFER_BYTES, counted);
    let unpacked: Box<dyn Read + 'a> = if gzip {
        Box::new(MultiGzDecoder::new(whole))
    } else if zstd {
        Box::new(zstd::Decoder::with_buffer(whole)?)
    } else {
        return Ok(Box::new(whole));
    };
    let bounded = Bounded { input: unpacked, given: 0, free: UNPACKED_FREE, taken };
    Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, bounded)))
}

/// An input that stays at its end. A terminal goes on after it, and so does a pipe that gets another writer.
struct Ending<R> {
    input: R,
    has_ended: bool,
}

impl<R: Read> Read for Ending<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.has_ended {
            return Ok(0);
        }
        let read = self.input.read(buffer)?;
        self.has_ended = read == 0 && !buffer.is_empty();
        Ok(read)
    }
}

/// Counts the bytes that are read.
struct Counted<R> {
    input: R,
    taken: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.taken.set(self.taken.get() + read as u64);
        Ok(read)
    }
}

/// What an input unpacks to, up to the bound.
struct Bounded<'a> {
    input: Box<dyn Read + 'a>,
    given: u64,
    free: u64,
    /// How much was read of what is packed.
    taken: Rc<Cell<u64>>,
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.given += read as u64;
        if self.given > unpacked_max(self.taken.get(), self.free) {
            return Err(unpacks_to_too_much());
        }
        Ok(read)
    }
}

/// How much an input of so many packed bytes may unpack to.
pub(super) fn unpacked_max(packed: u64, free: u64) -> u64 {
    packed.saturating_mul(UNPACKED_TIMES).saturating_add(free)
}

pub(super) fn unpacks_to_too_much() -> io::Error {
    let why = format!("it unpacks to more than {UNPACKED_TIMES} times its size and 1 GiB");
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// The next bytes; none at the end. A signal is no reason to stop.
fn filled(input: &mut dyn BufRead) -> io::Result<&[u8]> {
    while let Err(error) = input.fill_buf() {
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    input.fill_buf()
}

/// Passes over line feeds, and counts them: a packed file may have very many.
fn skip_feeds(input: &mut dyn BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let buffer = filled(input)?;
        let feeds = buffer.iter().position(|byte| *byte != b'\n').unwrap_or(buffer.len());
        let is_all = feeds == buffer.len() && feeds > 0;
        input.consume(feeds);
        skipped += feeds as u64;
        if !is_all {
            return Ok(skipped);
        }
    }
}

/// Reads up to and with the next line feed, but at most `bound` bytes: `read_until`, at the pace of long vectors.
fn read_until_feed(input: &mut dyn BufRead, bound: usize, bytes: &mut Vec<u8>) -> io::Result<usize> {
    loop {
        let buffer = filled(input)?;
        let buffer = &buffer[..buffer.len().min(bound - bytes.len())];
        let feed = memchr(b'\n', buffer);
        let taken = feed.map_or(buffer.len(), |at| at + 1);
        bytes.extend_from_slice(&buffer[..taken]);
        input.consume(taken);
        if feed.is_some() || taken == 0 {
            return Ok(bytes.len());
        }
    }
}

/// Skips past the next line feed, and counts the bytes before it.
pub(super) fn skip_line(input: &mut dyn BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let buffer = filled(input)?;
        if buffer.is_empty() {
            return Ok(skipped);
        }
        let mut rest = buffer;
        let passed = rest.skip_until(b'\n')?;
        let found = buffer[passed - 1] == b'\n';
        input.consume(passed);
        skipped += passed as u64 - u64::from(found);
        if found {
            return Ok(skipped);
        }
        if skipped > SKIPPED_MAX {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a line of more than 1 GiB"));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    /// Number, and text or length.
    type Found = (u64, Result<String, u64>);

    fn all(input: impl Read) -> Result<Vec<Found>, String> {
        let mut lines = Lines::new(input).map_err(|error| error.to_string())?;
        let mut found = Vec::new();
        while let Some(line) = lines.next_line().map_err(|error| format!("{found:?} then {error}"))? {
            found.push((line.number, line.bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())));
        }
        Ok(found)
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).expect("memory takes what is written");
        encoder.finish().expect("memory takes what is written")
    }

    #[track_caller]
    fn check(input: &[u8], expected: &[&str]) {
        let expected = (1..).zip(expected.iter().map(|it| Ok((*it).to_owned())));
        assert_eq!(all(input), Ok(expected.filter(|(_, it)| it.as_ref() != Ok(&String::new())).collect()));
    }

    #[test]
    fn the_last_line_needs_no_line_feed() {
        check(b"", &[]);
        check(b"\n", &[""]);
        check(b"a", &["a"]);
        check(b"a\n\nb", &["a", "", "b"]);
        check(b"a\nb\n", &["a", "b"]);
    }

    /// Counts how often it is read after its end.
    struct Counting<'a> {
        input: &'a [u8],
        has_ended: bool,
        after: Rc<Cell<u32>>,
    }

    impl Read for Counting<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.after.set(self.after.get() + u32::from(self.has_ended));
            let read = self.input.read(buffer)?;
            self.has_ended |= read == 0 && !buffer.is_empty();
            Ok(read)
        }
    }

    /// A terminal goes on after its end, and so does a pipe that gets another writer.
    #[test]
    fn the_end_is_read_once() {
        let after = Rc::new(Cell::new(0));
        for text in ["", "a", "a\n", "\n\n", "first\nsecond\n", "first\nsecond"] {
            for input in [text.as_bytes(), &gzip(text)] {
                let counting = Counting { input, has_ended: false, after: after.clone() };
                all(counting).expect("memory can be read");
                assert_eq!(after.get(), 0, "{text:?}");
            }
        }
    }

    #[test]
    fn gzip_is_known_by_its_first_bytes_and_may_have_several_members() {
        check(&gzip("a\nb\n"), &["a", "b"]);
        check(&[gzip("a\nb"), gzip("c\nd")].concat(), &["a", "bc", "d"]);
        check(b"\x1f", &["\u{1f}"]);
    }

    #[test]
    fn zstd_is_known_by_its_first_bytes_and_may_have_several_frames() {
        let zstd = |text: &str| zstd::bulk::compress(text.as_bytes(), 1).expect("it packs");
        let skippable = [0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, b'n', b'o'];
        check(&zstd("a\nb\n"), &["a", "b"]);
        check(&[&skippable[..], &zstd("a\nb"), &skippable, &zstd("c\nd")].concat(), &["a", "bc", "d"]);
        check(b"(\xb5", &["(\u{fffd}"]);
        let packed = zstd("first\n");
        assert!(all(&packed[..packed.len() - 1]).is_err());
    }

    #[test]
    fn what_a_packed_input_unpacks_to_has_a_bound() {
        let of = |bytes: u64, free| {
            let taken = Rc::new(Cell::new(3));
            let input = Box::new(io::repeat(b'x').take(bytes));
            io::copy(&mut Bounded { input, given: 0, free, taken }, &mut io::sink())
        };
        assert_eq!(of(3 * UNPACKED_TIMES + 5, 5).map_err(|it| it.kind()), Ok(3 * UNPACKED_TIMES + 5));
        let found = of(3 * UNPACKED_TIMES + 6, 5).map_err(|it| it.to_string());
        assert_eq!(found, Err("it unpacks to more than 1000 times its size and 1 GiB".to_owned()));
        let mut counted = Counted { input: &b"abc"[..], taken: Rc::default() };
        io::copy(&mut counted, &mut io::sink()).expect("memory can be read");
        assert_eq!(counted.taken.get(), 3);
    }

    #[test]
    fn a_line_without_an_end_is_skipped_up_to_a_bound() {
        let mut lines = Lines::new(io::repeat(0)).expect("it can be read");
        let found = lines.next_line().expect_err("it never ends").to_string();
        assert_eq!(found, "a line of more than 1 GiB");
    }

    #[test]
    fn a_truncated_gzip_gives_its_whole_lines_and_then_fails() {
        let packed = gzip("first\nsecond\n");
        let mut lines = Lines::new(&packed[..packed.len() - 9]).expect("the first bytes are there");
        for text in ["first", "second"] {
            let line = lines.next_line().expect("the line is whole").expect("the line is there");
            assert_eq!(line.bytes, Ok(text.into()));
        }
        assert!(lines.next_line().is_err());
        assert_eq!(lines.number(), 2);
    }

    #[test]
    fn a_line_at_the_bound_is_read_and_one_byte_more_is_skipped() {
        let long = |n: usize| io::repeat(b'x').take(n as u64);
        let max = LINE_BYTES_MAX;
        let input = long(max).chain(&b"\n"[..]).chain(long(max + 1)).chain(&b"\nnext\n"[..]);
        let input = input.chain(long(3 * max)).chain(&b"\nlast\n"[..]).chain(long(max + 5));
        let lengths: Vec<_> = all(input)
            .expect("memory can be read")
            .into_iter()
            .map(|(number, line)| (number, line.map(|text| text.len())))
            .collect();
        let max = max as u64;
        assert_eq!(
            lengths,
            [
                (1, Ok(LINE_BYTES_MAX)),
                (2, Err(max + 1)),
                (3, Ok(4)),
                (4, Err(3 * max)),
                (5, Ok(4)),
                (6, Err(max + 5))
            ]
        );
    }
}
