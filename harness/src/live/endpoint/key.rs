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
        if self.0.len() < SECRET_BYTES {
            return text.to_owned();
        }
        let (mut shown, mut from, mut at) = (String::with_capacity(text.len()), 0, 0);
        while at < text.len() {
            match self.length(&text.as_bytes()[at..]) {
                Some(length) => {
                    shown.push_str(&text[from..at]);
                    shown.push_str(HIDDEN);
                    at += length;
                    from = at;
                }
                None => at += 1,
            }
        }
        shown + &text[from..]
    }

    /// Such a text also without the beginning of the key where it is cut off.
    pub(crate) fn hide_cut(&self, text: &str) -> String {
        let shown = self.hide(text);
        let Some(begun) = shown.strip_suffix(CUT) else { return shown };
        let parts = (SECRET_BYTES..self.0.len()).rev().map(|end| &self.0[..end]);
        match parts.into_iter().find_map(|part| begun.strip_suffix(part)) {
            Some(before) => format!("{before}{HIDDEN}{CUT}"),
            None => shown,
        }
    }

    /// How many bytes the key has that these begin with.
    fn length(&self, bytes: &[u8]) -> Option<usize> {
        self.0.bytes().try_fold(0, |at, of_key| Some(at + written(&bytes[at..], of_key)?))
    }
}

/// How many bytes this character has at the beginning of these, if it is there (RFC 8259, 7).
fn written(bytes: &[u8], character: u8) -> Option<usize> {
    match *bytes {
        [b'\\', b'u', b'0', b'0', high, low, ..] if is_hex(high, low, character) => Some(6),
        [b'\\', it, ..] if it == character && !it.is_ascii_alphanumeric() => Some(2),
        [it, ..] if it == character => Some(1),
        _ => None,
    }
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
        for other in ["sk-a/b\\c8", "sk-a/b\\c", "\\u0073", "\\u00é0k-a", "\\"] {
            assert_eq!(key.hide(other), other);
        }
    }

    #[test]
    fn a_key_that_is_cut_off_is_hidden() {
        let key = Key::new("sk-0123456789").expect("a key");
        assert_eq!(key.hide_cut("wrong: sk-0123456789 or sk-012345…"), "wrong: [key] or [key]…");
        for other in ["wrong: sk-01…", "sk-012345", "sk-012346…", "…"] {
            assert_eq!(key.hide_cut(other), other);
        }
    }
}
