//! The text of a scenario with its edits. It knows the origin of each byte.

use std::ops::Range;
use std::sync::Arc;

use super::diagnostic::Place;

/// A text made of pieces of a file and of arguments.
#[derive(Debug)]
pub(crate) struct Source {
    text: String,
    pieces: Vec<Piece>,
}

/// Consecutive bytes of one origin.
#[derive(Clone, Debug)]
struct Piece {
    /// Its length in bytes.
    length: usize,
    origin: Origin,
    /// Its place in its origin. A verbatim piece has the same bytes there. Any other piece, such as a bare word that
    /// was quoted, counts as the whole span.
    span: Range<usize>,
    verbatim: bool,
}

/// A file, or an argument.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) name: Arc<str>,
    pub(crate) text: Arc<str>,
}

impl Source {
    /// A file without edits.
    pub(crate) fn new(name: &str, text: &str) -> Self {
        let origin = Origin { name: name.into(), text: text.into() };
        let whole = Piece { length: text.len(), origin, span: 0..text.len(), verbatim: true };
        Self { text: text.to_owned(), pieces: vec![whole] }
    }

    /// The text with its edits.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Replaces `span` by `new`, which comes from `origin` at `at`.
    pub(crate) fn replace(&mut self, span: Range<usize>, new: &str, origin: Origin, at: Range<usize>) {
        let verbatim = origin.text.get(at.clone()) == Some(new);
        let mut pieces = Vec::with_capacity(self.pieces.len() + 2);
        self.copy_pieces(0..span.start, &mut pieces);
        pieces.push(Piece { length: new.len(), origin, span: at, verbatim });
        self.copy_pieces(span.end..self.text.len(), &mut pieces);
        self.pieces = pieces;
        self.text.replace_range(span, new);
    }

    fn copy_pieces(&self, span: Range<usize>, into: &mut Vec<Piece>) {
        let mut start = 0;
        for piece in &self.pieces {
            let from = span.start.max(start);
            let to = span.end.min(start + piece.length);
            if from < to {
                into.push(piece.cut(from - start..to - start));
            }
            start += piece.length;
        }
    }

    /// The origin of a span of the text. A span over several pieces is one span of the file, from the start of the
    /// first piece to the end of the last.
    pub(crate) fn place(&self, span: Range<usize>, label: impl Into<String>) -> Place {
        let first = self.find(span.start);
        let last = self.find(span.end.saturating_sub(1).max(span.start));
        let label = label.into();
        let (Some((piece, from)), Some((end, to))) = (first, last) else {
            return Place { origin: Arc::default(), text: Arc::default(), span: 0..0, label };
        };
        let start = piece.cut(from..piece.length).span.start;
        let until = if span.is_empty() { start } else { end.cut(0..to + 1).span.end };
        let same = Arc::ptr_eq(&piece.origin.text, &end.origin.text) && until >= start;
        let until = if same { until } else { piece.span.end };
        let span = chars(&piece.origin.text, start..until);
        Place { origin: piece.origin.name.clone(), text: piece.origin.text.clone(), span, label }
    }

    /// The piece with this byte (the last piece for the end of the text), and the offset in the piece.
    fn find(&self, at: usize) -> Option<(&Piece, usize)> {
        let mut start = 0;
        for piece in &self.pieces {
            if at < start + piece.length {
                return Some((piece, at - start));
            }
            start += piece.length;
        }
        self.pieces.last().map(|piece| (piece, piece.length))
    }
}

impl Piece {
    /// A part of the piece, by offsets in it.
    fn cut(&self, part: Range<usize>) -> Self {
        let length = part.end.min(self.length).saturating_sub(part.start);
        let span = if self.verbatim {
            self.span.start + part.start..self.span.start + part.start + length
        } else {
            self.span.clone()
        };
        Self { length, span, origin: self.origin.clone(), verbatim: self.verbatim }
    }
}

/// The span, extended to character boundaries.
fn chars(text: &str, span: Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(span.start);
    let end = text.ceil_char_boundary(span.end);
    start..end.max(start)
}
