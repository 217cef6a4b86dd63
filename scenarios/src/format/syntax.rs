//! Reading TOML into wire types, with its errors made diagnostics.

use std::ops::Range;

use serde::de::DeserializeOwned;

use super::diagnostic::{Diagnostic, Diagnostics};
use super::report::{did_you_mean, listed};
use super::source::Source;

/// Reads the text; `top` are the keys that may stand above the first table.
pub(crate) fn read<T: DeserializeOwned>(source: &Source, top: &[&str]) -> Result<T, Diagnostics> {
    toml::from_str(source.text()).map_err(|error| {
        let length = source.text().len();
        let span = error.span().unwrap_or(length..length);
        Diagnostics::new(vec![explain(source, error.message(), span, top)])
    })
}

/// A TOML or serde error in our words. Serde's phrases are a fixed part of its interface; one that is not
/// known here is passed on as it is.
pub(crate) fn explain(source: &Source, message: &str, span: Range<usize>, top: &[&str]) -> Diagnostic {
    let names = quoted(message);
    let mut help = Vec::new();
    let mut span = span;
    let (message, label) = if message.starts_with("unknown field") {
        let got = names.first().copied().unwrap_or_default();
        let known = names.get(1..).unwrap_or_default();
        help.extend(did_you_mean(got, known));
        if help.is_empty() && top.contains(&got) {
            help.push(format!("`{got}` belongs at the top of the file, above the first `[table]`"));
        }
        (format!("unknown key `{got}`"), format!("expected {}", listed(known, "or")))
    } else if message.starts_with("missing field") {
        let key = names.first().copied().unwrap_or_default();
        span = head(source.text(), span);
        if top.contains(&key) {
            (format!("the file lacks `{key}`"), format!("`{key}` must stand in the file"))
        } else {
            (format!("`{key}` is missing"), format!("this needs the key `{key}`"))
        }
    } else if let Some((kind, expected)) = type_error(message) {
        (format!("wrong {kind}"), expected)
    } else {
        let mut lines = message.lines();
        let first = lines.next().unwrap_or("bad TOML").to_owned();
        let rest: Vec<&str> = lines.collect();
        (first, if rest.is_empty() { "here".to_owned() } else { rest.join("; ") })
    };
    Diagnostic { message, place: source.place(span, label), related: None, help }
}

/// "invalid type: integer `3`, expected a string" in its two halves.
fn type_error(message: &str) -> Option<(&'static str, String)> {
    let (kind, rest) =
        [("type", "invalid type: "), ("value", "invalid value: "), ("length", "invalid length ")]
            .into_iter()
            .find_map(|(kind, start)| Some((kind, message.strip_prefix(start)?)))?;
    let (got, expected) = rest.split_once(", expected ")?;
    let expected = match expected {
        "u32" => "a whole number that is not negative",
        "usize" => "a count",
        other => other.strip_prefix("struct ").map_or(other, |_| "a table"),
    };
    Some((kind, format!("expected {expected}, got {got}")))
}

/// What stands in back quotes.
fn quoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

/// A span of a whole table cut to its first line, which names it.
fn head(text: &str, span: Range<usize>) -> Range<usize> {
    let line = text.get(span.clone()).and_then(|part| part.lines().next()).unwrap_or_default();
    span.start..span.start + line.len()
}
