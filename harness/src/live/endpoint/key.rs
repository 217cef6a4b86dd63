//! A key that no text shows.

use std::fmt;
use std::sync::Arc;

use crate::error::Error;

/// The key of a provider. Nothing prints it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(Arc<str>);

/// What replaces a key in a text that the server sent.
const HIDDEN: &str = "[key]";

/// The end of a text that was cut.
const CUT: char = '…';

/// The length from which a key is a secret. Local servers take any word (`none`, `ollama`), and replacing such a word
/// would change what a model says.
const SECRET_BYTES: usize = 8;

impl Key {
    /// A key, without the white space around it.
    ///
    /// # Errors
    /// The text is empty, or has characters that no header can carry. The error does not show them.
    pub fn new(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        let expected = "a key of visible ASCII characters";
        if text.is_empty() {
            return Err(Error::usage("key", expected, "nothing"));
        }
        if !text.bytes().all(|it| it.is_ascii_graphic()) {
            return Err(Error::usage("key", expected, "other characters"));
        }
        Ok(Self(text.into()))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// A text that a server sent, without the key, also as JSON may write it: each character may be escaped.
    pub(crate) fn hide(&self, text: &str) -> String {
        self.without(text, End::Whole)
    }

    /// The same of a text that may have been cut: its end may have the beginning of the key.
    pub(super) fn hide_cut(&self, text: &str) -> String {
        self.without(text, End::Cut)
    }

    fn without(&self, text: &str, end: End) -> String {
        if self.0.len() < SECRET_BYTES {
            return text.to_owned();
        }
        let (mut shown, mut from, mut at) = (String::with_capacity(text.len()), 0, 0);
        while at < text.len() {
            match self.length(&text.as_bytes()[at..], end) {
                Some(length) => {
                    // Without the key, a backslash before it would escape something else.
                    shown.push_str(text[from..at].trim_end_matches('\\'));
                    shown.push_str(HIDDEN);
                    at += length;
                    from = at;
                }
                None => at += 1,
            }
        }
        shown + &text[from..]
    }

    /// A text that is shown, and ends with `…` where it was cut off: without the key, and without its beginning there.
    pub(crate) fn hide_shortened(&self, text: &str) -> String {
        let shown = self.hide(text);
        let Some(begun) = shown.strip_suffix(CUT) else { return shown };
        let parts = (SECRET_BYTES..self.0.len()).rev().map(|end| &self.0[..end]);
        match parts.into_iter().find_map(|part| begun.strip_suffix(part)) {
            Some(before) => format!("{before}{HIDDEN}{CUT}"),
            None => shown,
        }
    }

    /// How many bytes the key has that these begin with, or as much of it as there is before a cut.
    fn length(&self, bytes: &[u8], end: End) -> Option<usize> {
        let mut at = 0;
        for of_key in self.0.bytes() {
            let rest = &bytes[at..];
            match (written(rest, of_key), end) {
                (Some(length), _) => at += length,
                (None, End::Cut) if is_cut(rest) => return Some(bytes.len()),
                (None, End::Whole | End::Cut) => return None,
            }
        }
        Some(at)
    }
}

/// How a text ends.
#[derive(Clone, Copy)]
enum End {
    /// As it was sent.
    Whole,
    /// Anywhere.
    Cut,
}

/// The longest row of backslashes before an escaped character: it doubles with each JSON text within another.
const BACKSLASHES: usize = 8;

/// How many bytes this character has at the beginning of these, if it is there (RFC 8259, 7).
fn written(bytes: &[u8], character: u8) -> Option<usize> {
    let row = backslashes(bytes);
    match bytes[row..] {
        [b'u', b'0', b'0', high, low, ..] if row > 0 && is_hex(high, low, character) => Some(row + 5),
        [it, ..] if it == character && (row == 0 || !it.is_ascii_alphanumeric()) => Some(row + 1),
        _ => (character == b'\\' && row > 0).then_some(row),
    }
}

/// Whether these bytes may be the beginning of an escaped character, or are none.
fn is_cut(bytes: &[u8]) -> bool {
    let row = backslashes(bytes);
    bytes.is_empty() || row > 0 && bytes.len() < row + "u0000".len()
}

fn backslashes(bytes: &[u8]) -> usize {
    bytes.iter().take(BACKSLASHES).take_while(|it| **it == b'\\').count()
}

fn is_hex(high: u8, low: u8, character: u8) -> bool {
    let digit = |it: u8| char::from(it).to_digit(16);
    digit(high).zip(digit(low)).is_some_and(|(high, low)| high * 16 + low == u32::from(character))
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_hidden_however_json_writes_it() {
        let key = Key::new("sk-a/b\\c7").expect("a key");
        for text in
            ["sk-a/b\\c7", "sk-a\\/b\\\\c7", "\\u0073k\\u002Da/b\\u005cc\\u0037", "sk\\u002da\\u002Fb\\c7"]
        {
            assert_eq!(key.hide(&format!("é{text}\\ {text}é")), "é[key]\\ [key]é", "{text}");
        }
        // JSON in JSON, and in JSON once more.
        for text in [r"\\u0073k-a\\/b\\\\c7", r"\\\\u0073k\\\\u002da/b\\\\\\\\u005cc7"] {
            assert_eq!(key.hide(&format!("é{text}é")), "é[key]é", "{text}");
        }
        for other in ["sk-a/b\\c8", "sk-a/b\\c", "\\u0073", "\\u00é0k-a", "\\"] {
            assert_eq!(key.hide(other), other);
        }
    }

    #[test]
    fn a_key_that_was_shortened_is_hidden() {
        let key = Key::new("sk-0123456789").expect("a key");
        assert_eq!(key.hide_shortened("wrong: sk-0123456789 or sk-012345…"), "wrong: [key] or [key]…");
        for other in ["wrong: sk-01…", "sk-012345", "sk-012346…", "…"] {
            assert_eq!(key.hide_shortened(other), other);
        }
    }

    /// A line end and the rest of a key that begins with `n`, and a key within JSON in JSON.
    #[test]
    fn json_without_the_key_is_json() {
        let key = Key::new("nvapi-0123456789").expect("a key");
        for text in [r#""a\nvapi-0123456789""#, r#""\\u006evapi-0123456789""#, r#""\\nvapi-0123456789""#] {
            let hidden = key.hide(text);
            assert!(!hidden.contains("0123456789"), "{hidden}");
            serde_json::from_str::<String>(&hidden).expect("it is JSON");
        }
    }

    #[test]
    fn a_key_that_was_cut_is_hidden() {
        let key = Key::new("sk-0123456789").expect("a key");
        let written = r"bad key: sk\u002d0123456789";
        for end in "bad key: s".len()..=written.len() {
            let cut = &written[..end];
            assert_eq!(key.hide_cut(cut), "bad key: [key]", "{cut}");
        }
        for whole in ["bad key: sk-", "a task", "sk-012345678"] {
            assert_eq!(key.hide(whole), whole);
        }
        assert_eq!(key.hide_cut("a key {}"), "a key {}");
    }
}
