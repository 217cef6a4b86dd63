//! Cuts a file into pieces that can be read apart, and recognises what they are.
//!
//! | first bytes | is | pieces |
//! |---|---|---|
//! | those of a zip file, or `interactions:` | an archive of Inspect, a cassette | each sample, the cassette |
//! | an object that ends with its line, and another line | lines | each line; all together if the format has one run in a file |
//! | another object | a document | the document; each element of its list of runs, if the format has one |
//! | a list | a list | each element; the list if the format has one run in it |
//! | anything else | lines | each line |
//!
//! So memory depends on the longest run, not on the file.

use std::io::{self, Read};
use std::sync::Arc;

use memchr::memchr;

use super::archive::{self, Archive};
use super::bad::BadLine;
use super::format::Format;
use super::lines::{LINE_BYTES_MAX, Lines, is_lines, unpacked};
use super::piece::{Body, Piece};
use super::recognise::{is_most_special, recognised};
use super::rows::{Container, ROWS, Row, Unit};
use super::shape::Shape;
use super::sink::Head;
use super::vcr;
use super::window::{Uncut, Window};

/// The longest document, list of one run, or element of a list, in bytes: 256 MiB.
pub const DOCUMENT_BYTES_MAX: usize = 256 << 20;

/// How much of a file of lines is looked at for a line of a format that is known: an agent may begin its log with
/// hundreds of others, such as the summaries of earlier sessions.
const LINES_BYTES: usize = 4 << 20;

/// How often a document may have a list with the name of one of runs that is none: each look costs time.
const LOOKS_MAX: u32 = 4;

/// How much of a value is looked at first: most formats can be told by their beginning, many by little of it.
const LOOK_BYTES: usize = 32 << 10;
const GLANCE_BYTES: usize = 4 << 10;

/// How much of a file is read before it is looked at.
const FIRST_BYTES: usize = 64 << 10;

/// The pieces of one input, in order.
pub(super) struct Pieces<'a> {
    from: Option<Format>,
    row: Option<&'static Row>,
    last_line: u64,
    /// How often a list in a document was taken for a list of runs and was none.
    looks: u32,
    state: State<'a>,
}

