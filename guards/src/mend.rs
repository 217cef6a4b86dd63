//! JSON out of text that is nearly JSON, where it can be read in one way only.
//!
//! `jsonc-parser` reads comments, single quotes, names without quotes, and commas at the end. A pass before it does
//! what is left: literals of Python, line breaks within strings, one bracket that is missing at the end, and what is
//! around an object (a fence, a list of one, a string). What was cut off in the middle is not mended: a string that
//! is not closed, a member without a value, more than one bracket.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;

use jsonc_parser::ast::{Object, ObjectPropName, Value};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// Deeper nesting is no call's arguments.
const DEPTH: usize = 64;
/// How often the arguments may be text within text: each level is read once more.
const TEXTS: usize = 4;

/// The object that the text nearly is, as JSON.
pub(crate) fn object(text: &str) -> Option<String> {
    let mut text = Cow::Borrowed(unfenced(text.trim()));
    let mut texts = 0;
    while text.starts_with('"') {
        let inner: String = serde_json::from_str(&text).ok()?;
        let inner = inner.trim();
        texts += 1;
        if texts > TEXTS || !inner.starts_with(['{', '[', '`']) {
            return None;
        }
        text = unfenced(inner).to_owned().into();
    }
    let whole = plain(&text)?;
    let parsed = parse_to_ast(&whole, &CollectOptions::default(), &OPTIONS).ok()?.value?;
    let object = match parsed {
        Value::Object(object) => object,
        Value::Array(list) => {
            let mut elements = list.elements.into_iter();
            let only = elements.next().filter(|_| elements.next().is_none())?;
            if let Value::Object(object) = only { object } else { return None }
        }
        Value::StringLit(_) | Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => {
            return None;
        }
    };
    let mut json = String::with_capacity(whole.len());
    write_object(&object, &mut json)?;
    Some(json)
}

/// The value that the text nearly is, as JSON.
pub(crate) fn value(text: &str) -> Option<String> {
    let whole = plain(text.trim())?;
    let parsed = parse_to_ast(&whole, &CollectOptions::default(), &OPTIONS).ok()?.value?;
    let mut json = String::with_capacity(whole.len());
    write_value(&parsed, &mut json)?;
    Some(json)
}

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: true,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: true,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: true,
};

/// The text inside a fence, if the text is one.
fn unfenced(text: &str) -> &str {
    let inside = || text.strip_prefix("```")?.strip_suffix("```")?.split_once('\n');
    match inside() {
        Some((info, body)) if info.chars().all(|c| c.is_ascii_alphanumeric()) => body.trim(),
        Some(_) | None => text,
    }
}

/// The text with literals of JSON, with escapes in place of line breaks in strings, and with the bracket that is
/// missing at the end.
fn plain(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() + 1);
    let mut open: Vec<char> = Vec::new();
    let mut chars = text.char_indices().peekable();
    // The last character that is neither white space nor in a comment.
    let mut last = ' ';
    while let Some((at, c)) = chars.next() {
        match c {
            '"' | '\'' => {
                out.push(c);
                copy_string(c, &mut chars, &mut out)?;
            }
            '/' if text[at..].starts_with("//") => {
                while chars.next_if(|(_, c)| *c != '\n').is_some() {}
                continue;
            }
            '/' if text[at..].starts_with("/*") => {
                let end = at + 2 + text[at + 2..].find("*/")? + 2;
                while chars.next_if(|(at, _)| *at < end).is_some() {}
                continue;
            }
            '{' | '[' => {
                out.push(c);
                open.push(if c == '{' { '}' } else { ']' });
                if open.len() > DEPTH {
                    return None;
                }
            }
            '}' | ']' => {
                out.push(c);
                if open.pop() != Some(c) {
                    return None;
                }
            }
            _ if c.is_alphabetic() || c == '_' || c == '$' => {
                let mut end = at + c.len_utf8();
                while let Some((at, c)) =
                    chars.next_if(|(_, c)| c.is_alphanumeric() || matches!(c, '_' | '$' | '-'))
                {
                    end = at + c.len_utf8();
                }
                out.push_str(literal(&text[at..end]));
            }
            _ => out.push(c),
        }
        if !c.is_whitespace() {
            last = c;
        }
    }
    match open[..] {
        [] => {}
        // A number may go on, and a comma or a colon says that something should follow.
        [bracket] if matches!(last, '"' | '\'' | '}' | ']') => out.push(bracket),
        _ => return None,
    }
    Some(out)
}

/// Copies a string up to its closing quotation mark; None if there is none.
fn copy_string(
    quote: char,
    chars: &mut std::iter::Peekable<std::str::CharIndices<'_>>,
    out: &mut String,
) -> Option<()> {
    loop {
        let (_, c) = chars.next()?;
        match c {
            '\\' => {
                out.push(c);
                out.push(chars.next()?.1);
            }
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ => out.push(c),
        }
        if c == quote {
            return Some(());
        }
    }
}

