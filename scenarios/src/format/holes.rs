//! Templates: finding the `{…}` in a text and giving each its meaning.

use std::ops::Range;
use std::sync::Arc;

use super::names::{BUILT_IN, Names};
use super::report::{Report, did_you_mean, listed, nearest_or_all};
use super::wire::Text;
use crate::template::{Piece, Template};

/// What an argument of the call at hand is written as.
const ARGUMENT: &str = "argument:";
/// What the visits counted up to a number are written as.
const STEP: &str = "step:";
/// What stands there once for each visit is written as.
const EACH_VISIT: &str = "visit:";

/// A `{…}`, kept until it is known where its text is used.
#[derive(Clone, Debug)]
pub(super) struct Hole {
    pub(super) kind: HoleKind,
    /// The argument's name where it is one.
    pub(super) name: String,
    pub(super) span: Range<usize>,
}

/// What matters about a `{…}` for where it may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HoleKind {
    /// A field of a pool or a number: the same for the whole trial.
    Drawn,
    /// An argument of the call that is answered.
    Argument,
    /// Program text.
    Code,
    /// A time of day.
    Clock,
    /// Hexadecimal digits.
    Hex,
    /// How often the state was visited.
    Visit,
}

/// A text of the world: facts, paths and contents hold what the seed draws, and nothing that changes.
pub(super) fn fixed(text: &Text, names: &Names, report: &mut Report<'_>) -> Template {
    let (template, holes) = template(text, names, report);
    for hole in holes.iter().filter(|hole| hole.kind != HoleKind::Drawn) {
        report
            .error(hole.span.clone(), "the world cannot depend on this", "would differ from use to use")
            .help("facts, files and conditions may hold `{pool.field}` and `{number}` only");
    }
    template
}

/// A text with its holes, checked against the names of the scenario.
pub(super) fn template(text: &Text, names: &Names, report: &mut Report<'_>) -> (Template, Vec<Hole>) {
    let value = text.get_ref();
    let mut pieces = Vec::new();
    let mut holes = Vec::new();
    let mut plain = String::new();
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
            let span = span_in(text, at..at + 1, report);
            report
                .error(span, format!("`{brace}` stands alone"), "neither a placeholder nor escaped")
                .help(format!("a brace that is text is written twice: `{brace}{brace}`"));
            rest = at + 1;
            continue;
        };
        if !plain.is_empty() {
            pieces.push(Piece::Text(Arc::from(plain.as_str())));
            plain.clear();
        }
        let span = span_in(text, at..end + 1, report);
        if let Some((piece, hole)) = hole(&value[at + 1..end], span, names, report) {
            pieces.push(piece);
            holes.push(hole);
        }
        rest = end + 1;
    }
    plain.push_str(&value[rest..]);
    if !plain.is_empty() {
        pieces.push(Piece::Text(Arc::from(plain.as_str())));
    }
    (Template { pieces }, holes)
}

