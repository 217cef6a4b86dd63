//! The version of the format, and the scenarios of a file, before the file is read strictly.

use toml::de::{DeTable, DeValue};

use super::diagnostic::Diagnostics;
use super::report::Report;
use super::source::Source;
use super::wire::VERSION;
use crate::scenario::Kind;

/// A key that only files of the first version have, which did not say so.
const OF_FIRST: [&str; 3] = ["actor", "kind", "twin"];

/// Checks the version. A text without one, or that is not TOML, is left to the strict reader.
pub(super) fn check(source: &Source) -> Result<(), Diagnostics> {
    let mut report = Report::new(source);
    if let Ok(table) = DeTable::parse(source.text()) {
        let table = table.get_ref();
        let old = OF_FIRST.iter().find_map(|key| table.get_key_value(*key));
        match (table.get("format"), old) {
            (Some(format), _) => {
                let version = format.get_ref().as_integer().map(|it| it.as_str());
                if version.is_some_and(|it| it != VERSION.to_string()) {
                    let expected = format!("expected {VERSION}");
                    report
                        .error(format.span(), "this version of the format is unknown", expected)
                        .help("another version of this program wrote the file, or expects it");
                }
            }
            (None, Some((key, _))) => {
                report
                    .error(
                        key.span(),
                        "this file has version 1 of the format",
                        format!("version {VERSION} has no `{}` here", key.get_ref()),
                    )
                    .help("`balk migrate FILE` rewrites it; name both twins to make one file of them");
            }
            (None, None) => {}
        }
    }
    report.finish(())
}

/// The names of the scenarios in this text with their kinds, the stubborn one first. A text that is not a scenario
/// file may have none.
#[must_use]
pub fn names(text: &str) -> Vec<(String, Kind)> {
    let Ok(table) = DeTable::parse(text) else { return Vec::new() };
    let table = table.get_ref();
    let name = |value: &DeValue<'_>| Some(value.get("name")?.get_ref().as_str()?.to_owned());
    let Some(of_file) = table.get("name").and_then(|it| it.get_ref().as_str()) else { return Vec::new() };
    let healthy = table.get("healthy").map(|it| name(it.get_ref()));
    let mut all = Vec::new();
    if table.contains_key("stubborn") {
        all.push((of_file.to_owned(), Kind::Stubborn));
        all.extend(healthy.map(|own| (own.unwrap_or_else(|| format!("{of_file}-control")), Kind::Control)));
    } else if healthy.is_some() {
        all.push((of_file.to_owned(), Kind::Control));
    }
    all
}