enum State<'a> {
    Lines(Lines<'a>),
    /// Elements of a list.
    Elements {
        window: Window<'a>,
        list: &'static str,
        number: u64,
        head: Arc<Head>,
    },
    /// The files of an archive.
    Archive(Box<Archive>, Arc<Head>),
    /// One piece.
    Whole(Piece),
    /// A line that is too long, then lines.
    TooLong(BadLine, Lines<'a>),
    Done,
}

impl<'a> Pieces<'a> {
    /// Looks at the first bytes of an input, which may be packed.
    ///
    /// # Errors
    /// It cannot be read or unpacked.
    pub(super) fn new(input: impl Read + 'a, from: Option<Format>) -> io::Result<Self> {
        let mut window = Window::new(unpacked(input)?, DOCUMENT_BYTES_MAX);
        window.fill(FIRST_BYTES);
        window.drop_mark();
        let mut pieces = Self { from, row: None, last_line: 0, looks: 0, state: State::Done };
        if window.held().starts_with(archive::MAGIC) {
            pieces.state = pieces.archive(window)?;
            return Ok(pieces);
        }
        let first = window.token();
        if window.held()[window.at()..].starts_with(vcr::BEGINNING) {
            pieces.state = pieces.yaml(window)?;
            return Ok(pieces);
        }
        pieces.state = match first {
            Some(open @ (b'{' | b'[')) if !is_lines(&mut window, open) => match open {
                b'{' => pieces.document(window)?,
                _ => pieces.list(window)?,
            },
            Some(_) => pieces.lines(window)?,
            None => {
                window.failed()?;
                State::Done
            }
        };
        Ok(pieces)
    }

    /// The format of the file, where one was recognised.
    pub(super) fn format(&self) -> Option<Format> {
        self.row.map(|row| row.format)
    }

    /// Whether the file is of no format that is known, as far as it was looked at.
    pub(super) fn is_unknown(&self) -> bool {
        let is_readable = match &self.state {
            State::Whole(piece) => piece.text().is_ok(),
            State::TooLong(..) => false,
            State::Lines(_) | State::Elements { .. } | State::Archive(..) | State::Done => true,
        };
        self.row.is_none() && is_readable
    }

    /// The number of the last line that was read.
    pub(super) fn last_line(&self) -> u64 {
        self.last_line
    }

    fn archive(&mut self, mut window: Window<'a>) -> io::Result<State<'a>> {
        if !window.all()? {
            return Ok(State::Whole(too_long(1)));
        }
        let mut archive = Archive::new(window.into_held(), DOCUMENT_BYTES_MAX)?;
        self.row = ROWS.iter().find(|row| row.format == Format::Inspect);
        let head = Arc::new(archive.head());
        Ok(State::Archive(Box::new(archive), head))
    }

    fn yaml(&mut self, mut window: Window<'a>) -> io::Result<State<'a>> {
        if !window.all()? {
            return Ok(State::Whole(too_long(1)));
        }
        self.row = recognised(Shape::default(), Container::Yaml, self.from);
        Ok(State::Whole(self.whole(1, window.into_held(), Container::Yaml)))
    }

    fn lines(&mut self, mut window: Window<'a>) -> io::Result<State<'a>> {
        for bytes in [FIRST_BYTES, LINES_BYTES] {
            window.fill(bytes);
            let mut rest = window.held();
            while self.row.is_none() && !rest.is_empty() {
                let end = memchr(b'\n', rest).unwrap_or(rest.len());
                let (line, after) = rest.split_at(end);
                // Chunks may be kept as the events that they came in.
                self.row = self.looked_at(line.strip_prefix(b"data:").unwrap_or(line), Container::Lines);
                rest = after.get(1..).unwrap_or_default();
            }
            if self.row.is_some() {
                break;
            }
        }
        if self.row.is_some_and(|row| row.unit == Unit::File) {
            return Ok(State::Whole(if window.all()? {
                self.whole(1, window.into_held(), Container::Lines)
            } else {
                too_long(1)
            }));
        }
        Ok(State::Lines(Lines::of(window)))
    }

    fn list(&mut self, mut window: Window<'a>) -> io::Result<State<'a>> {
        let start = window.at();
        let line = window.line_of(start);
        window.go(start + 1);
        let first = window.token();
        let element = window.at();
        if let Some(byte) = first
            && byte != b']'
            && let Ok(end) = window.end_of(element)
        {
            self.row = self.looked_at(&window.held()[element..end], Container::Elements);
        }
        if self.row.is_some_and(|row| row.unit == Unit::Value) {
            return Ok(State::Elements { window, list: "", number: 0, head: Arc::default() });
        }
        if !window.all()? {
            return Ok(State::Whole(too_long(line)));
        }
        // What tells the format of a list of one run may come late in it: behind a long first message.
        self.row = self
            .glanced_at(window.held(), Container::List)
            .or_else(|| self.form_of(window.held(), Container::List));
        Ok(State::Whole(self.whole(line, window.into_held(), Container::List)))
    }

    fn document(&mut self, mut window: Window<'a>) -> io::Result<State<'a>> {
        let start = window.at();
        let line = window.line_of(start);
        let beginning = window.beginning(start, LOOK_BYTES);
        let early = self
            .glanced_at(beginning, Container::Document)
            .or_else(|| self.form_of(beginning, Container::Document));
        let known = early.filter(|row| is_most_special(row));
        if let Some(row) = known
            && !matches!(row.unit, Unit::Member(_))
        {
            self.row = Some(row);
            return self.rest(line, window);
        }
        window.go(start + 1);
        let mut shape = Shape::default();
        let uncut = loop {
            match window.token() {
                Some(b',') => window.go(window.at() + 1),
                Some(b'"') => match self.member(&mut window, start, known, &mut shape) {
                    Ok(None) => {}
                    Ok(Some((list, head))) => {
                        return Ok(State::Elements { window, list, number: 0, head: Arc::new(head) });
                    }
                    Err(uncut) => break Some(uncut),
                },
                // The end, or no JSON, which the parser says.
                Some(_) => break None,
                None => break Some(Uncut::Ended),
            }
        };
        let is_line = matches!(uncut, Some(Uncut::Torn(_) | Uncut::TooLong)) && line == 1;
        if is_line && !window.held()[..window.held().len().min(LINE_BYTES_MAX)].contains(&b'\n') {
            return long_line(window);
        }
        // Of a document that breaks off, the beginning is all there is to look at.
        let early = known.or(early.filter(|_| uncut.is_some()));
        self.row = recognised(shape, Container::Document, self.from).or(early);
        self.rest(line, window)
    }

    /// The whole of a document.
    fn rest(&self, line: u64, mut window: Window<'a>) -> io::Result<State<'a>> {
        Ok(State::Whole(if window.all()? {
            self.whole(line, window.into_held(), Container::Document)
        } else {
            too_long(line)
        }))
    }

    /// Passes a member of a document. If it is the list of runs of a format that is known, goes to its first element
    /// instead, and returns its name and what came before it. What the document has inside is added to `shape`, unless
    /// it is known already what it is.
    fn member(
        &mut self,
        window: &mut Window,
        start: usize,
        known: Option<&'static Row>,
        shape: &mut Shape,
    ) -> Result<Option<(&'static str, Head)>, Uncut> {
        let key = window.at();
        let end = window.end_of(key)?;
        window.go(end);
        if window.token() == Some(b':') {
            window.go(window.at() + 1);
        }
        let opens = window.token().ok_or(Uncut::Ended)?;
        let value = window.at();
        let look_bytes = |end: usize| LOOK_BYTES.min(end - value);
        if opens == b'['
            && self.looks < LOOKS_MAX
            && let Some(list) = list_named(&window.held()[key..end])
        {
            self.looks += 1;
            window.go(value + 1);
            if window.token() == Some(b'{') {
                let row = match known {
                    Some(row) => Some(row),
                    None => {
                        let first_end = window.end_of(window.at())?;
                        shape.add_member(
                            &window.held()[key..end],
                            window.beginning(value, look_bytes(first_end)),
                        );
                        recognised(*shape, Container::Document, self.from)
                    }
                };
                if let Some(row) = row.filter(|row| row.unit == Unit::Member(list)) {
                    self.row = Some(row);
                    let before = window.held()[start..key].trim_ascii_end();
                    let head = [before.strip_suffix(b",").unwrap_or(before), b"}"].concat();
                    return Ok(Some((list, (row.head)(&head))));
                }
            }
        }
        let value_end = window.end_of(value)?;
        if known.is_none() {
            shape.add_member(&window.held()[key..end], window.beginning(value, look_bytes(value_end)));
        }
        window.go(value_end);
        Ok(None)
    }

    /// What a text is by its first bytes, if nothing later can change that.
    fn glanced_at(&self, text: &[u8], container: Container) -> Option<&'static Row> {
        let glance = text.get(..GLANCE_BYTES)?;
        self.form_of(glance, container).filter(|row| is_most_special(row))
    }

    /// What a value is: by its beginning, if nothing later can change that, or else by all of it.
    fn looked_at(&self, text: &[u8], container: Container) -> Option<&'static Row> {
        if let Some(row) = self.glanced_at(text, container) {
            return Some(row);
        }
        let beginning = text.get(..LOOK_BYTES).and_then(|beginning| self.form_of(beginning, container));
        let special = beginning.filter(|row| is_most_special(row));
        special.or_else(|| self.form_of(text, container)).or(beginning)
    }

    /// What a text is by all of it.
    fn form_of(&self, text: &[u8], container: Container) -> Option<&'static Row> {
        let mut shape = Shape::default();
        shape.add(text);
        recognised(shape, container, self.from)
    }

    fn whole(&self, line: u64, text: Vec<u8>, container: Container) -> Piece {
        let (head, place) = (Arc::default(), String::new());
        Piece::new(line, Ok(Body { text: text.into(), row: self.row, container, head, place }))
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// The input cannot be read or unpacked further.
    pub(super) fn next(&mut self) -> io::Result<Option<Piece>> {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Done => Ok(None),
            State::Whole(piece) => {
                self.last_line = piece.line();
                Ok(Some(piece))
            }
            State::TooLong(bad, lines) => {
                self.state = State::Lines(lines);
                Ok(Some(Piece::new(1, Err(bad))))
            }
            State::Archive(archive, head) => self.next_file(archive, head),
            State::Lines(lines) => self.next_line(lines),
            State::Elements { window, list, number, head } => self.next_element(window, list, number, head),
        }
    }

    fn next_file(&mut self, mut archive: Box<Archive>, head: Arc<Head>) -> io::Result<Option<Piece>> {
        let Some((place, text)) = archive.next()? else { return Ok(None) };
        self.state = State::Archive(archive, head.clone());
        let (row, container) = (self.row, Container::Elements);
        Ok(Some(Piece::new(1, text.map(|text| Body { text: text.into(), row, container, head, place }))))
    }

    fn next_line(&mut self, mut lines: Lines<'a>) -> io::Result<Option<Piece>> {
        let Some(line) = lines.next_line()? else { return Ok(None) };
        self.last_line = line.number;
        self.state = State::Lines(lines);
        let body = match line.bytes {
            Ok(text) => Ok(Body {
                text,
                row: self.row,
                container: Container::Lines,
                head: Arc::default(),
                place: String::new(),
            }),
            Err(bytes) => Err(BadLine::TooLong { bytes: Some(bytes), bound: LINE_BYTES_MAX }),
        };
        Ok(Some(Piece::new(line.number, body)))
    }

    fn next_element(
        &mut self,
        mut window: Window<'a>,
        list: &'static str,
        number: u64,
        head: Arc<Head>,
    ) -> io::Result<Option<Piece>> {
        while window.token() == Some(b',') {
            window.go(window.at() + 1);
        }
        let start = window.at();
        let line = window.line_of(start);
        self.last_line = line;
        if window.token() == Some(b']') {
            return self.after_list(window, list);
        }
        let place = format!("{list}[{number}]");
        let end = match window.end_of(start) {
            Ok(end) => end,
            Err(uncut) => {
                window.failed()?;
                return Err(broken(uncut, &place, "list"));
            }
        };
        let text = window.part(start, end);
        window.forget(end);
        self.state = State::Elements { window, list, number: number + 1, head: head.clone() };
        let body = Body { text, row: self.row, container: Container::Elements, head, place };
        Ok(Some(Piece::new(line, Ok(body))))
    }

    /// Passes what follows the list of runs: the rest of its document, and nothing else.
    fn after_list(&mut self, mut window: Window<'a>, list: &'static str) -> io::Result<Option<Piece>> {
        window.go(window.at() + 1);
        let passed = if list.is_empty() { Ok(()) } else { window.pass_rest() };
        let more = window.token();
        window.failed()?;
        self.last_line = window.line_of(window.at());
        match (passed, more) {
            (Err(uncut), _) => Err(broken(uncut, &format!("after `{list}`"), "document")),
            (Ok(()), None) => Ok(None),
            (Ok(()), Some(_)) => Err(io::Error::other("more after the end; a file has one list of runs")),
        }
    }
}

/// Why a list of runs, or the document around it, cannot be read further, though its bytes can.
fn broken(uncut: Uncut, place: &str, whole: &str) -> io::Error {
    let why = match uncut {
        Uncut::Ended => format!("the {whole} breaks off"),
        Uncut::Torn(_) => "a line feed in a string, so what follows cannot be told apart".to_owned(),
        Uncut::TooLong => format!("more than {DOCUMENT_BYTES_MAX} bytes"),
    };
    io::Error::other(format!("{place}: {why}"))
}

/// The list of runs that a member with this key, in its quotes, may be.
fn list_named(key: &[u8]) -> Option<&'static str> {
    ROWS.iter().find_map(|row| match row.unit {
        Unit::Member(list) => Some(list).filter(|list| key[1..].strip_suffix(b"\"") == Some(list.as_bytes())),
        Unit::Value | Unit::File => None,
    })
}

/// What seemed a document is a line that is too long.
fn long_line(window: Window<'_>) -> io::Result<State<'_>> {
    let mut lines = Lines::of(window);
    let bad = BadLine::TooLong { bytes: Some(lines.skip()?), bound: LINE_BYTES_MAX };
    Ok(State::TooLong(bad, lines))
}

fn too_long(line: u64) -> Piece {
    Piece::new(line, Err(BadLine::TooLong { bytes: None, bound: DOCUMENT_BYTES_MAX }))
}
