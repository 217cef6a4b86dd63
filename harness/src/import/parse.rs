//! Parses JSON, and says where it is wrong.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem;
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

/// The text with U+FFFD for each half of a surrogate pair without the other half, such as `\ud83d`. `JSON.stringify`
/// writes such an escape where a program cut a text between the two; RFC 8259 (8.2) leaves to readers what it means. A
/// string with JSON inside is a text of its own.
pub(super) fn paired(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let lone: Vec<usize> = ESCAPE.find_iter(bytes).filter(|at| is_lone(bytes, *at)).collect();
    if lone.is_empty() {
        return text.into();
    }
    let mut bytes = bytes.to_vec();
    for at in lone {
        bytes[at..at + 6].copy_from_slice(b"\\ufffd");
    }
    String::from_utf8(bytes).expect("an escape is ASCII").into()
}

/// Finds escapes with a number. To make it takes as long as to search a short line.
static ESCAPE: LazyLock<memmem::Finder> = LazyLock::new(|| memmem::Finder::new(b"\\u"));

/// A half of a surrogate pair (Unicode 3.8, D71 to D75).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    First,
    Second,
}

/// The half of a pair that is escaped here.
fn half(bytes: &[u8], at: usize) -> Option<Half> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    // Nearly all escapes are of something else.
    if !matches!(digits[0], b'd' | b'D') {
        return None;
    }
    let digits = str::from_utf8(digits).ok()?;
    let half = match u16::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Half::First,
        0xdc00..=0xdfff => Half::Second,
        _ => return None,
    };
    // A backslash that is escaped itself escapes nothing.
    let backslashes = bytes[..at].iter().rev().take_while(|it| **it == b'\\').count();
    (backslashes % 2 == 0).then_some(half)
}

/// Whether there is half of a pair here, without the other half beside it.
fn is_lone(bytes: &[u8], at: usize) -> bool {
    match half(bytes, at) {
        Some(Half::First) => half(bytes, at + 6) != Some(Half::Second),
        Some(Half::Second) => at.checked_sub(6).and_then(|at| half(bytes, at)) != Some(Half::First),
        None => false,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_pair_is_replaced_and_a_whole_one_is_kept() {
        for (text, expected) in [
            (r#""cut \ud83d""#, r#""cut \ufffd""#),
            (r#""\uDE00 \ude00\ud83d \uD83D\u0041""#, r#""\ufffd \ufffd\ufffd \ufffd\u0041""#),
            (r#""\ud83d\ud83d\ude00\ude00""#, r#""\ufffd\ud83d\ude00\ufffd""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
        ] {
            assert_eq!(paired(text), expected);
            assert!(value::<String>(&paired(text)).is_ok(), "{text}");
        }
        for kept in [r#""\ud83d\uDE00""#, r#""\\ud83d""#, r#""\ud7ff \ud83""#, "plain"] {
            assert!(matches!(paired(kept), Cow::Borrowed(_)), "{kept}");
        }
    }
}
