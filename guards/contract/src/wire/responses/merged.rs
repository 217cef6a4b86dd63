//! Two requests as one.

use std::borrow::Cow;

use crate::wire::patch::{Json, Patch};
use crate::wire::reading::Unreadable;

/// A request that follows an answer of a proxy's own, of which its provider knows nothing: two requests as one. It
/// follows what `first` does, and shows what both show. All else is as `then` has it, which follows an answer.
///
/// # Errors
/// One of them is no JSON, or `then` follows nothing.
pub fn merged(first: &str, then: &str) -> Result<String, Unreadable> {
    let parsed = |text| Json::parse(text).ok_or_else(|| Unreadable::new(".", "expected JSON"));
    let (before, after) = (parsed(first)?, parsed(then)?);
    let name = "previous_response_id";
    let missing = || Unreadable::new(name, "expected the id of an answer, found nothing");
    let own = after.member(name).ok_or_else(missing)?;
    let shown = [before, after].into_iter().filter_map(|it| it.member("input")).map(elements);
    let shown: Vec<Cow<'_, str>> = shown.filter(|it| !it.is_empty()).collect();
    let mut patch = Patch::new(then);
    patch.put(own, before.member(name).map_or("null", Json::text));
    patch.set(after, "input", &format!("[{}]", shown.join(",")));
    Ok(patch.end())
}

/// The elements of an input, with the commas between them. A text is the message of a user.
fn elements(input: Json<'_>) -> Cow<'_, str> {
    let text = input.text();
    match text.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
        Some(elements) => elements.trim().into(),
        None if text.starts_with('"') => {
            format!(r#"{{"type":"message","role":"user","content":{text}}}"#).into()
        }
        None => "".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(first: &str, then: &str, whole: &str) {
        assert_eq!(merged(first, then).expect("two requests"), whole);
    }

    #[test]
    fn a_request_behind_another_one_shows_both() {
        check(
            r#"{"input":[ {"a": 1} ],"previous_response_id":"resp_1","x":1}"#,
            r#"{"y": 2, "previous_response_id" : "balk_1","input":[{"b":1},{"c":1}]}"#,
            r#"{"y": 2, "previous_response_id" : "resp_1","input":[{"a": 1},{"b":1},{"c":1}]}"#,
        );
        check(
            r#"{"input":"Do \"it\"."}"#,
            r#"{"input":"Go on.","previous_response_id":"balk_1"}"#,
            concat!(
                r#"{"input":[{"type":"message","role":"user","content":"Do \"it\"."},"#,
                r#"{"type":"message","role":"user","content":"Go on."}],"previous_response_id":null}"#,
            ),
        );
        check(
            r#"{"input":[{}],"previous_response_id":null}"#,
            r#"{"previous_response_id":"balk_1"}"#,
            r#"{"previous_response_id":null,"input":[{}]}"#,
        );
        check(
            r#"{"input":[]}"#,
            r#"{"previous_response_id":"a","input":[]}"#,
            r#"{"previous_response_id":null,"input":[]}"#,
        );
        for (first, then) in [("{}", r#"{"input":[]}"#), ("{", r#"{"previous_response_id":"a"}"#)] {
            assert!(merged(first, then).is_err(), "{first} {then}");
        }
    }
}
