//! The one way out: everything that is printed goes through here.
//!
//! Texts of scenarios, models, clients, files and other people's guards are in what is printed, and a terminal, or
//! whatever reads a log, obeys control characters. So text for people has none but line feeds, tabs and colours: others
//! become visible signs, and so do marks that change the direction of a text. In data for programs the escapes of its
//! format stand for them.

use std::io::{self, IsTerminal as _, Write};

use balk_reports::report::document::{sign, visible};

use crate::error::Error;

/// Standard output, for people.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub(super) fn people() -> Box<dyn Write + Send> {
    Box::new(Visible::new(anstream::stdout(), Form::Text))
}

/// Standard output, for programs: what its format demands, unless it is shown on a terminal.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub(super) fn data() -> Box<dyn Write + Send> {
    if io::stdout().is_terminal() { people() } else { Box::new(io::stdout()) }
}

/// Standard output, for JSON.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub(super) fn json() -> Box<dyn Write + Send> {
    Box::new(Visible::new(io::stdout(), Form::Json))
}

/// A text in TOML as it is printed.
///
/// # Errors
/// It would be another document: a literal string in it has something that a terminal or a log obeys, and no escapes.
pub(super) fn as_toml(text: &str) -> Result<String, Error> {
    let mut shown = Vec::new();
    Visible::new(&mut shown, Form::Toml).write_all(text.as_bytes())?;
    let shown = String::from_utf8_lossy(&shown).into_owned();
    if shown != text && shown.parse::<toml::Table>().ok() != text.parse::<toml::Table>().ok() {
        let found = "a literal string with characters that a terminal or a log obeys";
        let error = Error::usage("standard output", "text that can be printed", found);
        return Err(error.hint("name a folder with --out"));
    }
    Ok(shown)
}

/// Standard output, for HTML and XML.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub(super) fn markup() -> Box<dyn Write + Send> {
    Box::new(Visible::new(io::stdout(), Form::Markup))
}

/// Standard error, for people.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub(super) fn aside() -> Box<dyn Write + Send> {
    Box::new(Visible::new(anstream::stderr(), Form::Text))
}

/// Shows a workflow command of GitHub Actions, which reads both streams.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub(super) fn workflow_command(command: &str) -> io::Result<()> {
    writeln!(anstream::stderr(), "{}", visible(command))
}

/// How a character is written that must not be read as what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As a visible sign.
    Text,
    /// As an escape, which programs read as the character. All that needs one is in strings.
    Json,
    /// The same. A literal string has no escapes.
    Toml,
    /// As a visible sign, or as a reference, which browsers read as the character.
    Markup,
}

/// A writer that lets through text, line ends, tabs and colours.
struct Visible<W> {
    out: W,
    form: Form,
    /// The beginning of a character whose end has not been written yet.
    bytes: Vec<u8>,
    /// The beginning of an escape sequence or of a line end, in the same way.
    begun: String,
    tail: Tail,
}

/// What was printed last, as far as a workflow command may begin with it: GitHub Actions obeys a line that begins with
/// `::`, and `##[` in any line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// Nothing but blanks in this line.
    Start,
    /// The same, and a colon.
    Colon,
    Hash,
    Hashes,
    Other,
}

/// The longest escape sequence that sets a colour.
const COLOUR_BYTES: usize = 32;

impl<W: Write> Visible<W> {
    fn new(out: W, form: Form) -> Self {
        Self { out, form, bytes: Vec::new(), begun: String::new(), tail: Tail::Start }
    }

    /// Adds a character to the text that may be printed.
    fn add(&mut self, c: char, text: &mut String) {
        let goes_on = match (&*self.begun, c) {
            ("", '\u{1b}' | '\r') => true,
            ("\r", '\n') => {
                text.push('\r');
                self.begun.clear();
                false
            }
            ("\u{1b}", '[') => true,
            ("" | "\r" | "\u{1b}", _) => false,
            (begun, '0'..='9' | ';') => begun.len() < COLOUR_BYTES,
            (begun, 'm') if sets_colour(begun) => {
                text.push_str(&std::mem::take(&mut self.begun));
                text.push('m');
                return;
            }
            _ => false,
        };
        if goes_on {
            self.begun.push(c);
            return;
        }
        self.end(text);
        match c {
            '\u{1b}' | '\r' => self.begun.push(c),
            c => self.put(c, text),
        }
    }

    /// How many bytes are printed as they are, and leave the line as it is: most of most texts.
    fn plain(&self, text: &str) -> usize {
        if !self.begun.is_empty() || self.tail != Tail::Other {
            return 0;
        }
        let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'#';
        text.bytes().position(|byte| !is_plain(byte)).unwrap_or(text.len())
    }

    /// Shows what was begun and is neither a colour nor a line end.
    fn end(&mut self, text: &mut String) {
        std::mem::take(&mut self.begun).chars().for_each(|c| self.put(c, text));
    }

    fn put(&mut self, c: char, text: &mut String) {
        let begins_command = matches!((self.tail, c), (Tail::Colon, ':') | (Tail::Hashes, '['));
        self.tail = match (self.tail, c) {
            (_, '\n') => Tail::Start,
            (Tail::Colon, ':') | (Tail::Hashes, '[') => Tail::Other,
            (Tail::Start, ':') => Tail::Colon,
            (Tail::Start, c) if c.is_whitespace() => Tail::Start,
            (Tail::Hash | Tail::Hashes, '#') => Tail::Hashes,
            (_, '#') => Tail::Hash,
            (Tail::Start | Tail::Colon | Tail::Hash | Tail::Hashes | Tail::Other, _) => Tail::Other,
        };
        match (self.form, sign(c)) {
            (Form::Json | Form::Toml, None) if !begins_command => text.push(c),
            (Form::Json, _) => {
                text.extend(c.encode_utf16(&mut [0; 2]).iter().map(|it| format!("\\u{it:04x}")));
            }
            (Form::Toml, _) => text.push_str(&format!("\\U{:08x}", u32::from(c))),
            (Form::Text | Form::Markup, Some(sign)) => text.push_str(&sign),
            (Form::Text, None) if begins_command => text.extend(['\\', c]),
            (Form::Markup, None) if begins_command => text.push_str(&format!("&#{};", u32::from(c))),
            (Form::Text | Form::Markup, None) => text.push(c),
        }
    }
}

