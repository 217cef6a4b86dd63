//! Converts texts to templates: finds each `{…}` and resolves it.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;

use super::bounds;
use super::names::{BUILT_IN, Names, Placeholder, PlaceholderKind};
use super::report::{Report, did_you_mean, listed, nearest_or_all};
use super::roles::offered_role;
use super::wire::Text;
use crate::scenario::template::{Piece, Template};

/// The prefix of an argument of the call that is answered.
pub(super) const ARGUMENT: &str = "argument:";
/// The prefix of the visits counted up to a number.
pub(super) const STEP: &str = "step:";
/// The prefix of a fact whose time is told.
pub(super) const SECONDS: &str = "seconds:";
/// The prefix of the agent's name for a tool, or for an argument of it.
pub(super) const TOOL: &str = "tool:";
/// The prefix of a value that is repeated once for each visit.
pub(super) const EACH_VISIT: &str = "visit:";

/// A text of the world. Facts, paths and contents may contain drawn values, and nothing that changes within a trial.
pub(super) fn fixed(text: &Text, names: &Names, report: &mut Report<'_>) -> Template {
    let (template, placeholders) = template(text, names, report);
    for placeholder in placeholders.iter().filter(|placeholder| placeholder.kind != PlaceholderKind::Drawn) {
        report
            .error(placeholder.span.clone(), "the world cannot depend on this", "differs from use to use")
            .help(
                "facts, files and conditions may contain only `{pool.field}`, `{number}` and `{tool:role}`",
            );
    }
    template
}

/// Texts of the world.
pub(super) fn all_fixed(texts: &[Text], names: &Names, report: &mut Report<'_>) -> Vec<Template> {
    texts.iter().map(|text| fixed(text, names, report)).collect()
}

/// The template of a text, and its placeholders, checked against the names of the scenario.
pub(super) fn template(text: &Text, names: &Names, report: &mut Report<'_>) -> (Template, Vec<Placeholder>) {
    let value = text.get_ref();
    let mut pieces = Vec::new();
    let mut placeholders = Vec::new();
    let mut plain = String::new();
    let braces = Braces::of(text, report);
    let mut rest = 0;
    while let Some(found) = value[rest..].find(['{', '}']) {
        let at = rest + found;
        plain.push_str(&value[rest..at]);
        let brace = &value[at..=at];
        if value[at + 1..].starts_with(brace) {
            plain.push_str(brace);
            rest = at + 2;
            continue;
        }
        let end = value[at + 1..].find(['{', '}']).map(|length| at + 1 + length);
        let inside = end.filter(|end| brace == "{" && value[*end..].starts_with('}'));
        let Some(end) = inside else {
            let span = braces.span(at..at + 1);
            report
                .error(span, format!("`{brace}` stands alone"), "neither a placeholder nor escaped")
                .help(format!("to write a brace as text, double it: `{brace}{brace}`"));
            rest = at + 1;
            continue;
        };
        if !plain.is_empty() {
            pieces.push(Piece::Text(Arc::from(plain.as_str())));
            plain.clear();
        }
        let span = braces.span(at..end + 1);
        if let Some((piece, placeholder)) = placeholder(&value[at + 1..end], span, names, report) {
            pieces.push(piece);
            placeholders.push(placeholder);
        }
        rest = end + 1;
    }
    plain.push_str(&value[rest..]);
    if !plain.is_empty() {
        pieces.push(Piece::Text(Arc::from(plain.as_str())));
    }
    let template = Template { pieces };
    bounds::check(text, &template, names, report);
    (template, placeholders)
}

