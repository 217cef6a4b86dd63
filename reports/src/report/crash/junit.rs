//! The report as JUnit XML: a suite for each scenario, a test case for each run.
//!
//! A case fails if the run was silent, ran on or crashed, or if the agent disturbed healthy work. A run that could not
//! be played is skipped. There are no times and no dates: the same record gives the same bytes.

use quick_junit::{NonSuccessKind, Report as Suites, TestCase, TestCaseStatus, TestSuite};

use super::happened::happened;
use super::tables::{Report, RunRow, ScenarioRuns};
use crate::records::crash::Word;
use crate::report::junit::written;

/// The report.
///
/// # Panics
/// Never: the writer writes text to memory.
#[must_use]
pub fn render(report: &Report) -> String {
    let mut suites = Suites::new("balk crash");
    for scenario in &report.scenarios {
        let mut suite = TestSuite::new(&*scenario.scenario);
        suite.add_test_cases(scenario.runs.iter().map(|it| case(scenario, it)));
        suites.add_test_suite(suite);
    }
    written(&suites)
}

fn case(scenario: &ScenarioRuns, run: &RunRow) -> TestCase {
    let word = run.verdict.word;
    let happened = happened(&run.verdict).plain();
    let failed = |what: &str| {
        let mut failure = TestCaseStatus::non_success(NonSuccessKind::Failure);
        failure.set_type("gate").set_message(what);
        if !happened.is_empty() {
            failure.set_description(&*happened);
        }
        failure
    };
    let status = match word {
        Word::NotRun => {
            let mut skipped = TestCaseStatus::skipped();
            skipped.set_message(&*happened);
            skipped
        }
        Word::Silent => failed("silent: it ended without the goal and without a word"),
        Word::RanOn => failed("ran-on: it went on until a bound stopped it"),
        Word::Crashed => failed("crashed: its own program broke"),
        Word::Reached | Word::Told if run.false_alarm => failed("false-alarm: it disturbed healthy work"),
        Word::Reached | Word::Told => TestCaseStatus::success(),
    };
    let mut case = TestCase::new(format!("{} seed {}", run.agent, run.seed), status);
    case.set_classname(&*scenario.scenario).set_system_out(&*run.transcript);
    case
}
