//! Marks for what Anthropic's format cannot express: added when writing, removed when reading.
//!
//! Each pair obeys one law: reading undoes writing, for every text. A text that already looks marked is marked again,
//! so nothing that a model or a user says can be mistaken for a mark.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::completion::Part;
use crate::view::Message;
use crate::wire::content;

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
/// escaped lone surrogate: serde passes it on unchecked, and Anthropic refuses the whole request.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Marked<'a> {
    #[serde(rename = "__raw_arguments", borrow)]
    raw: Cow<'a, str>,
}

/// The arguments of a call as `input`.
pub(super) fn input(arguments: &str) -> Box<RawValue> {
    content::object(arguments)
        .filter(|_| unmark_input(arguments).is_none() && !has_lone_surrogate(arguments))
        .unwrap_or_else(|| to_raw_value(&Marked { raw: arguments.into() }).expect("a string is JSON"))
}

/// The arguments of a call from `input`.
pub(super) fn read_input(input: &str) -> Arc<str> {
    unmark_input(input).unwrap_or_else(|| input.into())
}

fn unmark_input(input: &str) -> Option<Arc<str>> {
    serde_json::from_str::<Marked<'_>>(input).ok().map(|marked| marked.raw.into())
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

/// The prefix of an id that is written in hexadecimal digits.
const HEX: &str = "hex-";

/// True for an id that Anthropic accepts.
pub(super) fn is_legal_id(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// The id of a call in a form that Anthropic accepts. Other providers use dots and colons in theirs.
pub(super) fn id(id: &Arc<str>) -> Arc<str> {
    if is_legal_id(id) && unmark_id(id).is_none() {
        return id.clone();
    }
    let mut marked = String::from(HEX);
    for byte in id.bytes() {
        write!(marked, "{byte:02x}").expect("a string takes what is written to it");
    }
    marked.into()
}

/// The original id of a call.
pub(super) fn read_id(id: &str) -> Arc<str> {
    unmark_id(id).unwrap_or_else(|| id.into())
}

fn unmark_id(id: &str) -> Option<Arc<str>> {
    let digits = id.strip_prefix(HEX)?.as_bytes();
    let digit = |c: u8| char::from(c).to_digit(16).and_then(|it| u8::try_from(it).ok());
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    let bytes: Option<Vec<u8>> =
        pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect();
    String::from_utf8(bytes?).ok().map(Into::into)
}

/// The prefix of the signature of thinking that the provider sent only in encrypted form.
const REDACTED: &str = "redacted_thinking:";

/// Encrypted thinking: no text, and the data as its signature.
pub(super) fn redacted(data: &str) -> Part {
    Part::Thinking { text: "".into(), signature: Some(format!("{REDACTED}{data}").into()) }
}

/// The data of encrypted thinking.
pub(super) fn unredact<'a>(text: &str, signature: &'a str) -> Option<&'a str> {
    signature.strip_prefix(REDACTED).filter(|_| text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_input(arguments: &str, wire: &str) {
        let input = input(arguments);
        assert_eq!(input.get(), wire);
        assert_eq!(&*read_input(input.get()), arguments);
    }

    #[test]
    fn an_object_travels_as_it_is() {
        check_input("{}", "{}");
        check_input(
            "{\"b\": 1.0,\n\t\"a\" : 100000000000000000001, \"b\":1e999}",
            "{\"b\": 1.0,\n\t\"a\" : 100000000000000000001, \"b\":1e999}",
        );
    }

    #[test]
    fn anything_else_is_marked() {
        check_input("[1]", r#"{"__raw_arguments":"[1]"}"#);
        check_input("{\"path\": \"a", r#"{"__raw_arguments":"{\"path\": \"a"}"#);
        check_input(" {} ", r#"{"__raw_arguments":" {} "}"#);
        check_input("{} {}", r#"{"__raw_arguments":"{} {}"}"#);
        check_input(r#"{"a":"\ud83d"}"#, r#"{"__raw_arguments":"{\"a\":\"\\ud83d\"}"}"#);
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
        check_input(
            r#"{ "__raw_arguments": "[1]" }"#,
            r#"{"__raw_arguments":"{ \"__raw_arguments\": \"[1]\" }"}"#,
        );
        check_input(r#"{"__raw_arguments": 3}"#, r#"{"__raw_arguments": 3}"#);
    }

    #[track_caller]
    fn check_id(plain: &str, wire: &str) {
        let marked = id(&plain.into());
        assert_eq!(&*marked, wire);
        assert_eq!(&*read_id(&marked), plain);
    }

    #[test]
    fn an_id_with_other_characters_is_written_in_hexadecimal() {
        check_id("toolu_01A-b", "toolu_01A-b");
        check_id("hex-", "hex-6865782d");
        check_id("hex-zz", "hex-zz");
        check_id("f.a:0", "hex-662e613a30");
        check_id("é", "hex-c3a9");
    }
}
