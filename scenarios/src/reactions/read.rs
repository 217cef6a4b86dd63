//! Reads a file of measured reactions: TOML in, numbers or diagnostics out.

use toml::Spanned;

use super::wire::{Number, ParametersTable, ReactionsFile, Row, RowsTable, SpanTable, TOP, Text, VERSION};
use super::{Measured, least, most};
use crate::format::behaviour::PROFILES;
use crate::format::diagnostic::Diagnostics;
use crate::format::report::Report;
use crate::format::source::Source;
use crate::format::syntax;
use crate::response::Span;
use crate::scenario::Profile;

/// Reads a file of measured reactions.
///
/// `file_name` is the name of the file in diagnostics.
///
/// # Errors
///
/// The diagnostics name everything that is wrong with the file. Where the text is not TOML, or a key is unknown,
/// missing or of the wrong type, they name only the first error.
pub fn parse(file_name: &str, text: &str) -> Result<Measured, Diagnostics> {
    let source = Source::new(file_name, text);
    let file: ReactionsFile = syntax::read(&source, TOP)?;
    let mut report = Report::new(&source);
    if *file.format.get_ref() != VERSION {
        report
            .error(file.format.span(), "this version of the format is unknown", format!("expected {VERSION}"))
            .help("another version of this program wrote the file, or expects it");
    }
    filled("name", "the name of a model", &file.name, &mut report);
    filled("measured", "where the model was measured", &file.measured, &mut report);
    let profile = profile(&file.profile, &mut report);
    let parameters = &file.parameters;
    let mut measured = Measured {
        base: parameters.base.as_ref().and_then(|it| base(it, &mut report)),
        flat: parameters.flat.as_ref().and_then(|it| row("flat", it, &mut report)),
        demand: parameters.demand.as_ref().and_then(|it| number("demand", it, &mut report)),
        ..Measured::new(file.name.get_ref(), file.measured.get_ref(), profile)
    };
    for (name, table) in named(parameters) {
        if let Some(span) = table.as_ref().and_then(|it| span(name, it, &mut report)) {
            measured.set(name, span);
        }
    }
    report.finish(measured)
}

/// The parameters with one range each, by name.
fn named(table: &ParametersTable) -> [(&'static str, &Option<SpanTable>); 15] {
    [
        ("cause", &table.cause),
        ("form", &table.form),
        ("example", &table.example),
        ("options", &table.options),
        ("shows", &table.shows),
        ("withholds", &table.withholds),
        ("novel", &table.novel),
        ("fade", &table.fade),
        ("obeys", &table.obeys),
        ("empty", &table.empty),
        ("names", &table.names),
        ("easy", &table.easy),
        ("finds", &table.finds),
        ("named", &table.named),
        ("first", &table.first),
    ]
}

fn filled(key: &str, expected: &str, text: &Text, report: &mut Report<'_>) {
    if text.get_ref().trim().is_empty() {
        report.error(text.span(), format!("`{key}` is empty"), format!("expected {expected}"));
    }
}

/// The profile of one model. A bad one is reported, and another takes its place.
fn profile(word: &Text, report: &mut Report<'_>) -> Profile {
    let of_one: Vec<(&str, Profile)> =
        PROFILES.iter().copied().filter(|(_, it)| *it != Profile::Population).collect();
    report.one_of("profile of one model", word, &of_one)
}

/// A number within the bounds of its parameter.
fn number(name: &str, number: &Spanned<Number>, report: &mut Report<'_>) -> Option<u32> {
    let Number(found) = *number.get_ref();
    let (least, most) = (least(name), most(name));
    if (least..=most).contains(&found) {
        return Some(found);
    }
    let expected = format!("expected {least} to {most} parts per thousand");
    report.error(number.span(), format!("`{name}` is out of its bounds"), expected);
    None
}

/// A range in order.
fn span(name: &str, table: &SpanTable, report: &mut Report<'_>) -> Option<Span> {
    let SpanTable { low, value, high } = table;
    ordered(name, [low, value, high], report)
}

fn ordered(name: &str, keys: [&Spanned<Number>; 3], report: &mut Report<'_>) -> Option<Span> {
    let [low, value, high] = keys.map(|it| number(name, it, report));
    let (low, value, high) = (low?, value?, high?);
    let [at_low, at_value, at_high] = keys;
    for (is_wrong, at, what, than) in [
        (low > high, at_high, "`high` is less than `low`", at_low),
        (value < low, at_value, "`value` is less than `low`", at_low),
        (value > high, at_value, "`value` is more than `high`", at_high),
    ] {
        if is_wrong {
            let Number(bound) = than.get_ref();
            let expected = if std::ptr::eq(than, at_low) {
                format!("expected at least {bound}")
            } else {
                format!("expected at most {bound}")
            };
            report
                .error(at.span(), format!("{what} in `{name}`"), expected)
                .related(than.span(), "because of this");
            return None;
        }
    }
    Some(Span::new(low, value, high))
}

/// Four numbers.
fn four<'a>(name: &str, row: &'a Row, report: &mut Report<'_>) -> Option<[&'a Spanned<Number>; 4]> {
    let numbers: Vec<&Spanned<Number>> = row.get_ref().iter().collect();
    let found = numbers.len();
    let four = <[&Spanned<Number>; 4]>::try_from(numbers).ok();
    if four.is_none() {
        report
            .error(row.span(), format!("a row of `{name}` has four numbers"), format!("found {found}"))
            .help("they are for the first to the fourth correction in a row; the fourth is for all later ones, too");
    }
    four
}

fn row(name: &str, row: &Row, report: &mut Report<'_>) -> Option<[u32; 4]> {
    let [a, b, c, d] = four(name, row, report)?.map(|it| number(name, it, report));
    Some([a?, b?, c?, d?])
}

fn base(table: &RowsTable, report: &mut Report<'_>) -> Option<[Span; 4]> {
    let [low, value, high] = [&table.low, &table.value, &table.high].map(|it| four("base", it, report));
    let (low, value, high) = (low?, value?, high?);
    let at = |at: usize, report: &mut Report<'_>| ordered("base", [low[at], value[at], high[at]], report);
    let spans = [at(0, report), at(1, report), at(2, report), at(3, report)];
    let [a, b, c, d] = spans;
    Some([a?, b?, c?, d?])
}
