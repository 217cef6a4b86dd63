//! A report as JUnit XML: a suite for each scenario, a test case for each stack.
//!
//! A case fails if its cell fails a gate; its output is the command that shows one of its trials. A cell without trials
//! is skipped. There are no times and no dates: the same record gives the same bytes.

use std::collections::BTreeMap;

use quick_junit::{NonSuccessKind, Report as Suites, TestCase, TestCaseStatus, TestSuite};

use super::document::visible;
use super::tables::{Report, ScenarioRow, ScenarioTable};
use crate::records::{Lapse, is_under_test};

/// A gate that a cell fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedGate {
    /// The scenario, as in the report.
    pub scenario: String,
    /// The stack, as on the command line.
    pub stack: String,
    /// What was found, in one line.
    pub message: String,
    /// The command that shows it; without one, the output is the command for the cell's first trial.
    pub command: Option<String>,
}

/// The failures without gates: an effect that was repeated, or a guard that broke. The baseline and the oracle are
/// not under test.
#[must_use]
pub fn safety(report: &Report) -> Vec<FailedGate> {
    let grave = report.lapses.iter().filter(|it| match it.lapse {
        Lapse::DoneTwice | Lapse::GuardFault => is_under_test(&it.stack),
        Lapse::NotTold | Lapse::FalseIntervention => false,
    });
    grave
        .map(|it| FailedGate {
            scenario: it.scenario.clone(),
            stack: it.stack.clone(),
            message: format!("{} in {} of {} trials", it.lapse.name(), it.count, it.trials),
            command: Some(it.command.clone()),
        })
        .collect()
}

/// The report, with these gates as failures.
///
/// # Panics
/// Never: the writer writes text to memory.
#[must_use]
pub fn render(report: &Report, failed: &[FailedGate]) -> String {
    let mut suites = Suites::new(if report.live.is_some() { "balk live" } else { "balk bench" });
    let mut by_cell: BTreeMap<[&str; 2], Vec<&FailedGate>> = BTreeMap::new();
    for it in failed {
        by_cell.entry([&it.scenario, &it.stack]).or_default().push(it);
    }
    for table in &report.scenarios {
        let mut suite = TestSuite::new(&*table.scenario);
        suite.add_test_cases(table.rows.iter().map(|row| {
            let gates = by_cell.get(&[&*table.scenario, &*row.stack]);
            case(table, row, gates.map_or(&[], Vec::as_slice))
        }));
        suites.add_test_suite(suite);
    }
    written(&suites)
}

/// The XML, with a line break at the end. The writer escapes what is markup and drops control characters; noncharacters
/// are in no well-formed document either.
pub(super) fn written(suites: &Suites) -> String {
    let text = suites.to_string().expect("writing text to memory cannot fail");
    let text = visible(&text).into_owned();
    if text.ends_with('\n') { text } else { text + "\n" }
}

/// The case of a cell; it fails these gates.
fn case(table: &ScenarioTable, row: &ScenarioRow, gates: &[&FailedGate]) -> TestCase {
    let status = match (row.counts.trials, gates) {
        (0, _) => {
            let mut skipped = TestCaseStatus::skipped();
            skipped.set_message("no trial ran");
            skipped
        }
        (_, []) => TestCaseStatus::success(),
        (_, [first, ..]) => {
            let mut failure = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let all: Vec<&str> = gates.iter().map(|it| &*it.message).collect();
            failure.set_type("gate").set_message(&*first.message).set_description(all.join("\n"));
            failure
        }
    };
    let mut case = TestCase::new(&*row.stack, status);
    case.set_classname(&*table.scenario);
    let shown: Vec<&str> = gates.iter().filter_map(|it| it.command.as_deref()).collect();
    let shown = if shown.is_empty() { row.command.iter().map(|it| &**it).collect() } else { shown };
    if !shown.is_empty() {
        case.set_system_out(shown.join("\n"));
    }
    case
}
