//! Names that nothing refers to.

use crate::format::convert::{actor_table, actors};
use crate::format::report::Report;
use crate::format::used::Used;
use crate::format::wire::{ScenarioFile, Text};

/// Warns of phrases, numbers, pools and parameters that nothing refers to.
pub(super) fn names(file: &ScenarioFile, used: &Used, report: &mut Report<'_>) {
    for (_, name) in file.phrases.keys().enumerate().filter(|(at, _)| !used.phrases.contains(at)) {
        report
            .warning(
                name.span(),
                format!("the phrase `{}` is never said", name.get_ref()),
                "nothing names it",
            )
            .help("remove it, or name it where it should be said");
    }
    for (_, name) in file.numbers.keys().enumerate().filter(|(at, _)| !used.numbers.contains(at)) {
        let message = format!("the number `{}` is used nowhere", name.get_ref());
        report.warning(name.span(), message, "neither a text nor a bound names it").help(REMOVE);
    }
    pools(file, used, report);
    for (kind, table) in actors(file) {
        let actor = actor_table(kind);
        let parameters = table.get_ref().parameters.keys().enumerate();
        for (_, name) in parameters.filter(|(at, _)| !used.parameters.contains(&(actor, *at))) {
            let message = format!("the parameter `{}` is used nowhere", name.get_ref());
            report.warning(name.span(), message, "no chance names it").help(REMOVE);
        }
    }
}

fn pools(file: &ScenarioFile, used: &Used, report: &mut Report<'_>) {
    for (at, (name, items)) in file.pool.iter().enumerate() {
        let pool = name.get_ref();
        if used.fields.range((at, 0)..(at + 1, 0)).next().is_none() {
            report
                .warning(
                    name.span(),
                    format!("the pool `{pool}` is used nowhere"),
                    "no text names its fields",
                )
                .help(REMOVE);
            continue;
        }
        let first = items.get_ref().first();
        let is_field = |key: &&Text| key.get_ref() != "reserve";
        let fields = first.into_iter().flat_map(|item| item.get_ref().keys()).filter(is_field);
        for (_, field) in fields.enumerate().filter(|(field, _)| !used.fields.contains(&(at, *field))) {
            let message = format!("the field `{}` of the pool `{pool}` is used nowhere", field.get_ref());
            report.warning(field.span(), message, "no text names it").help(REMOVE);
        }
    }
}

const REMOVE: &str = "remove it, or use it";
