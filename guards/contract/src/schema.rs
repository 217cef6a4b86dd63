//! The JSON Schema of a tool's arguments; the part that guards need is parsed once.

use std::sync::Arc;

use serde_json::Value;

/// JSON Schema of a tool's arguments, as JSON text. Clones share the parsed part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    text: Arc<str>,
    required: Arc<[Arc<str>]>,
    members: Arc<[Arc<str>]>,
}

impl Schema {
    /// Takes any text; a text that is not a JSON Schema requires nothing.
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let schema = serde_json::from_str::<Value>(&text).unwrap_or_default();
        let names = schema["required"].as_array().into_iter().flatten();
        let required = names.filter_map(|it| it.as_str().map(Arc::from)).collect();
        let members = schema["properties"].as_object().into_iter().flatten();
        let members = members.map(|(name, _)| Arc::from(name.as_str())).collect();
        Self { text, required, members }
    }

    /// The text, as it was given.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The names under `required`; empty if it has none.
    pub fn required(&self) -> &Arc<[Arc<str>]> {
        &self.required
    }

    /// The names under `properties`; empty if it has none.
    pub(crate) fn members(&self) -> &Arc<[Arc<str>]> {
        &self.members
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_is_read_from_whatever_is_there() {
        let required = |text: &str| Schema::new(text).required().join(" ");
        assert_eq!(required(r#"{"type":"object","required":["path","text"]}"#), "path text");
        assert_eq!(required(r#"{"required":["path",3,null]}"#), "path");
        for nothing in ["no schema at all", "true", "[]", "{}", r#"{"required":"path"}"#] {
            assert_eq!(required(nothing), "", "{nothing}");
        }
    }
}
