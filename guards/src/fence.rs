//! Code fences in text, and the language they claim: what CommonMark calls fenced code blocks.
//!
//! Follows CommonMark 0.31: backticks and tildes, fences longer than three, indentation of up to three columns (four
//! make indented code, which is no fence), tabs, fences inside block quotes and list items (which end with them),
//! fences that interrupt a paragraph, no backticks in the info string of a backtick fence, and fences that are never
//! closed.
//!
//! Deliberately different:
//!
//! - HTML blocks are not recognised: a fence between `<div>` and the next blank line counts, where CommonMark shows
//!   its characters. Models wrap code in tags of their own (`<answer>`) and mean the fence.
//! - Backslash escapes and entities in an info string stay unchanged.
//! - A carriage return alone does not end a line, and containers deeper than 32 are text.
//!
//! Does not allocate. A text without three backticks or tildes in a row costs one search for each.

use std::iter::FusedIterator;

use memchr::{memchr, memchr_iter, memrchr};

/// How deep block quotes and list items may nest; deeper markers are text.
const DEPTH: usize = 32;

/// A fenced code block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence<'t> {
    /// The rest of the opening line, trimmed.
    pub info: &'t str,
    /// The lines between, unchanged: they still contain the markers and indentation of a list or quote around the
    /// fence.
    pub body: &'t str,
    /// False if the text, the list item or the quote ended first.
    pub closed: bool,
}

impl<'t> Fence<'t> {
    /// The canonical name of the language in the info string; empty if it names none.
    #[must_use]
    pub fn language(&self) -> &'t str {
        canonical(tag(self.info))
    }

    /// Whether the fence claims to contain `language`, under any of its names and in any case.
    #[must_use]
    pub fn is(&self, language: &str) -> bool {
        self.language().eq_ignore_ascii_case(canonical(language))
    }
}

/// The language tag in an info string: its first word, without attached attributes.
///
/// `python title="x"`, `python{1,3}`, `python,ignore`, `python:main.py` and `python=` all give `python`. In `{.python
/// .numberLines}` the first class counts, in `{python}` and `{r, echo=FALSE}` the first word.
#[must_use]
pub fn tag(info: &str) -> &str {
    let info = info.trim_start();
    let first = match info.strip_prefix('{') {
        Some(attributes) => {
            let inside = attributes.split('}').next().unwrap_or_default();
            let mut words = inside.split_whitespace();
            let class = words.clone().find_map(|word| word.strip_prefix('.'));
            class.or_else(|| words.next()).unwrap_or_default()
        }
        None => info.split_whitespace().next().unwrap_or_default(),
    };
    first.split(['{', ',', ':', '=', ';']).next().unwrap_or_default()
}

/// The canonical name for the usual aliases of a language; any other tag unchanged.
#[must_use]
pub fn canonical(tag: &str) -> &str {
    const ALIASES: [(&str, &[&str]); 3] = [
        ("python", &["python", "py", "python3", "py3", "python2", "py2"]),
        ("javascript", &["javascript", "js", "jsx", "mjs", "cjs", "node"]),
        ("typescript", &["typescript", "ts", "tsx", "mts", "cts"]),
    ];
    let is = |(_, aliases): &&(_, &[&str])| aliases.iter().any(|alias| alias.eq_ignore_ascii_case(tag));
    ALIASES.iter().find(is).map_or(tag, |(name, _)| name)
}

/// Finds the code fences of a text, in order.
#[must_use]
pub fn fences(text: &str) -> Fences<'_> {
    Fences {
        text,
        at: 0,
        candidates: [Candidate::new(text, b'`'), Candidate::new(text, b'~')],
        containers: [Container::Quote; DEPTH],
        depth: 0,
        paragraph: false,
        empty_item: false,
    }
}

/// The iterator of [`fences`]: a line scanner that knows which containers and which paragraph are open.
#[derive(Clone, Debug)]
pub struct Fences<'t> {
    text: &'t str,
    /// Where the next line starts.
    at: usize,
    candidates: [Candidate; 2],
    containers: [Container; DEPTH],
    depth: usize,
    /// True if the innermost open container ends with a paragraph that another line may continue.
    paragraph: bool,
    /// True if the innermost open container is a list item with only its marker.
    empty_item: bool,
}

/// A block that contains blocks.
#[derive(Clone, Copy, Debug)]
enum Container {
    Quote,
    /// The content of the item is indented by this many columns.
    Item(usize),
}

/// An opening fence.
struct Opening<'t> {
    mark: u8,
    length: usize,
    info: &'t str,
}

impl<'t> Iterator for Fences<'t> {
    type Item = Fence<'t>;