/// The meaning of a `{…}`.
fn placeholder(
    inside: &str,
    span: Range<usize>,
    names: &Names,
    report: &mut Report<'_>,
) -> Option<(Piece, Placeholder)> {
    let made = |kind, piece| Some((piece, Placeholder { kind, name: String::new(), span: span.clone() }));
    if let Some(name) = inside.strip_prefix(ARGUMENT) {
        let placeholder = Placeholder { kind: PlaceholderKind::Argument, name: name.to_owned(), span };
        return Some((Piece::Argument(name.to_owned()), placeholder));
    }
    if let Some(name) = inside.strip_prefix(STEP) {
        let at = step(name, span.clone(), names, report)?;
        return made(PlaceholderKind::Visit, Piece::Step(at));
    }
    if let Some(fact) = inside.strip_prefix(SECONDS) {
        return made(PlaceholderKind::Seconds, Piece::Seconds(fact.to_owned()));
    }
    if let Some(name) = inside.strip_prefix(TOOL) {
        return made(PlaceholderKind::Drawn, tool(name, span.clone(), names, report)?);
    }
    if let Some(name) = inside.strip_prefix(EACH_VISIT) {
        let (piece, _) = placeholder(name, span.clone(), names, report)?;
        let Piece::Field(pool, field) = piece else {
            let message = format!("`{name}` cannot be repeated for each visit");
            report
                .error(span, message, "not a field of a pool")
                .help("only a field of a pool can: `{visit:pool.field}`");
            return None;
        };
        return made(PlaceholderKind::Visit, Piece::EachVisit(pool, field));
    }
    if let Some((_, kind, piece)) = BUILT_IN.iter().find(|(word, ..)| *word == inside) {
        return made(*kind, piece.clone());
    }
    let piece = drawn(inside, span.clone(), names, report)?;
    made(PlaceholderKind::Drawn, piece)
}

/// A number or a field of a pool, by its name.
fn drawn(inside: &str, span: Range<usize>, names: &Names, report: &mut Report<'_>) -> Option<Piece> {
    let message = format!("unknown placeholder `{{{inside}}}`");
    let Some((pool, field)) = inside.split_once('.') else {
        if let Some(index) = names.number(inside) {
            report.used.numbers.insert(index);
            return Some(Piece::Number(index));
        }
        report
            .error(span, message, "neither a number of this file nor built in")
            .help_with(|| not_a_name(inside, names))
            .help("to write a brace as text, double it: `{{` and `}}`");
        return None;
    };
    let Some(pool_index) = names.pool(pool) else {
        report.error(span, message, format!("no pool is called `{pool}`")).help_with(|| {
            let known: Vec<&str> = names.pools.iter().map(|pool| pool.name.as_str()).collect();
            nearest_or_all("pool", pool, &known)
        });
        return None;
    };
    let fields = &names.pools[pool_index].fields;
    let Ok(field_index) = fields.binary_search_by(|it| it.as_str().cmp(field)) else {
        // A pool without any field is reported as such.
        if !fields.is_empty() {
            let label = format!("the pool `{pool}` has no field `{field}`");
            report.error(span, message, label).help_with(|| {
                let known: Vec<&str> = fields.iter().map(String::as_str).collect();
                nearest_or_all("field", field, &known)
            });
        }
        return None;
    };
    report.used.fields.insert((pool_index, field_index));
    Some(Piece::Field(pool_index, field_index))
}

/// Help for a word that is not a name.
fn not_a_name(word: &str, names: &Names) -> String {
    if let Some(pool) = names.pools.iter().find(|pool| pool.name == word) {
        let field = pool.fields.first().map_or("field", String::as_str);
        return format!("a pool is used by its fields: `{{{word}.{field}}}`");
    }
    let mut known: Vec<&str> = BUILT_IN.iter().map(|(word, ..)| *word).collect();
    known.extend(names.numbers.iter().map(|number| number.name.as_str()));
    did_you_mean(word, &known).unwrap_or_else(|| {
        format!("known: {}, `argument:NAME` and the fields of pools", listed(&known, "and"))
    })
}

