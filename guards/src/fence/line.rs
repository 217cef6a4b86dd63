//! One line of Markdown, and the blocks that begin on it.

use memchr::memchr;

/// An opening fence.
pub(super) struct Opening<'t> {
    pub(super) mark: u8,
    pub(super) length: usize,
    pub(super) info: &'t str,
}

/// A line that is taken from the left, in columns: a tab reaches to the next multiple of four, and may be
/// taken in part.
pub(super) struct Line<'t> {
    text: &'t str,
    pub(super) at: usize,
    column: usize,
    /// Columns left of a tab that was taken in part.
    spare: usize,
    /// Without the line ending.
    end: usize,
    /// Where the next line starts.
    pub(super) next: usize,
}

impl<'t> Line<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        let newline = memchr(b'\n', &text.as_bytes()[at..]).map(|found| at + found);
        let next = newline.map_or(text.len(), |newline| newline + 1);
        let end = newline.unwrap_or(text.len());
        let end = if text[at..end].ends_with('\r') { end - 1 } else { end };
        Self { text, at, column: 0, spare: 0, end, next }
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        (at < self.end).then(|| self.text.as_bytes()[at])
    }

    fn bytes(&self, from: usize) -> &'t [u8] {
        &self.text.as_bytes()[from..self.end]
    }

    /// How many columns of white space follow, and where they end.
    pub(super) fn indent(&self) -> (usize, usize) {
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

    /// Takes everything before `at`; what is not white space is one column wide, as markers are.
    pub(super) fn take(&mut self, at: usize) {
        let (indent, start) = self.indent();
        self.column += indent + at.saturating_sub(start);
        (self.at, self.spare) = (at, 0);
    }

    /// Takes at most that many columns of white space.
    pub(super) fn skip(&mut self, columns: usize) {
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

    pub(super) fn is_blank(&self) -> bool {
        self.indent().1 == self.end
    }

    pub(super) fn opening(&self, start: usize) -> Option<Opening<'t>> {
        let mark = self.byte(start).filter(|mark| matches!(mark, b'`' | b'~'))?;
        let length = run(self.bytes(start), mark);
        let info = &self.text[start + length..self.end];
        let fits = length >= 3 && (mark == b'~' || !info.contains('`'));
        fits.then(|| Opening { mark, length, info: info.trim_matches([' ', '\t', '\r']) })
    }

    pub(super) fn closes(&self, opening: &Opening<'_>) -> bool {
        let (indent, start) = self.indent();
        let length = run(self.bytes(start), opening.mark);
        indent < 4 && length >= opening.length && self.bytes(start + length).iter().all(is_space)
    }

    /// A heading or a thematic break: a block of one line, which no paragraph takes up.
    pub(super) fn is_leaf(&self, start: usize, interrupts: bool) -> bool {
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

    /// Takes a list marker with the space after it; how far the content of the item is indented.
    pub(super) fn marker(&mut self, indent: usize, start: usize, interrupts: bool) -> Option<u8> {
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
        // More than four columns of space are one of the marker and indented code.
        let space = match self.indent().0 {
            1..=4 if !blank => self.indent().0,
            _ => 1,
        };
        self.skip(space);
        u8::try_from(indent + length + space).ok()
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
