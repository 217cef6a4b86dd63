//! What is doubtful in a valid file: parts that have no effect, or another one than it seems.

use std::sync::Arc;

use super::diagnostic::Diagnostic;
use super::report::Report;
use super::source::Source;
use super::used::Used;
use super::wire::ScenarioFile;
use crate::scenario::Scenario;
use asked::Asked;
use effort::Effort;

mod asked;
mod effort;
mod facts;
mod readings;
mod rules;
#[cfg(test)]
mod tests;
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
    if compared(file, scenarios, &mut report).is_spent() {
        report
            .warning_of_all(file.name.span(), "not all of this file was looked at", "it is too long for that")
            .help(
                "rules, calls, texts and transitions are compared with each other: write fewer into a file",
            );
    }
    report.into_found()
}

/// Compares the parts of a file with each other. The effort that it took.
fn compared(file: &ScenarioFile, scenarios: &[Arc<Scenario>], report: &mut Report<'_>) -> Effort {
    let mut effort = Effort::default();
    if let Some(scenario) = scenarios.first() {
        let asked = Asked::of(scenario, scenarios);
        rules::rules(file, &asked, &mut effort, report);
        readings::readings(file, &asked, &mut effort, report);
    }
    transitions::transitions(file, scenarios, &mut effort, report);
    effort
}