/// The literal of JSON that a literal of Python is.
fn literal(word: &str) -> &str {
    match word {
        "True" => "true",
        "False" => "false",
        "None" => "null",
        other => other,
    }
}

fn write_object(object: &Object<'_>, json: &mut String) -> Option<()> {
    json.push('{');
    let mut names = BTreeSet::new();
    for (at, property) in object.properties.iter().enumerate() {
        let name = property_name(&property.name);
        // Of two members with one name, either may be meant.
        if !names.insert(name) {
            return None;
        }
        if at > 0 {
            json.push(',');
        }
        write_string(name, json)?;
        json.push(':');
        write_value(&property.value, json)?;
    }
    json.push('}');
    Some(())
}

fn property_name<'n>(name: &'n ObjectPropName<'_>) -> &'n str {
    match name {
        ObjectPropName::String(text) => &text.value,
        ObjectPropName::Word(word) => word.value,
    }
}

fn write_value(value: &Value<'_>, json: &mut String) -> Option<()> {
    match value {
        Value::StringLit(text) => write_string(&text.value, json)?,
        Value::NumberLit(number) => json.push_str(number.value),
        Value::BooleanLit(it) => json.push_str(if it.value { "true" } else { "false" }),
        Value::NullKeyword(_) => json.push_str("null"),
        Value::Object(object) => write_object(object, json)?,
        Value::Array(list) => {
            json.push('[');
            for (at, element) in list.elements.iter().enumerate() {
                if at > 0 {
                    json.push(',');
                }
                write_value(element, json)?;
            }
            json.push(']');
        }
    }
    Some(())
}

fn write_string(text: &str, json: &mut String) -> Option<()> {
    write!(json, "{}", serde_json::to_string(text).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn x3_what_is_nearly_json_is_mended() {
        for (text, json) in [
            (r#"{'path': 'a.py', 'n': 1}"#, r#"{"path":"a.py","n":1}"#),
            (r#"{"path": "a",}"#, r#"{"path":"a"}"#),
            (r#"{path: "a", deep: [1, 2,],}"#, r#"{"path":"a","deep":[1,2]}"#),
            (r#"{"a": True, "b": None, "c": False}"#, r#"{"a":true,"b":null,"c":false}"#),
            (r#"{"path": "a""#, r#"{"path":"a"}"#),
            (r#"{"edits": [{"a": "b"}]"#, r#"{"edits":[{"a":"b"}]}"#),
            ("{\"a\": \"one\ntwo\"}", r#"{"a":"one\ntwo"}"#),
            (r#""{\"path\": \"a\"}""#, r#"{"path":"a"}"#),
            ("```json\n{\"path\": \"a\"}\n```", r#"{"path":"a"}"#),
            (r#"[{"path": "a"}]"#, r#"{"path":"a"}"#),
            ("{\"a\": 1, // one\n\"b\": /* two */ 2}", r#"{"a":1,"b":2}"#),
            (r#"{"n": 100000000000000000001,}"#, r#"{"n":100000000000000000001}"#),
            (r#"{'a': 'it\'s', "b": "True: 'x'"}"#, r#"{"a":"it's","b":"True: 'x'"}"#),
        ] {
            assert_eq!(object(text).as_deref(), Some(json), "{text}");
        }
    }

    #[test]
    fn x3_what_was_cut_off_or_has_two_readings_is_not() {
        for text in [
            "",
            "{",
            r#"{"path": "a"#,
            r#"{"path":"#,
            r#"{"path": "a","#,
            r#"{"n": 12"#,
            r#"{"edits": [{"a": "b""#,
            r#"{"a": "b"]"#,
            r#"{"a": "1", "a": "2",}"#,
            r#"{'it's': 1}"#,
            r#"[{"a": 1}, {"b": 2}]"#,
            r#"{"a": 1} {"b": 2}"#,
            r#"{"a": 1 "b": 2}"#,
            "no json",
            "a: b",
            "12",
            r#"{"a": undefined}"#,
        ] {
            assert_eq!(object(text), None, "{text}");
        }
        assert_eq!(object(&"[".repeat(10_000)), None);
        assert_eq!(object(&"{\"a\":".repeat(10_000)), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn x3_what_is_mended_is_an_object(
            text in "[{}\\[\\]\"'a-c1,: \n/*#\\\\TrueNone`-]{0,40}",
            any in any::<String>(),
        ) {
            for text in [format!("{{{text}"), text, any] {
                if let Some(json) = object(&text) {
                    let value: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
                    prop_assert!(value.is_object(), "{text}");
                }
                value(&text);
            }
        }
    }
}
