//! The only error type of the program: what was expected where, what was found, and what to do.

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
            write!(f, "{}: ", file.display())?;
        }
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        if !self.expected.is_empty() {
            write!(f, "expected {}, found ", self.expected)?;
        }
        write!(f, "{}", self.found)?;
        if !self.hint.is_empty() {
            write!(f, "\n  hint: {}", self.hint)?;
        }
        Ok(())
    }
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
}
