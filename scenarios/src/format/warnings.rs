//! What is doubtful in a valid file: parts that have no effect, or another one than it seems.

use std::sync::Arc;

use super::diagnostic::Diagnostic;
use super::report::Report;
use super::source::Source;
use super::used::Used;
use super::wire::ScenarioFile;
use crate::scenario::Scenario;

mod asked;
mod facts;
mod readings;
mod rules;
mod transitions;
mod unused;

/// The warnings about a file, in the order of the file.
pub(super) fn warnings(
    file: &ScenarioFile,
    scenarios: &[Arc<Scenario>],
    used: &Used,
    source: &Source,
) -> Vec<Diagnostic> {
    let mut report = Report::new(source);
    unused::names(file, used, &mut report);
    facts::facts(file, scenarios, &mut report);
    rules::rules(file, scenarios, &mut report);
    readings::readings(file, scenarios, &mut report);
    transitions::transitions(file, scenarios, &mut report);
    report.into_found()
}
