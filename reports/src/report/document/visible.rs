//! Text without characters that a reader would not see, or that a terminal, a log or a parser obeys.

use std::borrow::Cow;

/// The visible sign in place of a character that has none, if it is one: a control character that is no line feed and
/// no tab, a mark that changes the direction of a text, a noncharacter.
#[must_use]
pub fn sign(c: char) -> Option<Cow<'static, str>> {
    Some(match c {
        '\n' | '\t' => return None,
        // The picture of a control character.
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c))?.to_string().into(),
        '\u{7f}' => "\u{2421}".into(),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            format!("⟨U+{:04X}⟩", u32::from(c)).into()
        }
        '\u{80}'..='\u{9f}' | '\u{fdd0}'..='\u{fdef}' => "\u{fffd}".into(),
        c if u32::from(c) & 0xfffe == 0xfffe => "\u{fffd}".into(),
        _ => return None,
    })
}

/// The text with these signs. Ends of lines are line feeds.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| sign(c).is_none()) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, sign(c)) {
            ('\r', _) => {
                if chars.peek() != Some(&'\n') {
                    shown.push('\n');
                }
            }
            (_, Some(sign)) => shown.push_str(&sign),
            (c, None) => shown.push(c),
        }
    }
    shown.into()
}
