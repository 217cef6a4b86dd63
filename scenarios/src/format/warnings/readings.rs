//! Answers that the actor takes for the opposite of what they are.

use std::borrow::Cow;
use std::sync::Arc;

use super::asked::{calls, fits, sent, worlds};
use crate::format::report::Report;
use crate::format::wire::ScenarioFile;
use crate::scenario::{PhraseId, Role, Rule, Scenario};
use crate::world::World;
use balk_contract::reading::Reading;

/// Warns of answers of rules, and of files, that read as the opposite of what they are.
pub(super) fn readings(file: &ScenarioFile, scenarios: &[Arc<Scenario>], report: &mut Report<'_>) {
    let Some(scenario) = scenarios.first() else { return };
    let worlds = worlds(scenario);
    for (rule, table) in scenario.environment.rules.iter().zip(&file.environment.rule) {
        let Some((phrase, says)) = rule.says.zip(table.says.as_ref()) else {
            if rule.fails {
                report
                    .warning(table.tool.span(), READS_AS_SUCCESS, "the call fails, and the tool says nothing")
                    .help("the actor reads only words: let the rule say what is wrong with `says`");
            }
            continue;
        };
        let asked = calls(scenarios, rule.role);
        let misread = worlds.iter().find_map(|world| misread(world, rule, phrase, &asked));
        if let Some(text) = misread {
            let (message, help) = if rule.fails {
                (READS_AS_SUCCESS, "the actor reads only words: say that it failed, for example \"error: …\"")
            } else {
                (READS_AS_FAILURE, "the actor reads only words: say it in others, or let the rule fail")
            };
            report
                .warning(says.span(), message, format!("such as \"{}\"", shortened(&text)))
                .help(help)
                .help("`balk texts` shows how messages of real tools are read");
        }
    }
    files(file, scenarios, &worlds, report);
}

const READS_AS_SUCCESS: &str = "the actor takes this failing answer for a success";
const READS_AS_FAILURE: &str = "the actor takes this successful answer for a failure";

/// The first answer of the rule that reads as the opposite, for one of these calls.
fn misread(
    world: &World,
    rule: &Rule,
    phrase: PhraseId,
    asked: &[Option<&[crate::scenario::template::Template]>],
) -> Option<String> {
    let fitting = asked.iter().flatten().filter(|it| fits(world, rule, Some(it)));
    let mut all: Vec<_> = fitting.map(|it| sent(world, rule.role, it)).collect();
    if all.is_empty() {
        all.push(Vec::new());
    }
    all.iter().find_map(|arguments| {
        let arguments: Vec<(&str, &str)> = arguments.iter().map(|(name, it)| (*name, it.as_str())).collect();
        let mut answers = world.answers(phrase, &arguments).into_iter();
        answers.find(|answer| Reading::of(&around(world, answer)).failed != rule.fails)
    })
}

/// The answer, with what stands before and after every one.
fn around<'t>(world: &World, answer: &'t str) -> Cow<'t, str> {
    let spec = &world.scenario().environment;
    let first = |phrase: Option<PhraseId>| phrase.and_then(|it| world.answers(it, &[]).into_iter().next());
    match (first(spec.before), first(spec.after)) {
        (None, None) => Cow::Borrowed(answer),
        (before, after) => {
            let lines = [before.as_deref(), Some(answer), after.as_deref()];
            Cow::Owned(lines.into_iter().flatten().collect::<Vec<_>>().join("\n"))
        }
    }
}

/// Warns of files that an actor reads, and takes for a failure.
fn files(file: &ScenarioFile, scenarios: &[Arc<Scenario>], worlds: &[Arc<World>], report: &mut Report<'_>) {
    let Some(scenario) = scenarios.first() else { return };
    let is_answered = scenario.environment.rules.iter().any(|it| it.role == Role::Read && it.says.is_some());
    if is_answered {
        return;
    }
    let asked = calls(scenarios, Role::Read);
    for ((path, content), (_, table)) in scenario.environment.files.iter().zip(&file.environment.files) {
        let misread = worlds.iter().any(|world| {
            let (path, content) = (world.fixed(path), world.fixed(content));
            let mut read = asked.iter().flatten().flat_map(|it| sent(world, Role::Read, it));
            read.any(|(_, it)| *it == *path) && Reading::of(&content).failed
        });
        if misread {
            report
                .warning(
                    table.span(),
                    "an actor that reads this file takes it for a failure",
                    "its words say so",
                )
                .help("say it in other words, or let a rule answer the reading");
        }
    }
}

/// The first line that says something, without its end where it is long.
fn shortened(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

const SHOWN: usize = 60;
