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

#[cfg(test)]
mod tests {
    use super::effort::MOST;
    use super::*;
    use crate::format::{converted, syntax, template_of, wire};
    use crate::toolsets;

    /// The effort for the starter with these phrases and rules before its own.
    fn effort(phrases: &str, rules: &str) -> usize {
        let mut text = template_of("mine");
        for (before, more) in [("[phrases.task]", phrases), ("[[environment.rule]]", rules)] {
            assert!(text.contains(before), "the starter has no {before}");
            text = text.replacen(before, &format!("{more}{before}"), 1);
        }
        let source = Source::new("mine.toml", &text);
        let file: ScenarioFile = syntax::read(&source, wire::TOP).expect("a readable file");
        let (scenarios, _) = converted(&file, &source, toolsets::catalogue()).expect("a valid file");
        compared(&file, &scenarios, &mut Report::new(&source)).spent()
    }

    #[test]
    fn work_ends_once_all_effort_is_spent() {
        let phrases = format!("[phrases.many]\nany = [{}]\n\n", "\"a\", ".repeat(30_000));
        let rules =
            |count| "[[environment.rule]]\ntool = \"list\"\ntimes = 1\nsays = \"many\"\n\n".repeat(count);
        let spent = effort(&phrases, &rules(40));
        assert!((MOST..MOST + MOST / 50).contains(&spent), "{spent}");
    }

    #[test]
    fn twice_the_text_is_twice_the_effort() {
        let rules = |bytes: usize| {
            let rule = |at| {
                let text = format!("{}{at}", "x".repeat(bytes));
                let when = format!("[{{ argument = \"path\", contains = \"{text}\" }}]");
                format!("[[environment.rule]]\ntool = \"list\"\nwhen = {when}\n\n")
            };
            (10..40).map(rule).collect::<String>()
        };
        let [once, twice] = [2_000, 4_000].map(|bytes| effort("", &rules(bytes)));
        assert!(once > 30 * 29 * 2_000 && twice > once * 19 / 10, "{once} and {twice}");
    }
}
