//! The effort that warnings take. Nothing here looks at a clock.

use super::compared;
use super::effort::MOST;
use crate::format::report::Report;
use crate::format::source::Source;
use crate::format::wire::ScenarioFile;
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
    let rules = |count| "[[environment.rule]]\ntool = \"list\"\ntimes = 1\nsays = \"many\"\n\n".repeat(count);
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
