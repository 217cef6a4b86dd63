//! Lines of a plain, gzip or zstd file, read with a size limit.

use std::cell::Cell;
use std::io::{self, BufReader, Cursor, Read};
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;
use memchr::memchr;

use super::scan::is_whole;
use super::window::{Part, Window};

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
pub(super) struct Lines<'a>(Window<'a>);

/// One line.
#[derive(Debug)]
pub(super) struct Line {
    /// The line number, from 1.
    pub(super) number: u64,
    /// The bytes without the line feed, or the length of a line that was skipped because it is too long.
    pub(super) bytes: Result<Part, u64>,
}

impl<'a> Lines<'a> {
    /// The lines of an input of which all is held so far.
    pub(super) fn of(mut window: Window<'a>) -> Self {
        window.go(0);
        Self(window)
    }

    /// The next line that is not empty; `None` at the end.
    ///
    /// # Errors
    /// The input cannot be read or unpacked further. The started line is lost, because a part of a line is not
    /// reliable.
    pub(super) fn next_line(&mut self) -> io::Result<Option<Line>> {
        let Self(window) = self;
        while window.peek() == Some(b'\n') {
            window.pass_line(window.at());
        }
        let start = window.at();
        let number = window.line_of(start);
        let feed = window.feed(start, LINE_BYTES_MAX);
        let end = feed.unwrap_or(window.end());
        if end - start > LINE_BYTES_MAX {
            return Ok(Some(Line { number, bytes: Err(self.skip()?) }));
        }
        let bytes = Ok(window.part(start, end));
        match feed {
            Some(feed) => window.pass_line(feed),
            None => {
                window.failed()?;
                window.forget(end);
            }
        }
        Ok(Some(Line { number, bytes }).filter(|_| end > start))
    }

    /// Skips past the next line feed, and counts the bytes before it.
    ///
    /// # Errors
    /// The input cannot be read or unpacked further, or the line does not seem to end.
    pub(super) fn skip(&mut self) -> io::Result<u64> {
        let Self(window) = self;
        let mut skipped = 0;
        loop {
            let (start, end) = (window.at(), window.end());
            if let Some(feed) = memchr(b'\n', window.from(start)) {
                window.pass_line(start + feed);
                return Ok(skipped + feed as u64);
            }
            skipped += (end - start) as u64;
            if skipped > SKIPPED_MAX {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a line of more than 1 GiB"));
            }
            window.forget(end);
            if !window.more() {
                window.failed()?;
                return Ok(skipped);
            }
        }
    }
}

/// Whether the first line is a value, or more than one line begins one.
pub(super) fn is_lines(window: &mut Window, open: u8) -> bool {
    let start = window.at();
    let Some(feed) = window.feed(start, LINE_BYTES_MAX) else { return false };
    // The first byte of the next line that is not blank.
    window.go(feed);
    let next = window.token();
    let goes_on =
        window.held()[start..feed].trim_ascii_end().last().is_some_and(|last| b",:[{".contains(last));
    let next_column = window.held()[..window.at()].iter().rev().take_while(|byte| **byte != b'\n').count();
    window.go(start);
    match next {
        None => false,
        Some(_) if is_whole(&window.held()[start..feed]) => true,
        // A line that breaks off, and not a document that goes on.
        Some(next) => next == b'{' && open == b'{' && next_column == 0 && !goes_on,
    }
}

/// The bytes of an input. It is unpacked if its first bytes are those of gzip or zstd, whatever its name is.
///
/// # Errors
/// The first bytes cannot be read.
pub(super) fn unpacked<'a>(mut input: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let mut head = Vec::with_capacity(4);
    input.by_ref().take(4).read_to_end(&mut head)?;
    let gzip = head.starts_with(&GZIP_MAGIC);
    let zstd = ZSTD_MAGICS.iter().any(|magic| head == magic);
    let has_ended = head.len() < 4;
    let head = Cursor::new(head);
    if has_ended && !gzip {
        return Ok(Box::new(head));
    }
    if !gzip && !zstd {
        return Ok(Box::new(head.chain(input)));
    }
    let taken = Rc::new(Cell::new(0));
    let counted = Counted { input: head.chain(Ending { input, has_ended }), taken: taken.clone() };
    let whole = BufReader::with_capacity(BUFFER_BYTES, counted);
    let input: Box<dyn Read + 'a> = if gzip {
        Box::new(MultiGzDecoder::new(whole))
    } else {
        Box::new(zstd::Decoder::with_buffer(whole)?)
    };
    Ok(Box::new(Bounded { input, given: 0, free: UNPACKED_FREE, taken }))
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    /// Number, and text or length.
    type Found = (u64, Result<String, u64>);

    fn lines<'a>(input: impl Read + 'a) -> io::Result<Lines<'a>> {
        Ok(Lines::of(Window::new(unpacked(input)?, 64 << 20)))
    }

    fn all(input: impl Read) -> Result<Vec<Found>, String> {
        let mut lines = lines(input).map_err(|error| error.to_string())?;
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
        let mut lines = lines(io::repeat(0)).expect("it can be read");
        let found = lines.next_line().expect_err("it never ends").to_string();
        assert_eq!(found, "a line of more than 1 GiB");
    }

    #[test]
    fn a_truncated_gzip_gives_its_whole_lines_and_then_fails() {
        let packed = gzip("first\nsecond\n");
        let mut lines = lines(&packed[..packed.len() - 9]).expect("the first bytes are there");
        for (number, text) in [(1, "first"), (2, "second")] {
            let line = lines.next_line().expect("the line is whole").expect("the line is there");
            assert_eq!((line.number, line.bytes.as_deref()), (number, Ok(text.as_bytes())));
        }
        assert!(lines.next_line().is_err());
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
