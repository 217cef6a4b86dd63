//! Answers to requests that are not of the task: titles, memories, checks whether the conversation goes round.

use serde_json::{Map, Value};

/// An answer that changes nothing: of the asked form, with nothing in it. A title is a word.
pub(super) fn answer(schema: Option<&str>) -> String {
    let schema = schema.and_then(|it| serde_json::from_str(it).ok());
    schema.map_or_else(|| "Task".to_owned(), |it: Value| sample(&it, DEPTH).to_string())
}

/// The emptiest value of a schema. A number is 0: a check that asks how sure the model is must hear that it is not.
fn sample(schema: &Value, depth: u32) -> Value {
    let first = |key| schema.get(key).and_then(Value::as_array).and_then(|all| all.first());
    if let Some(value) = first("enum") {
        return value.clone();
    }
    if let Some(one) = first("anyOf").or_else(|| first("oneOf")).filter(|_| depth > 0) {
        return sample(one, depth - 1);
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
        Some(kind) => kind.as_str(),
        None => None,
    };
    match kind.map(str::to_ascii_lowercase).as_deref() {
        Some("object") => {
            let members = schema.get("properties").and_then(Value::as_object).filter(|_| depth > 0);
            let members = members.into_iter().flatten();
            Value::Object(
                members.map(|(name, it)| (name.clone(), sample(it, depth - 1))).collect::<Map<_, _>>(),
            )
        }
        Some("array") => Value::Array(Vec::new()),
        Some("boolean") => Value::Bool(false),
        Some("integer" | "number") => 0.into(),
        Some("null") => Value::Null,
        Some(_) | None => "".into(),
    }
}

/// How deep a schema is followed.
const DEPTH: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_the_asked_form_and_says_nothing() {
        for (schema, expected) in [
            (None, "Task"),
            (Some("not JSON"), "Task"),
            (
                Some(
                    r#"{"type":"OBJECT","properties":{"confidence":{"type":"NUMBER"},"why":{"type":"STRING"}}}"#,
                ),
                r#"{"confidence":0,"why":""}"#,
            ),
            (Some(r#"{"type":["string","null"],"enum":["user","model"]}"#), r#""user""#),
            (Some(r#"{"anyOf":[{"type":"boolean"},{"type":"null"}]}"#), "false"),
            (Some(r#"{"type":"array","items":{"type":"string"}}"#), "[]"),
        ] {
            assert_eq!(answer(schema), expected, "{schema:?}");
        }
    }

    #[test]
    fn a_schema_that_is_deep_is_followed_so_far() {
        let deep = (0..100)
            .fold("{}".to_owned(), |inner, _| format!(r#"{{"type":"object","properties":{{"a":{inner}}}}}"#));
        assert!(answer(Some(&deep)).len() < 200);
    }
}
