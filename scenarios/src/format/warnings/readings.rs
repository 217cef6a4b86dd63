//! Answers that the actor takes for the opposite of what they are.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::asked::{Asked, Sends, fits, sent};
use super::effort::Effort;
use crate::format::report::Report;
use crate::format::wire::ScenarioFile;
use crate::scenario::{PhraseId, Role, Rule};
use crate::world::World;
use balk_contract::reading::Reading;

/// Warns of answers of rules, and of files, that read as the opposite of what they are.
pub(super) fn readings(file: &ScenarioFile, asked: &Asked<'_>, effort: &mut Effort, report: &mut Report<'_>) {
    for (rule, table) in asked.scenario.environment.rules.iter().zip(&file.environment.rule) {
        if effort.is_spent() {
            return;
        }
        let Some((phrase, says)) = rule.says.zip(table.says.as_ref()) else {
            if rule.fails {
                report
                    .warning(table.tool.span(), READS_AS_SUCCESS, "the call fails, and the tool says nothing")
                    .help("the actor reads only words: let the rule say what is wrong with `says`");
            }
            continue;
        };
        let calls = asked.calls(rule.role);
        let misread = asked.worlds.iter().find_map(|world| misread(world, rule, phrase, calls, effort));
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
    files(file, asked, effort, report);
}

const READS_AS_SUCCESS: &str = "the actor takes this failing answer for a success";
const READS_AS_FAILURE: &str = "the actor takes this successful answer for a failure";

/// The first answer of the rule that reads as the opposite, for one of these calls.
fn misread(
    world: &World,
    rule: &Rule,
    phrase: PhraseId,
    calls: &[Sends<'_>],
    effort: &mut Effort,
) -> Option<String> {
    let mut is_asked = false;
    for arguments in calls.iter().flatten() {
        if effort.is_spent() {
            return None;
        }
        if fits(world, rule, Some(arguments), effort) {
            is_asked = true;
            let sent = sent(world, rule.role, arguments, effort);
            let answer = misread_answer(world, rule, phrase, &sent, effort);
            if answer.is_some() {
                return answer;
            }
        }
    }
    if is_asked || effort.is_spent() { None } else { misread_answer(world, rule, phrase, &[], effort) }
}

/// The first answer of the rule that reads as the opposite, for a call with these arguments.
fn misread_answer(
    world: &World,
    rule: &Rule,
    phrase: PhraseId,
    arguments: &[(&str, String)],
    effort: &mut Effort,
) -> Option<String> {
    let arguments: Vec<(&str, &str)> = arguments.iter().map(|(name, it)| (*name, it.as_str())).collect();
    for answer in world.answers(phrase, &arguments) {
        let whole = around(world, &answer);
        if !effort.spend(whole.len() + ANSWER) {
            return None;
        }
        if Reading::of(&whole).failed != rule.fails {
            return Some(answer);
        }
    }
    None
}

/// To write and to read an answer takes as much as this many bytes, however short it is.
const ANSWER: usize = 100;

/// The answer, with what stands before and after every one.
fn around<'t>(world: &World, answer: &'t str) -> Cow<'t, str> {
    let spec = &world.scenario().environment;
    let first = |phrase: Option<PhraseId>| phrase.and_then(|it| world.answers(it, &[]).next());
    match (first(spec.before), first(spec.after)) {
        (None, None) => Cow::Borrowed(answer),
        (before, after) => {
            let lines = [before.as_deref(), Some(answer), after.as_deref()];
            Cow::Owned(lines.into_iter().flatten().collect::<Vec<_>>().join("\n"))
        }
    }
}

/// Warns of files that an actor reads, and takes for a failure.
fn files(file: &ScenarioFile, asked: &Asked<'_>, effort: &mut Effort, report: &mut Report<'_>) {
    let environment = &asked.scenario.environment;
    let is_answered = environment.rules.iter().any(|it| it.role == Role::Read && it.says.is_some());
    if is_answered {
        return;
    }
    let mut misread = vec![false; environment.files.len()];
    for world in &asked.worlds {
        let mut read = BTreeSet::new();
        for arguments in asked.calls(Role::Read).iter().flatten() {
            read.extend(sent(world, Role::Read, arguments, effort).into_iter().map(|(_, it)| it));
            if effort.is_spent() {
                return;
            }
        }
        for ((path, content), misread) in environment.files.iter().zip(&mut misread) {
            if !read.contains(&*world.fixed(path)) {
                continue;
            }
            let content = world.fixed(content);
            if !effort.spend(content.len()) {
                return;
            }
            *misread |= Reading::of(&content).failed;
        }
    }
    for ((_, table), misread) in file.environment.files.iter().zip(misread) {
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
