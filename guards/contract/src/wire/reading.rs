//! Reads JSON text and reports where it is not what was expected.

use std::fmt;

use serde::Deserialize;

/// JSON that does not have the expected form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Where, as a path: `choices[0].message.tool_calls[1].id`; `.` is the whole.
    pub place: String,
    /// What was expected there, and what was found.
    pub reason: String,
}

impl Unreadable {
    pub(super) fn new(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { place: place.into(), reason: reason.into() }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

impl std::error::Error for Unreadable {}

/// Reads JSON text that is an object; an error names the place where it is not what `T` needs.
pub(super) fn parse<'de, T: Deserialize<'de>>(json: &'de str) -> Result<T, Unreadable> {
    // Serde reads a list as a structure too: its elements as the members, in order.
    if json.trim_start().starts_with('[') {
        return Err(Unreadable::new(".", "expected an object, found a list"));
    }
    read(json)
}

/// Reads JSON text that is a list, as [`parse`] does.
pub(super) fn parse_list<'de, T: Deserialize<'de>>(json: &'de str) -> Result<Vec<T>, Unreadable> {
    read(json)
}

/// To keep track of places takes as long again as to read, so only text that cannot be read is read with them.
fn read<'de, T: Deserialize<'de>>(json: &'de str) -> Result<T, Unreadable> {
    if let Ok(read) = serde_json::from_str(json) {
        return Ok(read);
    }
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let read = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        // An error within a key has a path that ends with `?`.
        let place = error.path().to_string();
        let known = place.strip_suffix('?').map_or(&*place, |it| it.trim_end_matches('.'));
        Unreadable::new(if known.is_empty() { "." } else { known }, error.inner().to_string())
    })?;
    deserializer.end().map_err(|error| Unreadable::new(".", error.to_string()))?;
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_place_also_within_a_key() {
        type Deep = std::collections::BTreeMap<String, std::collections::BTreeMap<String, u8>>;
        let place = |json| parse::<Deep>(json).expect_err("it is bad").place;
        assert_eq!(place("{bad"), ".");
        assert_eq!(place(r#"{"a": {bad"#), "a");
        assert_eq!(place(r#"{"a": {"b": "c"}}"#), "a.b");
        assert_eq!(place("{} x"), ".");
    }

    #[test]
    fn a_list_is_no_object() {
        #[derive(Debug, Deserialize)]
        struct Request {
            _model: String,
        }
        assert!(parse::<Request>(r#"{"_model": "m"}"#).is_ok());
        let error = parse::<Request>(r#" ["m"]"#).expect_err("it is a list");
        assert_eq!(error.to_string(), ".: expected an object, found a list");
    }
}
