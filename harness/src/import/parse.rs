//! Parses JSON, and says where it is wrong.

use serde::Deserialize;

use super::bad::BadLine;
use super::strict::Object;

/// The text of a line or a document.
///
/// # Errors
/// It is no text.
pub(crate) fn text_of(bytes: &[u8]) -> Result<&str, BadLine> {
    let text =
        str::from_utf8(bytes).map_err(|error| BadLine::NotUtf8 { valid_bytes: error.valid_up_to() })?;
    // Some editors start a file with a byte order mark; RFC 8259 allows a reader to ignore it.
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Parses one object; an error has its place.
///
/// # Errors
/// It is not JSON, or no such object.
pub(crate) fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, BadLine> {
    value::<Object<T>>(text).map(|Object(it)| it)
}

/// Parses one value; an error has its place.
///
/// # Errors
/// It is not JSON, or no such value.
pub(super) fn value<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, BadLine> {
    serde_json::from_str(text).map_err(|_| {
        // Tracking the path costs time, so only an invalid text is read with it.
        let mut reader = serde_json::Deserializer::from_str(text);
        match serde_path_to_error::deserialize::<_, T>(&mut reader) {
            Err(error) => {
                let place = error.path().to_string();
                BadLine::of_json(error.inner(), if place == "." { "line" } else { &place })
            }
            Ok(_) => match reader.end() {
                Err(error) => BadLine::of_json(&error, "line"),
                Ok(()) => unreachable!("a text that is bad once is bad twice"),
            },
        }
    })
}
