//! Converts the world: files, facts, rules, the goal, and the person.

use balk_contract::ChoiceKind;
use toml::Spanned;

use super::chances::drawn_or_fixed;
use super::conditions::{About, condition};
use super::messages::{news, reply};
use super::names::Names;
use super::phrases::{of_rule, said};
use super::placeholders::{all_fixed, fixed};
use super::report::Report;
use super::roles::offered_role;
use super::used::Saying;
use super::wire::{EnvironmentTable, GoalTable, RuleTable, UserTable, WriteTable};
use crate::scenario::{AnswerSpec, Condition, EnvironmentSpec, Role, Rule, UserSpec, WriteSpec};

pub(super) const CHOICES: &[(&str, ChoiceKind)] = &[
    ("continue", ChoiceKind::Continue),
    ("instruct", ChoiceKind::Instruct),
    ("switch-model", ChoiceKind::SwitchModel),
    ("constrain", ChoiceKind::Constrain),
    ("report", ChoiceKind::Report),
    ("stop", ChoiceKind::Stop),
];

/// The world before the first turn, and its rules.
pub(super) fn environment(
    table: &EnvironmentTable,
    names: &Names,
    report: &mut Report<'_>,
) -> EnvironmentSpec {
    EnvironmentSpec {
        files: table
            .files
            .iter()
            .map(|(path, content)| (fixed(path, names, report), fixed(content, names, report)))
            .collect(),
        facts: all_fixed(&table.facts, names, report),
        before: table.before.as_ref().map(|it| said(it, Saying::AnyTool, names, report)),
        after: table.after.as_ref().map(|it| said(it, Saying::AnyTool, names, report)),
        rules: table.rule.iter().map(|it| rule(it, names, report)).collect(),
        notifications: table.notification.iter().map(|it| news(it, names, report)).collect(),
    }
}

fn rule(table: &RuleTable, names: &Names, report: &mut Report<'_>) -> Rule {
    let role = offered_role(&table.tool, names, report);
    Rule {
        role,
        when: table.when.iter().map(|it| condition(it, About::Call(role), names, report)).collect(),
        times: table.times.as_ref().map(|times| drawn_or_fixed(times, names, report)),
        fails: table.fails || table.fatal,
        fatal: table.fatal,
        does: table.does.unwrap_or(true),
        takes: table.takes.as_ref().map(|it| drawn_or_fixed(it, names, report)),
        says: table.says.as_ref().map(|phrase| said(phrase, Saying::Tool(role), names, report)),
        sets: all_fixed(&table.sets, names, report),
        clears: all_fixed(&table.clears, names, report),
        writes: table.writes.iter().map(|it| written(it, role, names, report)).collect(),
        deletes: all_fixed(&table.deletes, names, report),
    }
}

/// A file that a rule writes.
fn written(table: &Spanned<WriteTable>, role: Role, names: &Names, report: &mut Report<'_>) -> WriteSpec {
    let it = table.get_ref();
    let (text, appends) = match (&it.content, &it.append) {
        (Some(text), None) => (text, false),
        (None, Some(text)) => (text, true),
        (Some(_), Some(text)) => {
            report
                .error(text.span(), "a file is both written and appended to", "one too many")
                .help("write two entries: [{ … }, { … }]");
            (text, true)
        }
        (None, None) => {
            report
                .error(table.span(), "nothing is written", "expected `content` or `append`")
                .help("`content` takes the place of what the file has, and `append` is added to it");
            (&it.path, false)
        }
    };
    let of_rule = |text, report: &mut Report<'_>| of_rule(text, role, names, report);
    WriteSpec { path: of_rule(&it.path, report), text: of_rule(text, report), appends }
}

/// What must hold at the end.
pub(super) fn goal(table: &GoalTable, names: &Names, report: &mut Report<'_>) -> Vec<Condition> {
    if table.all.get_ref().is_empty() {
        report
            .error(table.all.span(), "the goal is empty", "it would hold from the start")
            .help("for example: all = [{ file = \"notes.md\" }]");
    }
    table.all.get_ref().iter().map(|it| condition(it, About::World, names, report)).collect()
}

/// The person.
pub(super) fn user(table: &UserTable, names: &Names, report: &mut Report<'_>) -> UserSpec {
    let stays_for = table.stays_for.as_ref().map_or(0, |it| *it.get_ref() as usize);
    if let Some(at) = table.stays_for.as_ref().filter(|_| stays_for > table.replies.len()) {
        let count = table.replies.len();
        report
            .error(
                at.span(),
                "the user stays for more replies than they have",
                format!("expected at most {count}"),
            )
            .help("`stays_for` counts replies that are given even when the goal holds");
    }
    UserSpec {
        opening: said(&table.opening, Saying::User, names, report),
        replies: table.replies.iter().map(|it| said(it, Saying::User, names, report)).collect(),
        rules: table.reply.iter().map(|it| reply(it, names, report)).collect(),
        interrupts: table.interrupt.iter().map(|it| news(it, names, report)).collect(),
        stays_for,
        answers: table
            .answer
            .iter()
            .map(|it| AnswerSpec {
                choice: report.one_of("choice", &it.choice, CHOICES),
                says: said(&it.says, Saying::User, names, report),
                sets: all_fixed(&it.sets, names, report),
            })
            .collect(),
    }
}
