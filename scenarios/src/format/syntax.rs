//! Reads TOML into wire types, and turns its errors into diagnostics.

use std::ops::Range;

use serde::de::DeserializeOwned;

use super::diagnostic::{Diagnostic, Diagnostics, Severity};
use super::report::{did_you_mean, head, listed};
use super::source::Source;

/// The keys at the top of a file, each with the start of its line.
pub(crate) type Top = [(&'static str, &'static str)];

/// The unit of a number that is no count, in the words of errors.
pub(crate) const PER_THOUSAND: &str = "parts per thousand";

/// Reads the text.
pub(crate) fn read<T: DeserializeOwned>(source: &Source, top: &Top) -> Result<T, Diagnostics> {
    toml::from_str(source.text()).map_err(|error| {
        let length = source.text().len();
        let span = error.span().unwrap_or(length..length);
        Diagnostics::new(vec![explain(source, error.message(), span, top)])
    })
}

/// A TOML or serde error in our words. Serde's phrases are a stable part of its interface. Unknown ones are passed on
/// unchanged.
pub(crate) fn explain(source: &Source, message: &str, span: Range<usize>, top: &Top) -> Diagnostic {
    let names = quoted(message);
    let got = names.first().copied().unwrap_or_default();
    let mut help = Vec::new();
    let mut span = span;
    let (message, label) = if message.starts_with("unknown field") {
        let known = names.get(1..).unwrap_or_default();
        help.extend(did_you_mean(got, known));
        if let Some((_, line)) = top.iter().find(|(key, _)| help.is_empty() && *key == got) {
            help.push(if line.starts_with('[') {
                format!("`{got}` is a table of its own: {line}")
            } else {
                format!("`{got}` belongs at the top of the file, above the first `[table]`")
            });
        }
        (format!("unknown key `{got}`"), format!("expected {}", listed(known, "or")))
    } else if message.starts_with("missing field") {
        span = head(source.text(), span);
        if let Some((_, line)) = top.iter().find(|(key, _)| *key == got && span.start == 0) {
            let place = if line.starts_with('[') { "a table" } else { "a line above the first `[table]`" };
            help.push(format!("add {place}: {line}"));
            (format!("the file lacks `{got}`"), format!("no `{got}` in this file"))
        } else {
            (format!("`{got}` is missing"), format!("this needs the key `{got}`"))
        }
    } else if let Some((kind, expected)) = type_error(message, &mut help) {
        (format!("wrong {kind}"), expected)
    } else if message == "duplicate key" {
        (message.to_owned(), "this key is already set above".to_owned())
    } else {
        let first = message.lines().next().unwrap_or_default();
        match first.split_once(", expected ") {
            // A bare word that begins like `true` or `false`.
            Some(("invalid boolean", expected)) => (
                "string values must be quoted".to_owned(),
                format!("expected a string in quotes, or {expected}"),
            ),
            Some((wrong, "literal string")) => (wrong.to_owned(), "expected a string in quotes".to_owned()),
            Some((wrong, expected)) => (wrong.to_owned(), format!("expected {expected}")),
            None => (first.to_owned(), "this is not TOML".to_owned()),
        }
    };
    let place = source.place(span, label);
    Diagnostic { severity: Severity::Error, message, place, related: None, help, count: 1 }
}

/// "invalid type: integer `3`, expected a string" in its two halves.
fn type_error(message: &str, help: &mut Vec<String>) -> Option<(&'static str, String)> {
    let (kind, rest) =
        [("type", "invalid type: "), ("value", "invalid value: "), ("length", "invalid length ")]
            .into_iter()
            .find_map(|(kind, start)| Some((kind, message.strip_prefix(start)?)))?;
    let (got, expected) = rest.split_once(", expected ")?;
    let expected = match expected {
        "u32" => "a whole number that is not negative",
        "a sequence" => "a list",
        "a map" => "a table",
        other => other.strip_prefix("struct ").map_or(other, |_| "a table"),
    };
    let got = match got {
        "sequence" => "a list".to_owned(),
        "map" => "a table".to_owned(),
        other => other.replace("floating point", "the number"),
    };
    if got.starts_with("the number") && expected.contains(PER_THOUSAND) {
        help.push("no number has a point: 31 % are 310 parts per thousand".to_owned());
    } else if got.starts_with("the number") {
        help.push(
            "no number has a point; a probability is a ratio in quotes, for example \"1/50\"".to_owned(),
        );
    } else if expected == "a list" && got.starts_with("string") {
        help.push("write it in brackets: [\"…\"]".to_owned());
    }
    Some((kind, format!("expected {expected}, got {got}")))
}

/// The words in back quotes.
fn quoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}
