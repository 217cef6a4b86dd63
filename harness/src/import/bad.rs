//! Why a line of recorded transcripts, or another piece of a file of them, cannot be used.

use std::fmt;

use serde_json::error::Category;

use super::one_line::one_line;

/// Why a line cannot be used. It is reported and counted, and the next line is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadLine {
    /// Longer than what is held in memory at once.
    TooLong {
        /// Its length in bytes, if it was read to its end.
        bytes: Option<u64>,
        /// The greatest length, in bytes.
        bound: usize,
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
    /// Of no format that is known, or of several.
    UnknownFormat {
        /// What was expected, what was found, what to do.
        why: String,
    },
    /// Of a format that is known, but something in it is not as the format has it.
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
    pub const REASONS: [&'static str; 6] =
        ["too-long", "not-utf8", "not-json", "unknown-format", "wrong-shape", "orphan-result"];

    /// The name of the reason, as in counts.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::TooLong { .. } => Self::REASONS[0],
            Self::NotUtf8 { .. } => Self::REASONS[1],
            Self::NotJson { .. } => Self::REASONS[2],
            Self::UnknownFormat { .. } => Self::REASONS[3],
            Self::WrongShape { .. } => Self::REASONS[4],
            Self::OrphanResult { .. } => Self::REASONS[5],
        }
    }

    /// The message of a parser, with the member where the error is.
    pub(super) fn of_json(error: &serde_json::Error, place: &str) -> Self {
        let text = error.to_string();
        let why = text.rfind(" at line ").map_or(text.as_str(), |at| &text[..at]);
        let why = one_line(why, WHY_CHARS);
        match error.classify() {
            Category::Data => Self::WrongShape { place: one_line(place, WHY_CHARS), why },
            Category::Syntax | Category::Eof | Category::Io => {
                // A transcript that is one line has no lines to number.
                let line = Some(error.line()).filter(|line| *line > 1);
                let line = line.map(|line| format!("line {line} of it, ")).unwrap_or_default();
                Self::NotJson { why: format!("{line}column {}: {why}", error.column()) }
            }
        }
    }

    /// Leaves out what it quotes: a parser quotes what it found, and a member may have a name from the content.
    pub(crate) fn redact(&mut self) {
        const LEFT_OUT: &str = "(left out, since it can quote the content)";
        match self {
            Self::TooLong { .. } | Self::NotUtf8 { .. } => {}
            Self::NotJson { why } | Self::UnknownFormat { why } => *why = LEFT_OUT.to_owned(),
            Self::WrongShape { place, why } => {
                (*place, *why) = ("line".to_owned(), LEFT_OUT.to_owned());
            }
            Self::OrphanResult { place, id } => {
                (*place, *id) = ("line".to_owned(), LEFT_OUT.to_owned());
            }
        }
    }

    /// A member with an invalid value. Its place can have an id from the content.
    pub(crate) fn shape(place: String, why: &str) -> Self {
        Self::WrongShape { place: one_line(&place, WHY_CHARS), why: why.into() }
    }

    /// The same below this member of a larger document.
    pub(super) fn below(self, member: &str) -> Self {
        let at = |place: String| match &*place {
            "line" | "" => member.to_owned(),
            _ if place.starts_with('[') => format!("{member}{place}"),
            _ => format!("{member}.{place}"),
        };
        match self {
            Self::WrongShape { place, why } => Self::WrongShape { place: at(place), why },
            Self::OrphanResult { place, id } => Self::OrphanResult { place: at(place), id },
            Self::NotJson { why } => Self::NotJson { why: format!("{member}: {why}") },
            Self::TooLong { .. } | Self::NotUtf8 { .. } | Self::UnknownFormat { .. } => self,
        }
    }
}

/// A parser quotes what it found, which may be a whole file.
const WHY_CHARS: usize = 160;

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.reason())?;
        match self {
            Self::TooLong { bytes: Some(bytes), bound } => {
                write!(f, "expected at most {bound} bytes, found {bytes}")
            }
            Self::TooLong { bytes: None, bound } => write!(f, "expected at most {bound} bytes, found more"),
            Self::NotUtf8 { valid_bytes } => write!(f, "invalid UTF-8 after {valid_bytes} bytes"),
            Self::NotJson { why } | Self::UnknownFormat { why } => f.write_str(why),
            Self::WrongShape { place, why } => write!(f, "{place}: {why}"),
            Self::OrphanResult { place, id } => {
                write!(f, "{place}: expected the id of an earlier call, found `{id}`")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_from_the_content_does_not_break_the_line() {
        let bad = BadLine::shape("the answer `\r\none`".into(), "expected its end, found none");
        assert_eq!(bad.to_string(), "wrong-shape: the answer ` one`: expected its end, found none");
    }
}