    fn next(&mut self) -> Option<Fence<'t>> {
        loop {
            let [ticks, tildes] = &mut self.candidates;
            if !ticks.is_ahead(self.text, self.at) && !tildes.is_ahead(self.text, self.at) {
                self.at = self.text.len();
                return None;
            }
            let line = Line::new(self.text, self.at);
            self.at = line.next;
            // Most lines are plain: a letter at the start begins or continues a paragraph.
            if self.depth == 0 && line.byte(line.at).is_some_and(|byte| byte.is_ascii_alphabetic()) {
                self.paragraph = true;
            } else if let Some(opening) = self.read(line) {
                return Some(self.body(&opening));
            }
        }
    }
}

impl FusedIterator for Fences<'_> {}

impl<'t> Fences<'t> {
    /// Reads one line outside a fence; returns the fence that it opens.
    fn read(&mut self, mut line: Line<'t>) -> Option<Opening<'t>> {
        let mut matched = self.enter(&mut line);
        self.empty_item = false;
        loop {
            let (indent, start) = line.indent();
            let Some(byte) = line.byte(start) else {
                // A blank line ends paragraphs, and quotes that it does not belong to.
                self.leave(matched);
                return None;
            };
            if indent >= 4 {
                // Indented code, unless it continues a paragraph.
                if !self.paragraph {
                    self.leave(matched);
                }
                return None;
            }
            let interrupts = self.paragraph && matched == self.depth;
            if byte == b'>' && matched < DEPTH {
                self.leave(matched);
                line.take(start + 1);
                line.skip(1);
                self.open(Container::Quote);
            } else if let Some(opening) = line.opening(start) {
                self.leave(matched);
                return Some(opening);
            } else if line.is_leaf(start, interrupts) {
                self.leave(matched);
                return None;
            } else if let Some(width) = line.marker(indent, start, interrupts).filter(|_| matched < DEPTH) {
                self.leave(matched);
                self.open(Container::Item(width));
                self.empty_item = line.is_blank();
            } else {
                // A paragraph continues even without the markers of its containers.
                if !self.paragraph {
                    self.leave(matched);
                    self.paragraph = true;
                }
                return None;
            }
            matched = self.depth;
        }
    }

    /// Reads the lines of a fence and its closing line.
    fn body(&mut self, opening: &Opening<'t>) -> Fence<'t> {
        let start = self.at;
        let fence = |end, closed| Fence { info: opening.info, body: &self.text[start..end], closed };
        while self.at < self.text.len() {
            if self.depth == 0 {
                // Only a line that contains the mark can close it, and no container can end it.
                let rest = &self.text.as_bytes()[self.at..];
                let Some(found) = three(rest, opening.mark) else { break };
                self.at += memrchr(b'\n', &rest[..found]).map_or(0, |end| end + 1);
            }
            let mut line = Line::new(self.text, self.at);
            if self.enter(&mut line) < self.depth {
                // The line is read again, outside the fence.
                return fence(self.at, false);
            }
            let (end, next) = (self.at, line.next);
            self.at = next;
            if line.closes(opening) {
                return fence(end, true);
            }
        }
        self.at = self.text.len();
        fence(self.at, false)
    }

    /// Takes the markers of the open containers; returns how many of them the line belongs to.
    fn enter(&self, line: &mut Line<'t>) -> usize {
        for (nth, container) in self.containers[..self.depth].iter().enumerate() {
            let (indent, start) = line.indent();
            match *container {
                Container::Quote if indent < 4 && line.byte(start) == Some(b'>') => {
                    line.take(start + 1);
                    line.skip(1);
                }
                // A blank line belongs to an item that already has content.
                Container::Item(_) if line.byte(start).is_none() => {
                    if self.empty_item && nth + 1 == self.depth {
                        return nth;
                    }
                    line.take(start);
                }
                Container::Item(width) if indent >= width => line.skip(width),
                Container::Quote | Container::Item(_) => return nth,
            }
        }
        self.depth
    }

    /// Ends the paragraph, and the containers from the `matched`-th on.
    fn leave(&mut self, matched: usize) {
        self.depth = matched;
        self.paragraph = false;
    }

    fn open(&mut self, container: Container) {
        self.containers[self.depth] = container;
        self.depth += 1;
    }
}

/// Where the next three marks in a row are.
#[derive(Clone, Debug)]
struct Candidate {
    mark: u8,
    next: Option<usize>,
}

impl Candidate {
    fn new(text: &str, mark: u8) -> Self {
        Self { mark, next: three(text.as_bytes(), mark) }
    }

    fn is_ahead(&mut self, text: &str, at: usize) -> bool {
        if self.next.is_some_and(|next| next < at) {
            let found = three(&text.as_bytes()[at..], self.mark);
            self.next = found.map(|found| at + found);
        }
        self.next.is_some()
    }
}

/// The first three marks in a row.
fn three(text: &[u8], mark: u8) -> Option<usize> {
    memchr_iter(mark, text).find(|&at| text[at..].starts_with(&[mark; 3]))
}

/// A line that is read from the left, in columns: a tab extends to the next multiple of four, and may be taken in
/// part.
struct Line<'t> {
    text: &'t str,
    at: usize,
    column: usize,
    /// Remaining columns of a tab that was taken in part.
    spare: usize,
    /// The end, without the line ending.
    end: usize,
    /// Where the next line starts.
    next: usize,
}

impl<'t> Line<'t> {
    fn new(text: &'t str, at: usize) -> Self {
        let newline = memchr(b'\n', &text.as_bytes()[at..]).map(|found| at + found);
        let next = newline.map_or(text.len(), |newline| newline + 1);
        let end = newline.unwrap_or(text.len());
        let end = if text[at..end].ends_with('\r') { end - 1 } else { end };
        Self { text, at, column: 0, spare: 0, end, next }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        (at < self.end).then(|| self.text.as_bytes()[at])
    }

