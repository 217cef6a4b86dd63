//! What tools answer in their agents' own words.

use super::names::{Names, PlaceholderKind};
use super::placeholders::template;
use super::report::Report;
use super::wire::Text;
use crate::scenario::Role;
use crate::scenario::template::Template;

/// What a tool of this role answers in its agent's own words: plain text, arguments, and how often a text was found.
pub(crate) fn own_answer(text: &Text, role: Role, report: &mut Report<'_>) -> Template {
    let (template, placeholders) = template(text, &Names::default(), report);
    for it in placeholders {
        let known =
            it.kind == PlaceholderKind::Argument && (role.has_argument(&it.name) || it.name == "count");
        if !known {
            report.error(
                it.span,
                "a tool cannot answer this",
                "expected one of its arguments, or `argument:count`",
            );
        }
    }
    template
}