/// Whether this escape sequence, which lacks its last letter, sets colours or how bold, slanted or underlined a text
/// is. What hides a text or makes it blink is none.
fn sets_colour(begun: &str) -> bool {
    let mut codes = begun.trim_start_matches("\u{1b}[").split(';');
    while let Some(code) = codes.next() {
        let is_known = match code {
            "38" | "48" => codes.next() == Some("5") && codes.next().is_some(),
            "" | "0" | "1" | "2" | "3" | "4" | "22" | "23" | "24" | "39" | "49" => true,
            code => matches!(code.parse(), Ok(30..=37_u8 | 40..=47 | 90..=97 | 100..=107)),
        };
        if !is_known {
            return false;
        }
    }
    true
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.bytes) {
            // The end of a character may come with the next bytes.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Ok(_) | Err(_) => self.bytes.len(),
        };
        let rest = self.bytes.split_off(whole);
        let whole = std::mem::replace(&mut self.bytes, rest);
        let mut text = String::with_capacity(whole.len());
        let whole = String::from_utf8_lossy(&whole);
        let mut rest = &*whole;
        while let Some(c) = rest.chars().next() {
            let plain = self.plain(rest);
            if plain > 0 {
                text.push_str(&rest[..plain]);
            } else {
                self.add(c, &mut text);
            }
            rest = &rest[plain.max(c.len_utf8())..];
        }
        self.out.write_all(text.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What is printed if these pieces are.
    fn printed(form: Form, pieces: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut visible = Visible::new(&mut out, form);
        pieces.iter().for_each(|it| visible.write_all(it).expect("a vector takes all"));
        drop(visible);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn colours_pass_and_everything_else_that_a_terminal_obeys_is_visible() {
        for (text, expected) in [
            ("\u{1b}[1;31mred\u{1b}[0m\tand\r\n", "\u{1b}[1;31mred\u{1b}[0m\tand\r\n"),
            ("\u{1b}]52;c;eA==\u{7}", "␛]52;c;eA==␇"),
            ("\u{1b}[2Jgone", "␛[2Jgone"),
            ("\u{1b}[8mhidden", "␛[8mhidden"),
            ("\u{1b}[1;38;5;8mgrey", "\u{1b}[1;38;5;8mgrey"),
            ("\u{1b}[31\u{1b}[31mx", "␛[31\u{1b}[31mx"),
            ("over\rwritten", "over␍written"),
            (" ::warning::x\n##[group]\na::b", " :\\:warning::x\n##\\[group]\na::b"),
            ("a\u{202e}b\u{9b}c\u{85}", "a⟨U+202E⟩b\u{fffd}c\u{fffd}"),
        ] {
            assert_eq!(printed(Form::Text, &[text.as_bytes()]), expected);
        }
    }

    #[test]
    fn programs_and_browsers_read_what_was_there() {
        let text = "##[group]\u{7f}\u{9b}\u{202e}\u{1fffe}漢";
        let json = serde_json::json!([text]).to_string();
        let found = printed(Form::Json, &[json.as_bytes()]);
        assert_eq!(found, r###"["##\u005bgroup]\u007f\u009b\u202e\ud83f\udffe漢"]"###);
        assert_eq!(serde_json::from_str::<[String; 1]>(&found).expect("JSON"), [text]);
        let toml = format!("it = \"\"\"\n{text}\n::warning::\"\"\"").replace('\u{7f}', "");
        let found = printed(Form::Toml, &[toml.as_bytes()]);
        assert_eq!(
            found,
            "it = \"\"\"\n##\\U0000005bgroup]\\U0000009b\\U0000202e\\U0001fffe漢\n:\\U0000003awarning::\"\"\""
        );
        assert_eq!(found.parse::<toml::Table>().expect("TOML"), toml.parse().expect("TOML"));
        assert_eq!(as_toml(&toml).expect("it has escapes"), found);
        assert!(as_toml("it = '''\n::warning::'''").is_err() && as_toml("it = '''\n:warning'''").is_ok());
        let markup = printed(Form::Markup, &[b"<p>a\n ::warning::b ##[group]c: d::e</p>"]);
        assert_eq!(markup, "<p>a\n :&#58;warning::b ##&#91;group]c: d::e</p>");
    }

    proptest! {
        #[test]
        fn pieces_are_printed_as_the_whole(
            text in "(\\PC|[\u{1b}\\[\r\n0;mJ\u{202e}])*",
            at in any::<prop::sample::Index>(),
        ) {
            let bytes = text.as_bytes();
            let (one, other) = bytes.split_at(at.index(bytes.len() + 1));
            for form in [Form::Json, Form::Toml, Form::Markup] {
                prop_assert_eq!(printed(form, &[one, other]), printed(form, &[bytes]));
            }
            let whole = printed(Form::Text, &[bytes]);
            prop_assert_eq!(printed(Form::Text, &[one, other]), whole.clone());
            let bare = anstream::adapter::strip_str(&whole).to_string();
            prop_assert!(!bare.chars().any(|c| sign(c).is_some() && c != '\r'), "{bare:?}");
        }
    }
}
