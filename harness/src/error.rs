//! The only error type of the program: what was expected where, what was found, and what to do.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::exit::Exit;

/// Why a command could not do its work. Every text in it is a lowercase fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The exit code.
    pub exit: Exit,
    /// The file that the error is about, if any.
    pub file: Option<PathBuf>,
    /// Where in the file (`line 3, column 7`) or on the command line (`--guard`); may be empty.
    pub place: Box<str>,
    /// What should have been there; empty if `found` says it all.
    pub expected: Box<str>,
    /// What was there.
    pub found: Box<str>,
    /// What to do about it; may be empty.
    pub hint: Box<str>,
    /// True if the reader of the output has gone away (`| head`): an end, not a failure.
    pub reader_left: bool,
}

impl Error {
    /// A file that cannot be used.
    #[must_use]
    pub fn file(file: &Path, expected: &str, found: impl fmt::Display) -> Self {
        let found = found.to_string();
        Self { file: Some(file.to_owned()), ..Self::new(Exit::BadFile, expected, found) }
    }

    /// A file or a folder that cannot be read.
    #[must_use]
    pub fn unreadable(file: &Path, error: &io::Error) -> Self {
        Self::file(file, "", format!("cannot read: {error}"))
    }

    /// A file that would be replaced.
    #[must_use]
    pub fn exists(file: &Path) -> Self {
        Self::file(file, "", "the file already exists")
    }

    /// An invalid command line, at this option.
    #[must_use]
    pub fn usage(place: &str, expected: &str, found: impl fmt::Display) -> Self {
        Self { place: place.into(), ..Self::new(Exit::Usage, expected, found.to_string()) }
    }

    /// A guard that cannot be registered: a mistake in the program, not in the command line.
    #[must_use]
    pub fn registry(expected: &str, found: impl fmt::Display) -> Self {
        Self { place: "registry".into(), ..Self::new(Exit::Unexpected, expected, found.to_string()) }
    }

    /// The same error with a hint what to do.
    #[must_use]
    pub fn hint(mut self, hint: &str) -> Self {
        self.hint = hint.into();
        self
    }

    fn new(exit: Exit, expected: &str, found: String) -> Self {
        Self {
            exit,
            file: None,
            place: Box::default(),
            expected: expected.into(),
            found: found.into(),
            hint: Box::default(),
            reader_left: false,
        }
    }
}

/// An output that cannot be written.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        let reader_left = error.kind() == io::ErrorKind::BrokenPipe;
        let new = Self::new(Exit::Unexpected, "", format!("writing the output failed: {error}"));
        Self { reader_left, ..new }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", on_one_line(&file.display().to_string()))?;
        }
        if !self.place.is_empty() {
            write!(f, "{}: ", shown(&self.place))?;
        }
        if !self.expected.is_empty() {
            write!(f, "expected {}, found ", shown(&self.expected))?;
        }
        write!(f, "{}", shown(&self.found))?;
        if !self.hint.is_empty() {
            write!(f, "\n  hint: {}", self.hint)?;
        }
        Ok(())
    }
}

/// A name may have line ends.
fn on_one_line(name: &str) -> String {
    name.replace(['\n', '\r'], "␊")
}

/// The longest part of a message, in characters: some repeat a line of a file, which may be of any length.
const PART_CHARS: usize = 4_000;

/// A part as it is shown. It may repeat lines of a file, and only a message of Balk begins at the left margin.
pub(crate) fn shown(part: &str) -> Cow<'_, str> {
    let part: Cow<str> = match part.char_indices().nth(PART_CHARS) {
        Some((end, _)) => format!("{} [… {} more bytes]", &part[..end], part.len() - end).into(),
        None => part.into(),
    };
    if part.contains('\n') { part.replace('\n', "\n  ").into() } else { part }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_file_place_expected_found_and_hint() {
        let mut error = Error::file(Path::new("runs/a.jsonl"), "a readable file", "permission denied")
            .hint("check who may read it");
        error.place = "line 3".into();
        assert_eq!(
            error.to_string(),
            "runs/a.jsonl: line 3: expected a readable file, found permission denied\n  hint: check who may \
             read it"
        );
    }

    #[test]
    fn what_is_repeated_from_a_file_begins_no_line_at_the_left_margin() {
        let mut error = Error::usage("a\nerror: b", "c\nerror: d", "e\n\nerror: f\n");
        error.file = Some("g\nerror: h".into());
        let text = error.to_string();
        let (first, others) = text.split_once('\n').expect("several lines");
        assert_eq!(first, "g␊error: h: a");
        assert!(others.lines().all(|line| line.starts_with("  ")), "{text}");
    }

    #[test]
    fn a_long_part_is_cut_and_a_name_stays_on_its_line() {
        let long = "é".repeat(1_000_000);
        let text = Error::file(Path::new("a\n::warning::b"), &long, &long).to_string();
        assert!(text.starts_with("a␊::warning::b: expected éé") && text.len() < 20_000, "{}", text.len());
        assert!(text.ends_with("é [… 1992000 more bytes]"), "{}", &text[text.len() - 40..]);
    }
}
