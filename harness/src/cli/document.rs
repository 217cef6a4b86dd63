//! A JSON document from a file or from standard input.

use std::io::{self, Read};
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::error::Error;
use crate::import::{Object, one_line};
use crate::input;
use crate::program;

/// The name of a document, and where its form is described.
pub(super) struct Kind {
    /// As in "an incident".
    pub(super) name: &'static str,
    /// As in "balk schema incident".
    pub(super) schema: &'static str,
    /// The expected value of its member `schema`.
    pub(super) version: Option<u32>,
}

/// The members that every version of a document has.
#[derive(Deserialize)]
struct Versioned {
    schema: u64,
}

/// Reads a document.
///
/// # Errors
/// The file cannot be read, is too long, is not JSON, or has a wrong shape; the error has the place.
pub(super) fn read<T: DeserializeOwned>(path: &Path, kind: &Kind) -> Result<T, Error> {
    parse(&text_of(path, kind)?, path, kind)
}

/// The text of a document.
///
/// # Errors
/// The file cannot be read, is too long, or is no text.
pub(super) fn text_of(path: &Path, kind: &Kind) -> Result<String, Error> {
    text(path, name(path), kind.name)
}

/// Reads the text of a document.
///
/// # Errors
/// It is not JSON, or has a wrong shape; the error has the place.
pub(super) fn parse<T: DeserializeOwned>(text: &str, path: &Path, kind: &Kind) -> Result<T, Error> {
    let name = name(path);
    if let Some(version) = kind.version
        // Another version may have other members, so this comes before them.
        && let Ok(Object(Versioned { schema })) = serde_json::from_str(text)
        && schema != u64::from(version)
    {
        let expected = format!("version {version} of the format");
        return Err(Error { place: "schema".into(), ..Error::file(name, &expected, schema) }
            .hint("read it with the version of Balk that wrote it"));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let Object(document) = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let place = error.path().to_string();
        bad(name, kind, &place, error.inner())
    })?;
    json.end().map_err(|error| bad(name, kind, ".", &error))?;
    Ok(document)
}

/// Whether a path means standard input or output.
pub(super) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// The name of a path in messages.
pub(super) fn name(path: &Path) -> &Path {
    if is_standard(path) { Path::new("standard input") } else { path }
}

/// Opens a file, or standard input.
///
/// # Errors
/// The file cannot be opened.
pub(super) fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    if is_standard(path) { Ok(Box::new(io::stdin().lock())) } else { Ok(Box::new(input::open(path)?)) }
}

fn text(path: &Path, name: &Path, what: &str) -> Result<String, Error> {
    let expected = format!("{what} (JSON, UTF-8)");
    let opened = open(path).map_err(|error| Error::unreadable(name, &error))?;
    let bytes = input::whole(opened, name, what)?;
    let text = String::from_utf8(bytes).map_err(|_| Error::file(name, &expected, "other bytes"))?;
    if text.trim().is_empty() {
        return Err(Error::file(name, &expected, "nothing"));
    }
    Ok(text)
}

/// A message of serde, split into place, expected and found.
fn bad(name: &Path, kind: &Kind, place: &str, error: &serde_json::Error) -> Error {
    let (line, column) = (error.line(), error.column());
    let said = error.to_string();
    let said = said.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&said);
    let (expected, found) = match error.classify() {
        Category::Data => expected_and_found(said),
        Category::Syntax | Category::Eof | Category::Io => {
            (format!("{} (JSON)", kind.name), format!("invalid JSON: {said}"))
        }
    };
    // The place is unknown.
    let at = match place {
        "." | "?" => String::new(),
        place => format!(", at {}", one_line(place, 160)),
    };
    Error {
        place: format!("line {line}, column {column}{at}").into(),
        ..Error::file(name, &expected, one_line(&found, 160))
    }
    .hint(&format!("`{}` describes the format", program::own(kind.schema)))
}

/// The two halves of a message of serde.
fn expected_and_found(said: &str) -> (String, String) {
    // The found part is foreign text and may contain this phrase; the expected part never does.
    if let Some((found, expected)) = said.rsplit_once(", expected ") {
        let found = ["invalid type: ", "invalid value: ", "unknown variant ", "unknown field "]
            .into_iter()
            .find_map(|kind| found.strip_prefix(kind))
            .unwrap_or(found);
        return (in_json(expected).to_owned(), in_json(found).to_owned());
    }
    if let Some(member) = said.strip_prefix("missing field ") {
        return (format!("the member {member}"), "none".to_owned());
    }
    if let Some(member) = said.strip_prefix("duplicate field ") {
        return (format!("the member {member} once"), "two of them".to_owned());
    }
    ("a valid document".to_owned(), said.to_owned())
}

/// The JSON name of a Rust type.
fn in_json(name: &str) -> &str {
    match name {
        "u16" | "u32" | "u64" => "a whole number that is not too large",
        "sequence" | "a sequence" => "an array",
        "map" => "an object",
        name if name.starts_with("struct ") => "an object",
        _ => name,
    }
}
