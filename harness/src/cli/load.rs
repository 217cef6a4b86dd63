//! Scenarios from the command line: by name or by file, with settings and seeds.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use balk_reports::records::{SEEDS_MAX, Suite};
use balk_scenarios::drawn::{self, Target};
use balk_scenarios::format::{self, Diagnostics, Document};
use balk_scenarios::{Kind, Scenario, Worlds, catalogue, toolsets};
use clap::builder::TypedValueParser;

use super::say::{complain, say};
use super::screen;
use crate::error::Error;
use crate::exit::Exit;
use crate::input;
use crate::program;
use balk_scenarios::nearest;

/// The named sets of scenarios of `--suite`.
pub(super) const SUITES: [&str; 4] = ["all", "stubborn", "control", FIELD];

/// The name of the field suite.
pub(super) const FIELD: &str = Suite::Field.name();

/// The text of a scenario, not yet read.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// What names it on the command line.
    pub(super) target: String,
    /// Its name in messages.
    file: String,
    /// The whole text.
    pub(super) text: Cow<'static, str>,
    /// Which of the file's actors plays.
    kind: Kind,
}

impl Source {
    /// A scenario of the catalogue, or one in a file, as the positional argument of a command names it. Of a file, it
    /// is the stubborn scenario unless `FILE#NAME` names another one.
    pub(super) fn of(target: &str) -> Result<Self, Error> {
        let all = Self::named(target, "SCENARIO", &[])?;
        Ok(all.into_iter().next().expect("a target names a scenario"))
    }

    /// What `--suite` names: a scenario of the catalogue, or those in a file.
    pub(super) fn of_suite(target: &str) -> Result<Vec<Self>, Error> {
        Self::named(target, "--suite", &SUITES)
    }

    /// Scenarios asked for at this place of the command line, which also accepts the other names. There is at least
    /// one.
    fn named(target: &str, place: &str, others: &[&str]) -> Result<Vec<Self>, Error> {
        if let Some(listed) = catalogue::find(target) {
            return Ok(vec![Self {
                target: target.to_owned(),
                file: listed.file.to_owned(),
                text: listed.text.into(),
                kind: listed.kind,
            }]);
        }
        let path = Path::new(target);
        if path.exists() {
            return Self::in_file(path);
        }
        if let Some((path, name)) = target.rsplit_once(OF_FILE) {
            return Self::one_in_file(Path::new(path), name, place);
        }
        if path.extension().is_none() {
            let written = catalogue::listed().map(|it| it.name).chain(others.iter().copied());
            let known: Vec<String> = written.map(str::to_owned).chain(drawn::names()).collect();
            let list = program::command("list");
            let hint = match nearest(target, known.iter().map(String::as_str)) {
                Some(name) => format!("did you mean `{name}`? `{list}` shows all of them"),
                None => format!("`{list}` shows all of them"),
            };
            return Err(Error::usage(place, "a scenario's name or file", format!("`{target}`")).hint(&hint));
        }
        Self::in_file(path)
    }

    /// The scenarios in a file, at least one. A text that is not a scenario file counts as one, and reading it shows
    /// what is wrong with it.
    fn in_file(path: &Path) -> Result<Vec<Self>, Error> {
        let text = input::text(path)?;
        let file = path.display().to_string();
        let mut names = format::names(&text);
        if names.is_empty() {
            names.push((String::new(), Kind::Stubborn));
        }
        let target = |nth: usize, name: &str| {
            if nth == 0 { file.clone() } else { format!("{file}{OF_FILE}{name}") }
        };
        let source = |(nth, (name, kind)): (usize, (String, Kind))| Self {
            target: target(nth, &name),
            file: file.clone(),
            text: text.clone().into(),
            kind,
        };
        Ok(names.into_iter().enumerate().map(source).collect())
    }

    /// The scenario of this name in a file.
    fn one_in_file(path: &Path, name: &str, place: &str) -> Result<Vec<Self>, Error> {
        let all = Self::in_file(path)?;
        let names: Vec<String> = format::names(&all[0].text).into_iter().map(|(name, _)| name).collect();
        match names.iter().position(|it| it == name) {
            Some(nth) => Ok(vec![all[nth].clone()]),
            None => {
                let known = format!("the name of a scenario in {}: {}", path.display(), names.join(" or "));
                Err(Error::usage(place, &known, format!("`{name}`")))
            }
        }
    }

