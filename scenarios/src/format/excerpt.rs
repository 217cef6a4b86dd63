//! The part of a text that is shown around a place. What is shown costs as much as that part is long, and a line can
//! be as long as a file.

use std::ops::Range;

/// Lines up to this length in all are shown as they are.
const LINES_BYTES: usize = 32 << 10;
/// What is shown of longer ones, before and after where the place begins. The width of a terminal is less.
const NEAR_BYTES: usize = 1 << 10;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    bytes: Range<usize>,
    /// The characters of its first line that are left out before it.
    pub(super) cut: Cut,
}

/// What is left out before an excerpt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// The line in which the excerpt begins, from 1.
    line: usize,
    /// The characters of that line.
    characters: usize,
}

impl Excerpt {
    /// The lines that show both spans of a text. `None` if they are too long.
    pub(super) fn of_both(text: &str, one: &Range<usize>, other: &Range<usize>) -> Option<Self> {
        let lines = lines(text, &(one.start.min(other.start)..one.end.max(other.end)));
        (lines.len() <= LINES_BYTES).then(|| Self::new(text, lines))
    }

    /// The lines that show a span, or the part of them that is near to where it begins.
    pub(super) fn of(text: &str, span: &Range<usize>) -> Self {
        Self::of_both(text, span, span).unwrap_or_else(|| {
            let lines = lines(text, span);
            let start = lines.start.max(text.floor_char_boundary(span.start.saturating_sub(NEAR_BYTES)));
            let end = lines.end.min(text.ceil_char_boundary(span.start + NEAR_BYTES));
            Self::new(text, start..end)
        })
    }

    fn new(text: &str, bytes: Range<usize>) -> Self {
        let before = &text[..bytes.start];
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        let lines = before[..line].matches('\n').count();
        Self { bytes, cut: Cut { line: 1 + lines, characters: before[line..].chars().count() } }
    }

    /// The bytes of the text.
    pub(super) fn bytes(&self) -> Range<usize> {
        self.bytes.clone()
    }

    /// The line in which it begins, from 1.
    pub(super) fn line(&self) -> usize {
        self.cut.line
    }

    /// A span of the text, as far as it is in the excerpt, from its start.
    pub(super) fn inside(&self, span: &Range<usize>) -> Range<usize> {
        let at = |it: usize| it.clamp(self.bytes.start, self.bytes.end) - self.bytes.start;
        at(span.start)..at(span.end)
    }
}

/// The bytes of the lines that a span is in.
fn lines(text: &str, span: &Range<usize>) -> Range<usize> {
    // The end of a text is shown behind its last line.
    let first = if span.start == text.len() { span.start.saturating_sub(1) } else { span.start };
    let first = text.floor_char_boundary(first);
    let start = text[..first].rfind('\n').map_or(0, |at| at + 1);
    let end = text[span.end..].find('\n').map_or(text.len(), |at| span.end + at + 1);
    start..end
}

/// Puts the columns of the text in the place of those of its excerpts. Each excerpt has a line that names its place, in
/// this order.
pub(super) fn with_columns(shown: String, cut: &[Cut]) -> String {
    if cut.iter().all(|it| it.characters == 0) {
        return shown;
    }
    let mut cut = cut.iter();
    let lines = shown.split_inclusive('\n').map(|line| {
        let cut = if names_a_place(line) { cut.next() } else { None };
        cut.and_then(|it| moved(line, it)).unwrap_or_else(|| line.to_owned())
    });
    lines.collect()
}

/// Whether a line begins with an arrow, which may have a colour.
fn names_a_place(line: &str) -> bool {
    let mut rest = line.trim_start_matches(' ');
    while let Some((_, after)) = rest.strip_prefix('\u{1b}').and_then(|it| it.split_once('m')) {
        rest = after;
    }
    rest.starts_with("--> ") || rest.starts_with("::: ")
}

/// A line that names a place, with the column of the text.
fn moved(line: &str, cut: &Cut) -> Option<String> {
    let before = format!(":{}:", cut.line);
    let (path, rest) = line.rsplit_once(&before)?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let column: usize = rest[..end].parse().ok()?;
    Some(format!("{path}{before}{}{}", column + cut.characters, &rest[end..]))
}