/// The agent's name for the tool of a role, or for an argument of it.
fn tool(name: &str, span: Range<usize>, names: &Names, report: &mut Report<'_>) -> Option<Piece> {
    let (role, argument) = name.split_once('.').map_or((name, None), |(role, it)| (role, Some(it)));
    let role = offered_role(&Spanned::new(span.clone(), role.to_owned()), names, report);
    let Some(argument) = argument else { return Some(Piece::Tool(role)) };
    let argument = Spanned::new(span, argument.to_owned());
    report
        .index_of("argument", &argument, role.arguments().iter().copied())
        .map(|at| Piece::ToolArgument(role, at))
}

/// The number that steps are counted up to, by its name.
fn step(name: &str, span: Range<usize>, names: &Names, report: &mut Report<'_>) -> Option<usize> {
    let Some(at) = names.number(name) else {
        report
            .error(span, format!("unknown number `{name}`"), "steps are counted up to one of `[numbers]`")
            .help_with(|| {
                let known: Vec<&str> = names.numbers.iter().map(|it| it.name.as_str()).collect();
                nearest_or_all("number", name, &known)
            });
        return None;
    };
    let least = names.numbers[at].from;
    if least == 0 {
        report
            .error(span, format!("there are no steps if `{name}` is 0"), "steps are counted from 1")
            .help(format!("let `{name}` be at least 1"));
        return None;
    }
    report.used.numbers.insert(at);
    Some(at)
}

/// The places of the braces of a text, in its value and in the file.
struct Braces {
    whole: Range<usize>,
    in_value: Vec<usize>,
    /// As many as in the value.
    in_file: Vec<usize>,
}

impl Braces {
    fn of(text: &Text, report: &Report<'_>) -> Self {
        let braces =
            |text: &str| -> Vec<usize> { text.match_indices(['{', '}']).map(|(at, _)| at).collect() };
        let written = report.source().text().get(text.span()).unwrap_or_default();
        let (in_value, in_file) = (braces(text.get_ref()), braces(written));
        let is_told = in_value.len() == in_file.len();
        Self { whole: text.span(), in_value: if is_told { in_value } else { Vec::new() }, in_file }
    }

    /// The place in the file of a part of the value. The part begins and ends with a brace, and TOML does not escape
    /// braces: the n-th brace of the value is the n-th brace in the file.
    fn span(&self, part: Range<usize>) -> Range<usize> {
        let place = |at| self.in_value.binary_search(&at).map(|n| self.whole.start + self.in_file[n]);
        match (place(part.start), place(part.end - 1)) {
            (Ok(start), Ok(end)) => start..end + 1,
            _ => self.whole.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::lengths::Lengths;
    use crate::format::source::Source;
    use crate::scenario::{Number, Pool, Role};

    #[test]
    fn every_kind_of_placeholder_has_its_piece() {
        let page =
            Pool { name: "page".into(), fields: vec!["path".into(), "what".into()], items: Vec::new() };
        let count = Number { name: "count".into(), from: 1, to: 2 };
        let roles = vec![Role::Write];
        let pools = vec![page];
        let lengths = Lengths::new(&pools, 1);
        let names = Names { pools, numbers: vec![count], roles, lengths, ..Names::default() };
        let text = "{page.what}{count} {{{argument:path}}} {code}{clock}{hex}{visit}{step:count}\
                    {visit:page.path}{step}{nth}{tool:write}{tool:write.content}{seconds:job}";
        let source = Source::new("x", text);
        let mut report = Report::new(&source);
        let (template, _) = template(&Spanned::new(0..text.len(), text.to_owned()), &names, &mut report);
        assert!(report.is_clean());
        let expected = [
            Piece::Field(0, 1),
            Piece::Number(0),
            Piece::Text(" {".into()),
            Piece::Argument("path".into()),
            Piece::Text("} ".into()),
            Piece::Code,
            Piece::Clock,
            Piece::Hex,
            Piece::Visit,
            Piece::Step(0),
            Piece::EachVisit(0, 0),
            Piece::OwnStep,
            Piece::Applied,
            Piece::Tool(Role::Write),
            Piece::ToolArgument(Role::Write, 1),
            Piece::Seconds("job".into()),
        ];
        assert_eq!(template.pieces, expected);
    }
}