    fn bytes(&self, from: usize) -> &'t [u8] {
        &self.text.as_bytes()[from..self.end]
    }

    /// How many columns of white space follow, and where they end.
    fn indent(&self) -> (usize, usize) {
        let (mut column, mut at) = (self.column + self.spare, self.at);
        loop {
            match self.byte(at) {
                Some(b' ') => column += 1,
                Some(b'\t') => column += 4 - column % 4,
                Some(_) | None => return (column - self.column, at),
            }
            at += 1;
        }
    }

    /// Takes everything before `at`; a character that is not white space is one column wide, as markers are.
    fn take(&mut self, at: usize) {
        let (indent, start) = self.indent();
        self.column += indent + at.saturating_sub(start);
        (self.at, self.spare) = (at, 0);
    }

    /// Takes at most that many columns of white space.
    fn skip(&mut self, columns: usize) {
        for _ in 0..columns {
            if self.spare > 0 {
                self.spare -= 1;
            } else {
                match self.byte(self.at) {
                    Some(b' ') => {}
                    Some(b'\t') => self.spare = 3 - self.column % 4,
                    Some(_) | None => return,
                }
                self.at += 1;
            }
            self.column += 1;
        }
    }

    fn is_blank(&self) -> bool {
        self.indent().1 == self.end
    }

    fn opening(&self, start: usize) -> Option<Opening<'t>> {
        let mark = self.byte(start).filter(|mark| matches!(mark, b'`' | b'~'))?;
        let length = run(self.bytes(start), mark);
        let info = &self.text[start + length..self.end];
        let fits = length >= 3 && (mark == b'~' || !info.contains('`'));
        fits.then(|| Opening { mark, length, info: info.trim_matches([' ', '\t', '\r']) })
    }

    fn closes(&self, opening: &Opening<'_>) -> bool {
        let (indent, start) = self.indent();
        let length = run(self.bytes(start), opening.mark);
        indent < 4 && length >= opening.length && self.bytes(start + length).iter().all(is_space)
    }

    /// A heading or a thematic break: a block of one line that cannot continue a paragraph.
    fn is_leaf(&self, start: usize, interrupts: bool) -> bool {
        let bytes = self.bytes(start);
        let first = bytes[0];
        match first {
            b'#' => {
                let level = run(bytes, first);
                level <= 6 && bytes.get(level).is_none_or(is_space)
            }
            b'=' | b'-' if interrupts && bytes[run(bytes, first)..].iter().all(is_space) => true,
            b'-' | b'*' | b'_' => {
                let marks = bytes.iter().filter(|&&byte| byte == first).count();
                marks >= 3 && bytes.iter().all(|byte| *byte == first || is_space(byte))
            }
            _ => false,
        }
    }

    /// Takes a list marker with the space after it; returns the indentation of the item's content.
    fn marker(&mut self, indent: usize, start: usize, interrupts: bool) -> Option<usize> {
        let bytes = self.bytes(start);
        let length = match bytes[0] {
            b'-' | b'*' | b'+' => 1,
            _ => {
                let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
                // Only a list that starts with 1 interrupts a paragraph.
                let number_fits = (1..=9).contains(&digits) && (!interrupts || is_one(&bytes[..digits]));
                (number_fits && matches!(bytes.get(digits), Some(b'.' | b')'))).then_some(digits + 1)?
            }
        };
        let rest = bytes.get(length..)?;
        let blank = rest.iter().all(is_space);
        if !rest.first().is_none_or(is_space) || (interrupts && blank) {
            return None;
        }
        self.take(start + length);
        // With more than four columns of space, one belongs to the marker and the rest is indented code.
        let space = match self.indent().0 {
            1..=4 if !blank => self.indent().0,
            _ => 1,
        };
        self.skip(space);
        Some(indent + length + space)
    }
}

fn run(bytes: &[u8], mark: u8) -> usize {
    bytes.iter().take_while(|&&byte| byte == mark).count()
}

fn is_one(digits: &[u8]) -> bool {
    matches!(digits, [zeros @ .., b'1'] if zeros.iter().all(|&digit| digit == b'0'))
}

fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}
