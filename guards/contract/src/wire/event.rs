//! Events of a stream, as a server sends them.

use std::fmt;
use std::num::NonZeroUsize;

use serde::Serialize;

/// One event of a streamed answer. [`Dialect::events`](super::Dialect::events) writes them singly, so that a server can
/// send each by itself, stop between two, or send one twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its name, in dialects that name their events (OpenAI Responses, Anthropic).
    pub name: Option<&'static str>,
    /// Its data in one line: JSON text or, at the end of OpenAI chat, `[DONE]`. Line breaks between the tokens of the
    /// JSON are spaces, because many clients read one line of data only.
    pub data: String,
}

/// How a stream is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Framing {
    /// Server-sent events, `text/event-stream`.
    Events,
    /// One JSON array of the data, `application/json`: Gemini's stream where the query does not say `alt=sse`.
    Array,
}

impl Event {
    pub(super) fn of(name: Option<&'static str>, data: &impl Serialize) -> Self {
        let data = serde_json::to_string(data).expect("an event has string keys only");
        // Within a string, a line break is escaped.
        Self { name, data: data.replace(['\n', '\r'], " ") }
    }
}

/// As a server-sent event, with the empty line at its end.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = self.name {
            writeln!(f, "event: {name}")?;
        }
        write!(f, "data: {}\n\n", self.data)
    }
}

impl Framing {
    /// What is sent for an event; `at` is its index.
    #[must_use]
    pub fn frame(self, at: usize, event: &Event) -> String {
        match self {
            Self::Events => event.to_string(),
            Self::Array => format!("{}{}", if at == 0 { "[" } else { ",\r\n" }, event.data),
        }
    }

    /// What is sent after the last event.
    #[must_use]
    pub fn end(self) -> &'static str {
        match self {
            Self::Events => "",
            Self::Array => "]",
        }
    }
}

/// A text in pieces of at most so many characters; none of an empty text.
pub(super) fn pieces(text: &str, chars: NonZeroUsize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.char_indices().nth(chars.get()).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}
