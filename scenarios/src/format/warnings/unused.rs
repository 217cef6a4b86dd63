//! Names that nothing refers to.

use std::ops::Range;

use crate::format::convert::{actor_table, actors};
use crate::format::report::Report;
use crate::format::used::Used;
use crate::format::wire::{ScenarioFile, Text};

/// Warns of phrases, numbers, pools and parameters that nothing refers to, in the order of the file: of many, only the
/// first are shown.
pub(super) fn names(file: &ScenarioFile, used: &Used, report: &mut Report<'_>) {
    let mut all: Vec<Unused> = phrases(file, used).chain(numbers(file, used)).collect();
    all.extend(pools(file, used));
    all.extend(parameters(file, used));
    all.sort_by_key(|it| it.span.start);
    for Unused { span, message, label, help } in all {
        report.warning(span, message, label).help(help);
    }
}

/// A name that nothing refers to.
struct Unused {
    span: Range<usize>,
    message: String,
    label: &'static str,
    help: &'static str,
}

const REMOVE: &str = "remove it, or use it";

fn phrases(file: &ScenarioFile, used: &Used) -> impl Iterator<Item = Unused> {
    let unused = file.phrases.keys().enumerate().filter(|(at, _)| !used.phrases.contains(at));
    unused.map(|(_, name)| Unused {
        span: name.span(),
        message: format!("the phrase `{}` is never said", name.get_ref()),
        label: "nothing names it",
        help: "remove it, or name it where it should be said",
    })
}

fn numbers(file: &ScenarioFile, used: &Used) -> impl Iterator<Item = Unused> {
    let unused = file.numbers.keys().enumerate().filter(|(at, _)| !used.numbers.contains(at));
    unused.map(|(_, name)| Unused {
        span: name.span(),
        message: format!("the number `{}` is used nowhere", name.get_ref()),
        label: "neither a text nor a bound names it",
        help: REMOVE,
    })
}

fn pools(file: &ScenarioFile, used: &Used) -> Vec<Unused> {
    let mut unused = Vec::new();
    for (at, (name, items)) in file.pool.iter().enumerate() {
        let pool = name.get_ref();
        if used.fields.range((at, 0)..(at + 1, 0)).next().is_none() {
            unused.push(Unused {
                span: name.span(),
                message: format!("the pool `{pool}` is used nowhere"),
                label: "no text names its fields",
                help: REMOVE,
            });
            continue;
        }
        let first = items.get_ref().first();
        let is_field = |key: &&Text| key.get_ref() != "reserve";
        let fields = first.into_iter().flat_map(|item| item.get_ref().keys()).filter(is_field);
        for (_, field) in fields.enumerate().filter(|(field, _)| !used.fields.contains(&(at, *field))) {
            unused.push(Unused {
                span: field.span(),
                message: format!("the field `{}` of the pool `{pool}` is used nowhere", field.get_ref()),
                label: "no text names it",
                help: REMOVE,
            });
        }
    }
    unused
}

fn parameters(file: &ScenarioFile, used: &Used) -> Vec<Unused> {
    let mut unused = Vec::new();
    for (kind, table) in actors(file) {
        let actor = actor_table(kind);
        let parameters = table.get_ref().parameters.keys().enumerate();
        unused.extend(parameters.filter(|(at, _)| !used.parameters.contains(&(actor, *at))).map(
            |(_, name)| Unused {
                span: name.span(),
                message: format!("the parameter `{}` is used nowhere", name.get_ref()),
                label: "no chance names it",
                help: REMOVE,
            },
        ));
    }
    unused
}
