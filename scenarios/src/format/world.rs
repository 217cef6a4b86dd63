//! Converts the world: files, facts, rules, the goal, and the person.

use balk_contract::ChoiceKind;
use toml::Spanned;

use super::names::Names;
use super::phrases::{Saying, said};
use super::placeholders::fixed;
use super::report::Report;
use super::roles::{offered_role, unknown_argument};
use super::wire::{ConditionTable, EnvironmentTable, GoalTable, RuleTable, Text, UserTable};
use crate::scenario::{AnswerSpec, Condition, EnvironmentSpec, Role, Rule, UserSpec};
use crate::template::Template;

const CHOICES: &[(&str, ChoiceKind)] = &[
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
        rules: table.rule.iter().map(|it| rule(it, names, report)).collect(),
    }
}

fn rule(table: &RuleTable, names: &Names, report: &mut Report<'_>) -> Rule {
    let role = offered_role(&table.tool, names, report);
    if let Some(times) = table.times.as_ref().filter(|times| *times.get_ref() == 0) {
        report.error(times.span(), "this rule never applies", "expected at least 1");
    }
    Rule {
        role,
        when: table.when.iter().map(|it| condition(it, Some(role), names, report)).collect(),
        times: table.times.as_ref().map(|times| *times.get_ref()),
        fails: table.fails || table.fatal,
        fatal: table.fatal,
        says: table.says.as_ref().map(|phrase| said(phrase, Saying::Tool(role), names, report)),
        sets: all_fixed(&table.sets, names, report),
        clears: all_fixed(&table.clears, names, report),
    }
}

/// What must hold at the end.
pub(super) fn goal(table: &GoalTable, names: &Names, report: &mut Report<'_>) -> Vec<Condition> {
    if table.all.get_ref().is_empty() {
        report
            .error(table.all.span(), "the goal is empty", "it would hold from the start")
            .help("for example: all = [{ file = \"notes.md\" }]");
    }
    table.all.get_ref().iter().map(|it| condition(it, None, names, report)).collect()
}

/// A condition on the world, and within a rule on a call of the role.
fn condition(
    table: &Spanned<ConditionTable>,
    call: Option<Role>,
    names: &Names,
    report: &mut Report<'_>,
) -> Condition {
    let it = table.get_ref();
    let given: Vec<(&str, &Text)> = [
        ("fact", &it.fact),
        ("no_fact", &it.no_fact),
        ("file", &it.file),
        ("no_file", &it.no_file),
        ("record", &it.record),
        ("once", &it.once),
        ("argument", &it.argument),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value.as_ref()?)))
    .collect();
    let (key, value) = match given.as_slice() {
        [(key, value)] => (*key, *value),
        [] => {
            report.error(table.span(), "this condition is empty", "expected one key").help(
                "one of `fact`, `no_fact`, `file`, `no_file`, `record`, `once`, `argument`; `contains` goes \
                     with `file` or `argument`",
            );
            return Condition::Fact(Template { pieces: Vec::new() });
        }
        [(first, _), (second, value), ..] => {
            report
                .error(value.span(), format!("a condition has both `{first}` and `{second}`"), "one too many")
                .help("write two conditions: [{ … }, { … }]");
            return Condition::Fact(Template { pieces: Vec::new() });
        }
    };
    let main = fixed(value, names, report);
    let contains = it.contains.as_ref().map(|text| (text, fixed(text, names, report)));
    match (key, contains) {
        ("fact", None) => Condition::Fact(main),
        ("no_fact", None) => Condition::NoFact(main),
        ("file", None) => Condition::File(main),
        ("no_file", None) => Condition::NoFile(main),
        ("record", None) => Condition::Record(main),
        ("once", None) => Condition::Once(main),
        ("file", Some((_, text))) => Condition::FileContains(main, text),
        ("argument", Some((_, text))) => {
            check_argument(value, call, report);
            Condition::ArgumentContains(value.get_ref().clone(), text)
        }
        ("argument", None) => {
            report
                .error(
                    table.span(),
                    "`contains` is missing",
                    "expected the text to compare the argument with",
                )
                .help("for example: { argument = \"command\", contains = \"pip install\" }");
            Condition::File(main)
        }
        (_, contains) => {
            if let Some((text, _)) = contains {
                report
                    .error(text.span(), format!("`contains` does not go with `{key}`"), "has no meaning here")
                    .help("`contains` goes with `file` or `argument`");
            }
            Condition::Fact(main)
        }
    }
}

fn check_argument(name: &Text, call: Option<Role>, report: &mut Report<'_>) {
    let Some(role) = call else {
        report
            .error(name.span(), "the goal is not about a call", "`argument` is a condition of rules")
            .help("let a rule set a fact, and use the fact here: all = [{ fact = \"…\" }]");
        return;
    };
    if !role.has_argument(name.get_ref()) {
        unknown_argument(name, role, report);
    }
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

fn all_fixed(texts: &[Text], names: &Names, report: &mut Report<'_>) -> Vec<Template> {
    texts.iter().map(|text| fixed(text, names, report)).collect()
}