fn hole(inside: &str, span: Range<usize>, names: &Names, report: &mut Report<'_>) -> Option<(Piece, Hole)> {
    let made = |kind, piece| Some((piece, Hole { kind, name: String::new(), span: span.clone() }));
    if let Some(name) = inside.strip_prefix(ARGUMENT) {
        let hole = Hole { kind: HoleKind::Argument, name: name.to_owned(), span };
        return Some((Piece::Argument(name.to_owned()), hole));
    }
    if let Some(name) = inside.strip_prefix(STEP) {
        let at = step(name, span.clone(), names, report)?;
        return made(HoleKind::Visit, Piece::Step(at));
    }
    if let Some(name) = inside.strip_prefix(EACH_VISIT) {
        let (piece, hole) = hole(name, span, names, report)?;
        let Piece::Field(pool, field) = piece else {
            report
                .error(
                    hole.span,
                    format!("`{name}` cannot stand there once for each visit"),
                    "no field of a pool",
                )
                .help("only what a pool holds can: `{visit:pool.field}`");
            return None;
        };
        return Some((Piece::EachVisit(pool, field), Hole { kind: HoleKind::Visit, ..hole }));
    }
    if let Some((_, kind)) = BUILT_IN.iter().find(|(word, _)| *word == inside) {
        return match kind {
            HoleKind::Code => made(*kind, Piece::Code),
            HoleKind::Clock => made(*kind, Piece::Clock),
            HoleKind::Hex => made(*kind, Piece::Hex),
            HoleKind::Visit => made(*kind, Piece::Visit),
            // The one built-in text that the seed draws for the whole trial.
            HoleKind::Drawn => made(*kind, Piece::Draft),
            HoleKind::Argument => None,
        };
    }
    let message = format!("unknown placeholder `{{{inside}}}`");
    let Some((pool, field)) = inside.split_once('.') else {
        if let Some(index) = names.numbers.iter().position(|number| number.name == inside) {
            return made(HoleKind::Drawn, Piece::Number(index));
        }
        let mut known: Vec<&str> = BUILT_IN.iter().map(|(word, _)| *word).collect();
        known.extend(names.numbers.iter().map(|number| number.name.as_str()));
        let help = if let Some(pool) = names.pools.iter().find(|pool| pool.name == inside) {
            let fields: Vec<&str> = pool.fields.iter().map(String::as_str).collect();
            format!("a pool is used by its fields: `{{{inside}.{}}}`", fields.first().unwrap_or(&"field"))
        } else {
            did_you_mean(inside, &known).unwrap_or_else(|| {
                format!("known: {}, `argument:NAME` and the fields of pools", listed(&known, "and"))
            })
        };
        report
            .error(span, message, "neither a number of this file nor built in")
            .help(help)
            .help("a brace that is text is written twice: `{{` and `}}`");
        return None;
    };
    let Some(pool_index) = names.pools.iter().position(|it| it.name == pool) else {
        let known: Vec<&str> = names.pools.iter().map(|pool| pool.name.as_str()).collect();
        let help = nearest_or_all("pool", pool, &known);
        report.error(span, message, format!("no pool is called `{pool}`")).help(help);
        return None;
    };
    let fields = &names.pools[pool_index].fields;
    let Some(field_index) = fields.iter().position(|it| it == field) else {
        let known: Vec<&str> = fields.iter().map(String::as_str).collect();
        let help = nearest_or_all("field", field, &known);
        // A pool without any field is reported as such.
        if !known.is_empty() {
            report.error(span, message, format!("the pool `{pool}` has no field `{field}`")).help(help);
        }
        return None;
    };
    made(HoleKind::Drawn, Piece::Field(pool_index, field_index))
}

/// The number that steps are counted up to, by its name.
fn step(name: &str, span: Range<usize>, names: &Names, report: &mut Report<'_>) -> Option<usize> {
    let Some(at) = names.numbers.iter().position(|it| it.name == name) else {
        let known: Vec<&str> = names.numbers.iter().map(|it| it.name.as_str()).collect();
        report
            .error(span, format!("unknown number `{name}`"), "steps are counted up to one of `[numbers]`")
            .help(nearest_or_all("number", name, &known));
        return None;
    };
    let least = names.numbers[at].from;
    if least == 0 {
        report
            .error(span, format!("no step is left where `{name}` is 0"), "steps are counted from 1")
            .help(format!("let `{name}` be at least 1"));
        return None;
    }
    Some(at)
}

/// Where a part of a string's value stands in the file. The part begins and ends with a brace, and braces
/// need no escape in TOML: the n-th of the value is the n-th of what is written.
fn span_in(text: &Text, part: Range<usize>, report: &Report<'_>) -> Range<usize> {
    let braces = |text: &str| -> Vec<usize> { text.match_indices(['{', '}']).map(|(at, _)| at).collect() };
    let written = report.source().text().get(text.span()).unwrap_or_default();
    let (in_value, in_file) = (braces(text.get_ref()), braces(written));
    if in_value.len() != in_file.len() {
        return text.span();
    }
    let place = |at: usize| in_value.iter().position(|it| *it == at).map(|n| text.span().start + in_file[n]);
    match (place(part.start), place(part.end - 1)) {
        (Some(start), Some(end)) => start..end + 1,
        _ => text.span(),
    }
}

#[cfg(test)]
mod tests {
    use toml::Spanned;

    use super::*;
    use crate::format::source::Source;
    use crate::scenario::{Number, Pool};

    #[test]
    fn every_kind_of_hole_has_its_piece() {
        let page =
            Pool { name: "page".into(), fields: vec!["path".into(), "what".into()], items: Vec::new() };
        let count = Number { name: "count".into(), from: 1, to: 2 };
        let names = Names { pools: vec![page], numbers: vec![count], ..Names::default() };
        let text =
            "{page.what}{count} {{{argument:path}}} {code}{clock}{hex}{visit}{step:count}{visit:page.path}";
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
        ];
        assert_eq!(template.pieces, expected);
    }
}
