//! Marks for what several providers' formats cannot express: added when writing, removed when reading.
//!
//! Each pair obeys one law: reading undoes writing, for every text. A text that already looks marked is marked again,
//! so nothing that a model or a user says can be mistaken for a mark.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::content;
use crate::key;
use crate::view::Message;

/// The signature of a call that the model did not make. The models of Gemini 3 refuse the first call of a turn without
/// a signature, and Google names this one for calls that come from elsewhere; others ignore it
/// (<https://ai.google.dev/gemini-api/docs/thought-signatures#faqs>).
pub(super) const NOT_SIGNED: &str = "skip_thought_signature_validator";

/// The user message that is added before a transcript that begins with the assistant (a recorded dialogue).
pub(super) const OPENING: &str = "(the assistant speaks first)";

/// True if the first message cannot come first: it is not the user's, or it equals the mark.
pub(super) fn needs_opening(first: &Message) -> bool {
    match first {
        Message::User(text) => &**text == OPENING,
        Message::Assistant(_) | Message::Result { .. } => true,
    }
}

/// An object that wraps arguments that are not an object, or have text around it. It also wraps arguments with an
/// escaped lone surrogate: serde passes it on unchecked, and providers refuse the whole request. And those that are
/// nested deeper than a call's key is read: clients cannot read such a request or write it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Marked<'a> {
    #[serde(rename = "__raw_arguments", borrow)]
    raw: Cow<'a, str>,
}

/// The arguments of a call as an object.
pub(super) fn object(arguments: &str) -> Box<RawValue> {
    content::object(arguments)
        .filter(|_| {
            unmark_object(arguments).is_none() && !has_lone_surrogate(arguments) && !is_deep(arguments)
        })
        .unwrap_or_else(|| to_raw_value(&Marked { raw: arguments.into() }).expect("a string is JSON"))
}

/// The arguments of a call from that object.
pub(super) fn read_object(input: &str) -> Arc<str> {
    unmark_object(input).unwrap_or_else(|| input.into())
}

fn unmark_object(input: &str) -> Option<Arc<str>> {
    serde_json::from_str::<Marked<'_>>(input).ok().map(|marked| marked.raw.into())
}

/// Whether valid JSON has more arrays and objects within each other than the key of a call takes.
fn is_deep(json: &str) -> bool {
    let (mut depth, mut is_text, mut is_escaped) = (0, false, false);
    json.bytes().any(|byte| {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => is_text = !is_text,
            b'[' | b'{' if !is_text => depth += 1,
            b']' | b'}' if !is_text => depth -= 1,
            _ => {}
        }
        depth > key::DEPTH
    })
}

/// Checks the escapes of valid JSON: each high surrogate must come directly before a low one.
fn has_lone_surrogate(json: &str) -> bool {
    let mut rest = json;
    while let Some((_, escape)) = rest.split_once('\\') {
        rest = match code_unit(escape) {
            None => &escape[1..],
            Some(0xD800..=0xDBFF) => match escape[5..].strip_prefix('\\').and_then(code_unit) {
                Some(0xDC00..=0xDFFF) => &escape[11..],
                Some(_) | None => return true,
            },
            Some(0xDC00..=0xDFFF) => return true,
            Some(_) => &escape[5..],
        };
    }
    false
}

/// The code unit of an escape of the form `uXXXX`, without its backslash.
fn code_unit(escape: &str) -> Option<u16> {
    u16::from_str_radix(escape.strip_prefix('u')?.get(..4)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_object(arguments: &str, wire: &str) {
        let input = super::object(arguments);
        assert_eq!(input.get(), wire);
        assert_eq!(&*read_object(input.get()), arguments);
    }

    #[test]
    fn an_object_travels_as_it_is() {
        check_object("{}", "{}");
        check_object(
            "{\"b\": 1.0,\n\t\"a\" : 100000000000000000001, \"b\":1e999}",
            "{\"b\": 1.0,\n\t\"a\" : 100000000000000000001, \"b\":1e999}",
        );
    }

    #[test]
    fn anything_else_is_marked() {
        check_object("[1]", r#"{"__raw_arguments":"[1]"}"#);
        check_object("{\"path\": \"a", r#"{"__raw_arguments":"{\"path\": \"a"}"#);
        check_object(" {} ", r#"{"__raw_arguments":" {} "}"#);
        check_object("{} {}", r#"{"__raw_arguments":"{} {}"}"#);
        check_object(r#"{"a":"\ud83d"}"#, r#"{"__raw_arguments":"{\"a\":\"\\ud83d\"}"}"#);
    }

    /// What can be read is what a key is made of.
    #[test]
    fn arguments_that_are_nested_too_deep_are_marked() {
        let nested = |levels: usize| {
            let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
            format!(r#"{{"a\"[":{open}"{{{{\\",1{close},"b":[{{}}]}}"#)
        };
        let shape = |arguments: &str| key::of_call("look", arguments, &[]).shape;
        let (deep, deeper) = (nested(key::DEPTH), nested(key::DEPTH + 1));
        assert_eq!([shape(&deep), shape(&deeper)], [key::Shape::Object, key::Shape::NotJson]);
        check_object(&deep, &deep);
        for arguments in [deeper, nested(100_000)] {
            check_object(&arguments, &format!(r#"{{"__raw_arguments":{}}}"#, serde_json::json!(arguments)));
        }
    }

    #[test]
    fn half_a_surrogate_pair_is_found() {
        let lone = |escapes: &str| has_lone_surrogate(&format!("\"{escapes}\""));
        assert!(lone(r"\ud83d"));
        assert!(lone(r"\uDE00\uD83D"));
        assert!(lone(r"\ud83d\n"));
        assert!(lone(r"\\\ud83d"));
        assert!(!lone(r"\ud83d\ude00\u0041\n"));
        assert!(!lone(r"\\ud83d"));
        assert!(!lone(r"no escapes"));
    }

    #[test]
    fn what_looks_marked_is_marked_once_more() {
        check_object(
            r#"{ "__raw_arguments": "[1]" }"#,
            r#"{"__raw_arguments":"{ \"__raw_arguments\": \"[1]\" }"}"#,
        );
        check_object(r#"{"__raw_arguments": 3}"#, r#"{"__raw_arguments": 3}"#);
    }
}
