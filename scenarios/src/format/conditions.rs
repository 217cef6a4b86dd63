//! Converts conditions on the world and on a call.

use toml::Spanned;

use super::chances::drawn_or_fixed;
use super::names::Names;
use super::placeholders::fixed;
use super::report::Report;
use super::roles::unknown_argument;
use super::wire::{ConditionTable, Text};
use crate::scenario::template::Template;
use crate::scenario::{Condition, Role};

/// What a condition can be about, beside the world.
#[derive(Clone, Copy, Debug)]
pub(super) enum About {
    /// Nothing else.
    World,
    /// A call of this role.
    Call(Role),
    /// A message without a call.
    Message,
}

/// A condition on the world, and on what it may be about beside it.
pub(super) fn condition(
    table: &Spanned<ConditionTable>,
    about: About,
    names: &Names,
    report: &mut Report<'_>,
) -> Condition {
    let it = table.get_ref();
    let Some((key, value)) = key(table, report) else {
        return Condition::Fact(Template { pieces: Vec::new() });
    };
    let main = fixed(value, names, report);
    if let Some(lasts) = it.lasts.as_ref().filter(|_| key != "fact") {
        report
            .error(lasts.span(), format!("`for` does not go with `{key}`"), "has no meaning here")
            .help("`for` goes with `fact`: it has held for so many seconds");
    }
    let contains = it.contains.as_ref().map(|text| (text, fixed(text, names, report)));
    match (key, contains) {
        ("fact", None) => match &it.lasts {
            None => Condition::Fact(main),
            Some(seconds) => Condition::FactFor(main, drawn_or_fixed(seconds, names, report)),
        },
        ("said", None) => {
            check_said(value, about, report);
            Condition::ArgumentContains("said".to_owned(), main)
        }
        ("no_fact", None) => Condition::NoFact(main),
        ("file", None) => Condition::File(main),
        ("no_file", None) => Condition::NoFile(main),
        ("plan", None) => Condition::Plan(main),
        ("record", None) => Condition::Record(main),
        ("once", None) => Condition::Once(main),
        ("file", Some((_, text))) => Condition::FileContains(main, text),
        ("argument", Some((_, text))) => {
            check_argument(value, about, report);
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

fn check_said(text: &Text, about: About, report: &mut Report<'_>) {
    match about {
        About::Message => {}
        About::World | About::Call(_) => {
            report
                .error(text.span(), "nothing is said here", "`said` is a condition of `[[user.reply]]`")
                .help("an actor's own words are never a condition of the world");
        }
    }
}

fn check_argument(name: &Text, about: About, report: &mut Report<'_>) {
    let About::Call(role) = about else {
        let message = match about {
            About::World => "the goal is not about a call",
            About::Message | About::Call(_) => "a message without a call has no arguments",
        };
        report
            .error(name.span(), message, "`argument` is a condition of rules")
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
        ("said", &it.said),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value.as_ref()?)))
    .collect();
    match given.as_slice() {
        [(key, value)] => Some((*key, *value)),
        [] => {
            report.error(table.span(), "this condition is empty", "expected one key").help(
                "one of `fact`, `no_fact`, `file`, `no_file`, `plan`, `record`, `once`, `argument`, `said`; `contains` \
                 goes with `file` or `argument`, and `for` with `fact`",
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
