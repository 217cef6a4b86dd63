//! A part of a file, and the transcripts in it.

use std::sync::Arc;

use serde::de::IgnoredAny;

use super::bad::BadLine;
use super::format::Format;
use super::parse::{paired, text_of, value};
use super::recognise::{forced, is_settled, recognise};
use super::recording::Recording;
use super::rows::{Container, Row, Unit};
use super::shape::Shape;
use super::sink::{Head, Sink};
use super::window::Part;

/// A part of a file: a line, a document, an element of a list, or all lines of one run.
pub struct Piece {
    line: u64,
    body: Result<Body, BadLine>,
}

/// What a piece has.
pub(super) struct Body {
    pub(super) text: Part,
    /// How to read it, where the file says so.
    pub(super) row: Option<&'static Row>,
    pub(super) container: Container,
    pub(super) head: Arc<Head>,
    /// Where it is in its document; empty if it is all of it.
    pub(super) place: String,
}

/// A transcript or why there is none, with the number of its first line in the file.
pub type FoundIn = (u64, Result<Recording, BadLine>);

impl Piece {
    pub(super) fn new(line: u64, body: Result<Body, BadLine>) -> Self {
        Self { line, body }
    }

    /// The number of its first line, from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The number of bytes that are held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.body.as_ref().map_or(0, |body| body.text.len())
    }

    /// Whether there is nothing but white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.body.as_ref().is_ok_and(|body| body.text.trim_ascii().is_empty())
    }

    /// Its text.
    ///
    /// # Errors
    /// It is no text, or too long to be held.
    pub fn text(&self) -> Result<&str, BadLine> {
        match &self.body {
            Ok(body) => text_of(&body.text),
            Err(bad) => Err(bad.clone()),
        }
    }

    /// The transcripts in it, in order.
    #[must_use]
    pub fn recordings(&self, from: Option<Format>) -> Vec<FoundIn> {
        let found = match (&self.body, self.text()) {
            (Ok(body), Ok(text)) => body.recordings(&paired(text), from),
            (Ok(_), Err(bad)) => vec![(0, Err(bad))],
            (Err(bad), _) => vec![(0, Err(bad.clone()))],
        };
        found.into_iter().map(|(lines_before, found)| (self.line + lines_before, found)).collect()
    }
}

impl Body {
    fn recordings(&self, text: &str, from: Option<Format>) -> Vec<FoundIn> {
        let recognised = || {
            let mut shape = Shape::default();
            shape.add(text.as_bytes());
            match from {
                None => recognise(shape, self.container, None),
                Some(from) => forced(shape, self.container, from),
            }
        };
        let found = match self.row {
            None => recognised().map_err(|unknown| match value::<IgnoredAny>(text) {
                Ok(_) => unknown,
                Err(no_json) => no_json,
            }),
            Some(row) => Ok(row),
        };
        let row = match found {
            Ok(row) => row,
            Err(bad) => return vec![(0, Err(self.placed(bad)))],
        };
        let mut sink = Sink::default();
        let Err(bad) = (row.read)(text, &self.head, &mut sink) else { return self.all(sink) };
        // A file may have lines of several formats, and what tells one may come late. A list was looked at already.
        let has_one_form = self.container == Container::Document && is_settled(row, self.container);
        let is_apart = !matches!(row.unit, Unit::Member(_))
            && self.container != Container::List
            && !has_one_form
            && !matches!(bad, BadLine::NotJson { .. });
        if is_apart
            && let Ok(other) = recognised()
            && !std::ptr::eq(other, row)
        {
            let mut sink = Sink::default();
            if let Err(bad) = (other.read)(text, &self.head, &mut sink) {
                sink.bad(0, bad);
            }
            return self.all(sink);
        }
        sink.bad(0, bad);
        self.all(sink)
    }

    fn all(&self, sink: Sink) -> Vec<FoundIn> {
        sink.found.into_iter().map(|(line, found)| (line, found.map_err(|bad| self.placed(bad)))).collect()
    }

    fn placed(&self, bad: BadLine) -> BadLine {
        if self.place.is_empty() { bad } else { bad.below(&self.place) }
    }
}
