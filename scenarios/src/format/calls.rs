//! Converts the calls of a state.

use toml::Spanned;

use super::names::{Names, PlaceholderKind, check_filled};
use super::phrases::no_steps;
use super::placeholders::template;
use super::report::{Report, listed};
use super::roles::{offered_role, role_name, unknown_argument};
use super::wire::{CallTable, Text};
use crate::scenario::template::Template;
use crate::scenario::{CallSpec, Called, Role, Sent};

/// A call. `steps` says whether its state has some.
pub(super) fn call(
    table: &Spanned<CallTable>,
    steps: bool,
    names: &Names,
    report: &mut Report<'_>,
) -> CallSpec {
    let it = table.get_ref();
    let raw = it.raw.as_ref().map(|text| {
        if let Some(name) = it.arguments.keys().next() {
            report
                .error(name.span(), "`arguments` and `raw` exclude each other", "one too many")
                .related(text.span(), "this is sent unchanged");
        }
        Sent::Raw(of_call(text, steps, names, report))
    });
    let (called, sent) = match (&it.tool, &it.name, raw) {
        (Some(tool), None, Some(raw)) => (Called::Role(offered_role(tool, names, report)), raw),
        (Some(tool), None, None) => {
            let role = offered_role(tool, names, report);
            (Called::Role(role), Sent::Arguments(arguments(it, (tool, role), steps, names, report)))
        }
        (None, Some(name), Some(raw)) => (Called::Name(check_filled("name", name, report)), raw),
        (tool, name, _) => {
            let what = match (tool, name) {
                (Some(_), Some(_)) => "a call has both `tool` and `name`",
                (None, Some(_)) => "a call by `name` has no `raw`",
                (_, None) => "a call names no tool",
            };
            report
                .error(table.span(), what, "expected `tool`, or `name` and `raw`")
                .help("`tool` is a role of this scenario; `name` is any name, and `raw` is sent unchanged");
            (Called::Name(String::new()), Sent::Arguments(Vec::new()))
        }
    };
    CallSpec { called, sent }
}

fn arguments(
    table: &CallTable,
    (tool, role): (&Text, Role),
    steps: bool,
    names: &Names,
    report: &mut Report<'_>,
) -> Vec<Template> {
    let misnamed: Vec<&Text> =
        table.arguments.keys().filter(|name| !role.has_argument(name.get_ref())).collect();
    for name in &misnamed {
        unknown_argument(name, role, report);
    }
    let arguments = role.arguments().iter().map(|argument| {
        let Some((_, text)) = table.arguments.iter().find(|(name, _)| name.get_ref() == argument) else {
            // An argument under a wrong name is not reported again as missing.
            if misnamed.is_empty() {
                report.error(
                    tool.span(),
                    format!("the argument `{argument}` is missing"),
                    format!("`{}` needs {}", role_name(role), listed(role.arguments(), "and")),
                );
            }
            return Template { pieces: Vec::new() };
        };
        of_call(text, steps, names, report)
    });
    arguments.collect()
}

/// What is sent with a call.
fn of_call(text: &Text, steps: bool, names: &Names, report: &mut Report<'_>) -> Template {
    let (template, placeholders) = template(text, names, report);
    for placeholder in &placeholders {
        let span = placeholder.span.clone();
        match placeholder.kind {
            PlaceholderKind::Argument => {
                report.error(
                    span,
                    "a call cannot refer to its own arguments",
                    "an argument is known only where a tool answers",
                );
            }
            PlaceholderKind::Applied => {
                report.error(
                    span,
                    "a call follows no rule",
                    "`{nth}` counts the calls to which a rule applied",
                );
            }
            PlaceholderKind::Seconds => {
                report.error(span, "a call has no clock", "`{seconds:…}` is known only where a tool answers");
            }
            PlaceholderKind::OwnStep if !steps => {
                no_steps(placeholder, report);
            }
            PlaceholderKind::Drawn
            | PlaceholderKind::Code
            | PlaceholderKind::Clock
            | PlaceholderKind::Hex
            | PlaceholderKind::Visit
            | PlaceholderKind::OwnStep => {}
        }
    }
    template
}
