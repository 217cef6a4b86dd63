//! A request of OpenAI Responses that follows an answer of the proxy's own, of which its provider knows nothing.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use serde::de::Error as _;
use serde_json::Error;
use serde_json::value::RawValue;

/// The members of a request that say what it is about.
#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow, default)]
    previous_response_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

/// Two requests as one: it follows what `first` does, and shows what both show. All else is as `then` has it, which
/// follows an answer.
pub(super) fn joined(first: &str, then: &str) -> Result<String, Error> {
    let Request { previous_response_id: previous, input: before } = serde_json::from_str(first)?;
    let Request { previous_response_id: own, input } = serde_json::from_str(then)?;
    let own = own.ok_or_else(|| Error::missing_field("previous_response_id"))?;
    let previous = previous.map_or("null", RawValue::get).to_owned();
    let shown: Vec<Cow<'_, str>> =
        [before, input].into_iter().flatten().map(elements).filter(|it| !it.is_empty()).collect();
    let shown = format!("[{}]", shown.join(","));
    let mut parts = match input {
        Some(input) => vec![(span(then, own), previous), (span(then, input), shown)],
        None => vec![(span(then, own), format!("{previous},\"input\":{shown}"))],
    };
    // From the end, so that what comes before stays where it is.
    parts.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut whole = then.to_owned();
    for (span, part) in parts {
        whole.replace_range(span, &part);
    }
    Ok(whole)
}

/// The elements of an input, with the commas between them. A text is the message of a user.
fn elements(input: &RawValue) -> Cow<'_, str> {
    let text = input.get();
    match text.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
        Some(elements) => elements.trim().into(),
        None if text.starts_with('"') => {
            format!(r#"{{"type":"message","role":"user","content":{text}}}"#).into()
        }
        None => "".into(),
    }
}

/// Where in `text` a value is that was read from it.
fn span(text: &str, value: &RawValue) -> Range<usize> {
    let start = value.get().as_ptr().addr() - text.as_ptr().addr();
    start..start + value.get().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(first: &str, then: &str, whole: &str) {
        assert_eq!(joined(first, then).expect("two requests"), whole);
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
        assert!(joined("{}", r#"{"input":[]}"#).is_err());
    }
}
