//! `--format`: for people or for programs.

use std::io::Write;

use clap::ValueEnum;

use super::out;

/// How a result is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

/// How a result is written that can also be a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Medium {
    /// For people
    Text,
    /// For programs
    Json,
    /// For people with a browser: one file, which asks for nothing else
    Html,
}

impl Format {
    /// Standard output for it.
    pub(super) fn output(self) -> Box<dyn Write + Send> {
        match self {
            Self::Text => out::people(),
            Self::Json => out::json(),
        }
    }
}

impl Medium {
    /// Standard output for it.
    pub(super) fn output(self) -> Box<dyn Write + Send> {
        match self {
            Self::Text => out::people(),
            Self::Json => out::json(),
            Self::Html => out::markup(),
        }
    }
}
