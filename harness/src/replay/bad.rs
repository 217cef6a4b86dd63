//! Why a line of a recorded transcript cannot be used.

use std::fmt;

use serde_json::error::Category;

use super::one_line::one_line;

/// Why a line cannot be used. It is reported and counted, and the next line is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadLine {
    /// Longer than [`LINE_BYTES_MAX`](super::LINE_BYTES_MAX).
    TooLong {
        /// Its length in bytes.
        bytes: u64,
    },
    /// Not valid UTF-8.
    NotUtf8 {
        /// The number of bytes up to the first invalid one.
        valid_bytes: usize,
    },
    /// Not JSON, or nested too deeply.
    NotJson {
        /// Where and why.
        why: String,
    },
    /// JSON, but not a transcript.
    WrongShape {
        /// The member.
        place: String,
        /// What was expected there, what was found.
        why: String,
    },
    /// A result of a call which is not before it.
    OrphanResult {
        /// The member that names the call.
        place: String,
        /// The id or the name that no call has.
        id: String,
    },
}

impl BadLine {
    /// The names of all reasons, as in counts.
    pub const REASONS: [&'static str; 5] =
        ["too-long", "not-utf8", "not-json", "wrong-shape", "orphan-result"];

    /// The name of the reason, as in counts.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::TooLong { .. } => Self::REASONS[0],
            Self::NotUtf8 { .. } => Self::REASONS[1],
            Self::NotJson { .. } => Self::REASONS[2],
            Self::WrongShape { .. } => Self::REASONS[3],
            Self::OrphanResult { .. } => Self::REASONS[4],
        }
    }

    /// The message of a parser, with the member where the error is.
    pub(super) fn of_json(error: &serde_json::Error, place: &str) -> Self {
        let text = error.to_string();
        // A transcript is one line, so the number of the line within it says nothing.
        let why = text.rfind(" at line ").map_or(text.as_str(), |at| &text[..at]);
        let why = one_line(why, WHY_CHARS);
        match error.classify() {
            Category::Data => Self::WrongShape { place: one_line(place, WHY_CHARS), why },
            Category::Syntax | Category::Eof | Category::Io => {
                Self::NotJson { why: format!("column {}: {why}", error.column()) }
            }
        }
    }

    /// A member with an invalid value.
    pub(super) fn shape(place: String, why: &str) -> Self {
        Self::WrongShape { place, why: why.into() }
    }
}

/// A parser quotes what it found, which may be a whole file.
const WHY_CHARS: usize = 160;

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.reason())?;
        match self {
            Self::TooLong { bytes } => {
                write!(f, "expected at most {} bytes, found {bytes}", super::LINE_BYTES_MAX)
            }
            Self::NotUtf8 { valid_bytes } => write!(f, "invalid UTF-8 after {valid_bytes} bytes"),
            Self::NotJson { why } => f.write_str(why),
            Self::WrongShape { place, why } => write!(f, "{place}: {why}"),
            Self::OrphanResult { place, id } => {
                write!(f, "{place}: expected the id of an earlier call, found `{id}`")
            }
        }
    }
}
