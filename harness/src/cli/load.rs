//! Scenarios from the command line: by name or by file, with settings and seeds.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::path::Path;

use balk_scenarios::format::{Diagnostics, Document};
use balk_scenarios::{Scenario, catalogue, toolsets};

use super::say::{complain, say};
use super::screen;
use crate::error::Error;
use crate::exit::Exit;
use crate::program;
use balk_scenarios::nearest;

/// The named sets of scenarios of `--suite`.
pub(super) const SUITES: [&str; 3] = ["all", "stubborn", "control"];

/// The text of a scenario, not yet read.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// Its name in messages.
    file: String,
    /// The whole text.
    pub(super) text: Cow<'static, str>,
}

impl Source {
    /// A scenario of the catalogue, or one in a file, as the positional argument of a command names it.
    pub(super) fn of(target: &str) -> Result<Self, Error> {
        Self::named(target, "SCENARIO", &[])
    }

    /// One scenario of `--suite`.
    pub(super) fn of_suite(target: &str) -> Result<Self, Error> {
        Self::named(target, "--suite", &SUITES)
    }

    /// A scenario asked for at this place of the command line, which also accepts the other names.
    fn named(target: &str, place: &str, others: &[&str]) -> Result<Self, Error> {
        if let Some(listed) = catalogue::find(target) {
            return Ok(Self { file: listed.file.to_owned(), text: listed.text.into() });
        }
        let path = Path::new(target);
        if path.extension().is_none() && !path.exists() {
            let known = catalogue::CATALOGUE.iter().map(|it| it.name).chain(others.iter().copied());
            let list = program::command("list");
            let hint = match nearest(target, known) {
                Some(name) => format!("did you mean `{name}`? `{list}` shows all of them"),
                None => format!("`{list}` shows all of them"),
            };
            return Err(Error::usage(place, "a scenario's name or file", format!("`{target}`")).hint(&hint));
        }
        Self::file(path)
    }

    /// A scenario in a file.
    pub(super) fn file(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::unreadable(path, &error))?;
        Ok(Self { file: path.display().to_string(), text: text.into() })
    }

    /// Reads the scenario, with these settings in place of its own.
    pub(super) fn read(&self, sets: &[(String, String)]) -> Result<Scenario, Diagnostics> {
        self.document(sets)?.scenario(toolsets::catalogue())
    }

    /// The text with these settings applied.
    pub(super) fn document(&self, sets: &[(String, String)]) -> Result<Document, Diagnostics> {
        Document::new(&self.file, &self.text, sets)
    }
}

/// A scenario of the catalogue, or one in a file.
pub(super) fn scenario(target: &str, sets: &[(String, String)]) -> Result<Scenario, Failure> {
    Ok(Source::of(target)?.read(sets)?)
}

/// A scenario in a file.
pub(super) fn file(path: &Path, sets: &[(String, String)]) -> Result<Scenario, Failure> {
    Ok(Source::file(path)?.read(sets)?)
}

/// Why a scenario cannot be used.
pub(super) enum Failure {
    /// The file or a setting is invalid; shown with the source, as compilers do.
    Bad(Diagnostics),
    /// The file cannot be read.
    Other(Error),
}

impl Failure {
    /// Shows an invalid file and returns its exit code; passes any other error on.
    pub(super) fn or_exit(self) -> Result<Exit, Error> {
        match self {
            Self::Bad(_) => Ok(self.shown()),
            Self::Other(error) => Err(error),
        }
    }

    /// Shows the failure, and returns the exit code.
    pub(super) fn shown(self) -> Exit {
        match self {
            Self::Bad(diagnostics) => {
                let text = diagnostics.render(screen::errors().colour);
                say(format_args!("{}", text.trim_end()));
                if diagnostics.are_of_settings() { Exit::Usage } else { Exit::BadFile }
            }
            Self::Other(error) => {
                complain(&error);
                error.exit
            }
        }
    }
}

impl From<Diagnostics> for Failure {
    fn from(bad: Diagnostics) -> Self {
        Self::Bad(bad)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

/// Parses one `--set`.
pub(super) fn set(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.trim().to_owned())),
        _ => Err("expected KEY=VALUE, as in limits.turns=10".into()),
    }
}

/// Parses `A-B`, both ends included.
pub(super) fn seeds(text: &str) -> Result<RangeInclusive<u64>, String> {
    const EXPECTED: &str = "expected two seeds with a dash between them, the smaller first and none above \
                            18446744073709551614, as in 0-99";
    let (from, to) = text.split_once('-').ok_or(EXPECTED)?;
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| EXPECTED);
    let (from, to) = (number(from)?, number(to)?);
    if from > to || to == u64::MAX { Err(EXPECTED.into()) } else { Ok(from..=to) }
}

/// The default seed: a constant, so that everyone's first run is the same.
pub(super) const SEED: u64 = 1024;
