//! Converts conditions on the world and on a call.

use toml::Spanned;

use super::names::Names;
use super::placeholders::fixed;
use super::report::Report;
use super::roles::unknown_argument;
use super::wire::{ConditionTable, Text};
use crate::scenario::{Condition, Role};
use crate::template::Template;

/// A condition on the world, and within a rule on a call of the role.
pub(super) fn condition(
    table: &Spanned<ConditionTable>,
    call: Option<Role>,
    names: &Names,
    report: &mut Report<'_>,
) -> Condition {
    let it = table.get_ref();
    let Some((key, value)) = key(table, report) else {
        return Condition::Fact(Template { pieces: Vec::new() });
    };
    let main = fixed(value, names, report);
    let contains = it.contains.as_ref().map(|text| (text, fixed(text, names, report)));
    match (key, contains) {
        ("fact", None) => Condition::Fact(main),
        ("no_fact", None) => Condition::NoFact(main),
        ("file", None) => Condition::File(main),
        ("no_file", None) => Condition::NoFile(main),
        ("plan", None) => Condition::Plan(main),
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

/// The one key of a condition, with its text.
fn key<'t>(table: &'t Spanned<ConditionTable>, report: &mut Report<'_>) -> Option<(&'static str, &'t Text)> {
    let it = table.get_ref();
    let given: Vec<(&str, &Text)> = [
        ("fact", &it.fact),
        ("no_fact", &it.no_fact),
        ("file", &it.file),
        ("no_file", &it.no_file),
        ("plan", &it.plan),
        ("record", &it.record),
        ("once", &it.once),
        ("argument", &it.argument),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value.as_ref()?)))
    .collect();
    match given.as_slice() {
        [(key, value)] => Some((*key, *value)),
        [] => {
            report.error(table.span(), "this condition is empty", "expected one key").help(
                "one of `fact`, `no_fact`, `file`, `no_file`, `plan`, `record`, `once`, `argument`; \
                 `contains` goes with `file` or `argument`",
            );
            None
        }
        [(first, _), (second, value), ..] => {
            report
                .error(value.span(), format!("a condition has both `{first}` and `{second}`"), "one too many")
                .help("write two conditions: [{ … }, { … }]");
            None
        }
    }
}