    /// Reads the scenario, with these settings in place of its own.
    pub(super) fn read(&self, sets: &[(String, String)]) -> Result<Arc<Scenario>, Diagnostics> {
        self.document(sets)?.scenario(toolsets::catalogue())
    }

    /// The text with these settings applied.
    pub(super) fn document(&self, sets: &[(String, String)]) -> Result<Document, Diagnostics> {
        Document::new(&self.file, &self.text, self.kind, sets)
    }
}

/// Whether this names a scenario of the catalogue or drawn worlds, and no file.
pub(super) fn is_ours(target: &str) -> bool {
    catalogue::find(target).is_some() || Target::find(target).is_some()
}

/// Between a file and the name of a scenario in it.
const OF_FILE: char = '#';

/// What a target names: drawn worlds, or the text of a scenario.
pub(super) enum Named {
    /// Drawn worlds.
    Drawn(Target),
    /// A scenario of the catalogue, or one in a file.
    Written(Source),
}

impl Named {
    /// What the positional argument of a command names.
    pub(super) fn one(target: &str) -> Result<Self, Error> {
        Target::find(target).map_or_else(|| Source::of(target).map(Self::Written), |it| Ok(Self::Drawn(it)))
    }

    /// What one name of `--suite` means.
    pub(super) fn all(target: &str) -> Result<Vec<Self>, Error> {
        match Target::find(target) {
            Some(drawn) => Ok(vec![Self::Drawn(drawn)]),
            None => Ok(Source::of_suite(target)?.into_iter().map(Self::Written).collect()),
        }
    }

    /// As it is named on the command line.
    pub(super) fn target(&self) -> String {
        match self {
            Self::Drawn(target) => target.name(),
            Self::Written(source) => source.target.clone(),
        }
    }

    /// Where it comes from.
    pub(super) fn suite(&self) -> Suite {
        match self {
            Self::Drawn(_) => Suite::Drawn,
            Self::Written(source) => catalogue::find(&source.target).map_or(Suite::File, |it| it.suite),
        }
    }

    /// The text that it depends on.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Drawn(_) => drawn::text(),
            Self::Written(source) => source.text.to_string(),
        }
    }

    /// What seeds are played on, with these settings in place of the values in a file.
    pub(super) fn read(&self, sets: &[(String, String)]) -> Result<Worlds, Failure> {
        match (self, sets) {
            (Self::Written(source), _) => Ok(source.read(sets)?.into()),
            (Self::Drawn(target), []) => Ok((*target).into()),
            (Self::Drawn(target), [(key, _), ..]) => {
                let found = format!("`{key}` for `{}`", target.name());
                Err(Error::usage("--set", "a value in the file of a scenario", found).into())
            }
        }
    }
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

/// Checks that each value is set once: a reader of the command could not say which one counts.
///
/// # Errors
/// One is set twice.
pub(super) fn check_once(set: &[(String, String)]) -> Result<(), Error> {
    let again = (0..set.len()).find(|&at| set[..at].iter().any(|it| it.0 == set[at].0));
    match again {
        None => Ok(()),
        Some(at) => Err(Error::usage("--set", "each value once", format!("`{}` twice", set[at].0))),
    }
}

/// Parses one `--env`.
pub(super) fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE, as in OPENAI_BASE_URL={url}/v1".into()),
    }
}

/// Parses `A-B`, both ends included.
pub(super) fn seeds(text: &str) -> Result<RangeInclusive<u64>, String> {
    const EXPECTED: &str = "expected two seeds with a dash between them, the smaller first, none below 0 and \
                            none above 18446744073709551614, as in 0-99";
    let (from, to) = text.split_once('-').ok_or(EXPECTED)?;
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| EXPECTED);
    let (from, to) = (number(from)?, number(to)?);
    if from > to || to == u64::MAX {
        return Err(EXPECTED.into());
    }
    if to - from >= SEEDS_MAX {
        return Err(format!("expected at most {SEEDS_MAX} seeds, found more"));
    }
    Ok(from..=to)
}

/// Parses a number of trials.
pub(super) fn trials() -> impl TypedValueParser<Value = u64> {
    clap::value_parser!(u64).range(1..=SEEDS_MAX)
}

/// Parses a seed.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    let expected = || format!("expected a whole number from 0 to {}, as in {SEED}", u64::MAX);
    text.trim().parse().map_err(|_| expected())
}

/// The default seed: a constant, so that everyone's first run is the same.
pub(super) const SEED: u64 = 1024;
