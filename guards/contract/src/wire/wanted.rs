//! The form that a request wants its answer in.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::dialect::Dialect;

/// The members that lead to the schema, the newest form first.
const fn paths(dialect: Dialect) -> &'static [&'static [&'static str]] {
    match dialect {
        Dialect::OpenAi => &[&["response_format", "json_schema", "schema"]],
        Dialect::Responses => &[&["text", "format", "schema"]],
        Dialect::Anthropic => &[&["output_config", "format", "schema"], &["output_format", "schema"]],
        Dialect::Gemini => &[
            &["generationConfig", "responseJsonSchema"],
            &["generationConfig", "responseSchema"],
            &["generation_config", "response_json_schema"],
            &["generation_config", "response_schema"],
        ],
    }
}

impl Dialect {
    /// The JSON Schema that the answer to this request must have, byte for byte. `None` where the request has none, or
    /// is no JSON object.
    #[must_use]
    pub fn wanted(self, request: &str) -> Option<Arc<str>> {
        let request: &RawValue = serde_json::from_str(request).ok()?;
        let found = |path: &&[&str]| path.iter().try_fold(request, |it, name| member(it, name));
        paths(self).iter().find_map(found).map(|it| it.get().into())
    }
}

fn member<'r>(object: &'r RawValue, name: &str) -> Option<&'r RawValue> {
    let members: BTreeMap<Cow<'r, str>, &RawValue> = serde_json::from_str(object.get()).ok()?;
    members.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wanted_form_is_where_each_provider_has_it() {
        for (dialect, request) in [
            (
                Dialect::OpenAi,
                r#"{"response_format":{"type":"json_schema","json_schema":{"schema":{"a":1}}}}"#,
            ),
            (Dialect::Responses, r#"{"text":{"format":{"type":"json_schema","schema":{"a":1}}}}"#),
            (Dialect::Anthropic, r#"{"output_config":{"format":{"type":"json_schema","schema":{"a":1}}}}"#),
            (Dialect::Anthropic, r#"{"output_format":{"schema":{"a":1}}}"#),
            (Dialect::Gemini, r#"{"generationConfig":{"responseJsonSchema":{"a":1}}}"#),
            (Dialect::Gemini, r#"{"generation_config":{"response_schema":{"a":1}}}"#),
        ] {
            assert_eq!(dialect.wanted(request).as_deref(), Some(r#"{"a":1}"#), "{request}");
        }
        for request in ["", "[]", r#"{"text":"a"}"#, r#"{"response_format":{"type":"text"}}"#] {
            for dialect in Dialect::ALL {
                assert_eq!(dialect.wanted(request), None, "{request}");
            }
        }
    }
}
