//! A key that no text shows.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use crate::error::Error;

/// The key of a provider. Nothing prints it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    text: Arc<str>,
    /// The key as it is looked for.
    symbols: Arc<[u8]>,
    /// For each of its beginnings, how long the longest other one is that it ends with (Knuth, Morris and Pratt 1977).
    borders: Arc<[usize]>,
}

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
        let (mut symbols, mut at) = (Vec::new(), 0);
        while let Some((symbol, end)) = read(text.as_bytes(), at, false) {
            symbols.push(symbol);
            at = end;
        }
        Ok(Self { text: text.into(), borders: borders(&symbols).into(), symbols: symbols.into() })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// A text that a server sent, without the key, also as JSON may write it: each character may be escaped.
    pub(crate) fn hide(&self, text: &str) -> String {
        self.without(text, None)
    }

    /// The same of a text that may have been cut: its end may have the beginning of the key.
    pub(super) fn hide_cut(&self, text: &str) -> String {
        self.without(text, Some(0))
    }

    /// A text that is shown, and ends with `…` where it was cut off: without the key, and without its beginning there.
    pub(crate) fn hide_shortened(&self, text: &str) -> String {
        match text.strip_suffix(CUT) {
            Some(begun) => format!("{}{CUT}", self.without(begun, Some(SECRET_BYTES))),
            None => self.hide(text),
        }
    }

    /// A text without the key. If it was cut, it ends with no more than so many characters of it.
    fn without(&self, text: &str, cut: Option<usize>) -> String {
        if self.symbols.len() < SECRET_BYTES {
            return text.to_owned();
        }
        let mut shown = String::with_capacity(text.len());
        // Without the key, a backslash before it would escape something else.
        let mut hides = |from: usize, begins: usize| {
            shown.push_str(text[from..begins].trim_end_matches('\\'));
            shown.push_str(HIDDEN);
        };
        let (mut from, mut at) = (0, 0);
        // Where the symbols begin that may be those of the key.
        let mut begun = VecDeque::new();
        while let Some((symbol, end)) = read(text.as_bytes(), at, cut.is_some()) {
            self.takes(&mut begun, symbol, at);
            at = end;
            if begun.len() == self.symbols.len() {
                hides(from, begun[0]);
                begun.clear();
                from = at;
            }
        }
        let begins = begun.front().copied().unwrap_or(at);
        if cut.is_some_and(|least| begun.len() >= least) && begins < text.len() {
            hides(from, begins);
            from = text.len();
        }
        shown + &text[from..]
    }

    /// Takes the next symbol of a text, which begins there. Each one is taken in once and left out once at most.
    fn takes(&self, begun: &mut VecDeque<usize>, symbol: u8, at: usize) {
        while let Some(last) = begun.len().checked_sub(1)
            && self.symbols[begun.len()] != symbol
        {
            begun.drain(..=last - self.borders[last]);
        }
        if self.symbols[begun.len()] == symbol {
            begun.push_back(at);
        }
    }
}

fn borders(symbols: &[u8]) -> Vec<usize> {
    let mut borders = Vec::with_capacity(symbols.len());
    let mut border = 0;
    for (at, symbol) in symbols.iter().enumerate() {
        while border > 0 && symbols[border] != *symbol {
            border = borders[border - 1];
        }
        border += usize::from(at > 0 && symbols[border] == *symbol);
        borders.push(border);
    }
    borders
}

/// Backslashes before a letter or a digit, where they are no part of it: `\n` ends a line, and is no `n`. No text has
/// this byte.
const BACKSLASHES: u8 = 0xff;

/// A character that no key has.
const OTHER: u8 = 0x80;

/// The symbol of a text that begins there, and where the next one does: a byte with the backslashes before it, a
/// character that is escaped by its number (RFC 8259, 7), or backslashes. Their number says nothing: it doubles with
/// each JSON text within another. None at the end, also where a symbol `may_be_cut` there.
fn read(text: &[u8], start: usize, may_be_cut: bool) -> Option<(u8, usize)> {
    let mut at = start;
    loop {
        at += text[at..].iter().take_while(|it| **it == b'\\').count();
        let rest = &text[at..];
        if at == start {
            return rest.first().map(|it| (*it, at + 1));
        }
        if may_be_cut && is_cut(rest) {
            return None;
        }
        match escaped(rest) {
            // A backslash.
            Some(0x5c) => at += ESCAPED_BYTES,
            Some(it) => {
                let symbol = u8::try_from(it).ok().filter(u8::is_ascii).unwrap_or(OTHER);
                return Some((symbol, at + ESCAPED_BYTES));
            }
            None => {
                let first = *rest.first()?;
                return Some(if first.is_ascii_alphanumeric() { (BACKSLASHES, at) } else { (first, at + 1) });
            }
        }
    }
}

/// The bytes of an escaped character behind the backslash.
const ESCAPED_BYTES: usize = "u0000".len();

/// The number of the escaped character that these bytes begin with.
fn escaped(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.get(1..ESCAPED_BYTES).filter(|it| bytes[0] == b'u' && is_hex(it))?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Whether these bytes may be the beginning of an escaped character, or are none.
fn is_cut(bytes: &[u8]) -> bool {
    let begins = |(first, digits): (&u8, &[u8])| *first == b'u' && is_hex(digits);
    bytes.len() < ESCAPED_BYTES && bytes.split_first().is_none_or(begins)
}

fn is_hex(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_hexdigit)
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

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

    /// A search that begins anew at each byte would take hours.
    #[test]
    fn a_long_key_is_looked_for_in_linear_time() {
        let half = "a".repeat(1 << 20);
        let key = Key::new(&format!("{half}b")).expect("a key");
        let text = half.repeat(2);
        assert_eq!(key.hide(&text), text);
        assert_eq!(key.hide(&format!("{text}b")), format!("{half}[key]"));
        assert_eq!(key.hide_cut(&text), format!("{half}[key]"));
        assert_eq!(key.hide_shortened(&format!("{text}…")), format!("{half}[key]…"));
        assert_eq!(key.hide_shortened(&format!("{text}c…")), format!("{text}c…"));
        let backslashes = "\\".repeat(1 << 20);
        assert_eq!(key.hide(&backslashes), backslashes);
    }

    proptest! {
        /// Whatever is around a key, also within JSON and JSON in JSON.
        #[test]
        fn no_text_shows_a_key_and_json_stays_json(
            parts in vec(select(vec!["sk-a/b\\c7", "\\", "u", "0073", "\"", "n", "é", "\n", "\u{1}"]), 0..8),
        ) {
            let key = Key::new("sk-a/b\\c7").expect("a key");
            let text = parts.concat();
            let hidden = key.hide(&text);
            prop_assert!(!hidden.contains(key.text()), "{}", hidden);
            let json = serde_json::to_string(&text).expect("a text");
            let hidden: String = serde_json::from_str(&key.hide(&json)).expect("it is JSON");
            prop_assert!(!hidden.contains(key.text()), "{}", hidden);
            let nested = serde_json::to_string(&json).expect("a text");
            let hidden: String = serde_json::from_str(&key.hide(&nested)).expect("it is JSON");
            let hidden: String = serde_json::from_str(&hidden).expect("it is JSON within");
            prop_assert!(!hidden.contains(key.text()), "{}", hidden);
        }
    }
}
