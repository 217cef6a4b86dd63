//! `balk live --show`: one trial of a record.

use std::io::Write as _;
use std::path::Path;

use balk_reports::records::PlannedScenario;
use balk_reports::report::show_live;

use crate::bench::Matrix;
use crate::cli::out;
use crate::cli::screen;
use crate::error::Error;
use crate::exit::Exit;
use crate::live::{self, Model, Stop};

/// Parses `SCENARIO:SEED`.
pub(super) fn shown(text: &str) -> Result<(String, u64), String> {
    let (scenario, seed) = text.rsplit_once(':').unwrap_or((text, ""));
    match seed.parse() {
        Ok(seed) => Ok((scenario.to_owned(), seed)),
        Err(_) => Err("expected a scenario and a seed, as in text-only:3".to_owned()),
    }
}

/// Shows one trial of this folder, under the first stack that is not the baseline; under the baseline if there is no
/// other.
pub(super) fn show(
    folder: &Path,
    matrix: &Matrix,
    model: &Model<'_>,
    (scenario, seed): (&str, u64),
) -> Result<Exit, Error> {
    let scenarios = &matrix.plan().scenarios;
    let Some(place) = scenarios.iter().position(|it| it.label() == scenario) else {
        let known: Vec<String> = scenarios.iter().map(PlannedScenario::label).collect();
        let expected = format!("a world of the record: {}", known.join(", "));
        return Err(Error::usage("--show", &expected, format!("`{scenario}`")));
    };
    let stack = usize::from(matrix.plan().stacks.len() > 1);
    let record = live::trial(matrix, model, place, seed, stack).map_err(|stop| match stop {
        Stop::Missing { .. } => Error::usage("--show", "a trial that is in the record", stop),
        Stop::Overflow | Stop::Spent(_) | Stop::Refused(_) | Stop::Unkept(_) => {
            Error::file(folder, "completions as a model gave them", stop)
                .hint("something changed the record; bring it back, or play it anew without --offline")
        }
    })?;
    write!(out::people(), "{}", show_live(&record, screen::output()))?;
    Ok(Exit::Fine)
}
