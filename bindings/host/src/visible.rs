//! Text of models, tools, users and files, fit for a terminal or a log.

/// The text with a visible sign in place of what a terminal obeys, what turns the direction of a text, and what begins
/// a workflow command of GitHub Actions or Azure Pipelines. Line feeds and tabs stay; ends of lines become line feeds.
/// The signs are those of the program `balk`.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.replace("\r\n", "\n").chars() {
        if begins_command(&shown, c) {
            shown.push('\\');
        }
        match c {
            '\n' | '\t' => shown.push(c),
            // The picture of a control character.
            '\0'..='\u{1f}' => shown.extend(char::from_u32(0x2400 + u32::from(c))),
            '\u{7f}' => shown.push('\u{2421}'),
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
            }
            '\u{80}'..='\u{9f}' | '\u{fdd0}'..='\u{fdef}' => shown.push('\u{fffd}'),
            c if u32::from(c) & 0xfffe == 0xfffe => shown.push('\u{fffd}'),
            c => shown.push(c),
        }
    }
    shown
}

/// Whether a command begins with this character: `##[` in any line, `::` after nothing but blanks.
fn begins_command(before: &str, c: char) -> bool {
    let is_end = |c: &char| matches!(c, '\n' | '\u{2028}' | '\u{2029}');
    match c {
        '[' => before.ends_with("##"),
        ':' => before
            .strip_suffix(':')
            .is_some_and(|it| it.chars().rev().take_while(|c| !is_end(c)).all(char::is_whitespace)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_a_terminal_or_a_log_obeys_is_visible() {
        for (text, expected) in [
            ("a\tb\r\nc: d::e #[f]", "a\tb\nc: d::e #[f]"),
            ("\u{1b}]52;c;eA==\u{7}\u{7f}", "␛]52;c;eA==␇␡"),
            ("over\rwritten", "over␍written"),
            ("a\u{202e}b\u{9b}c\u{85}d\u{1fffe}\u{61c}", "a⟨U+202E⟩b\u{fffd}c\u{fffd}d\u{fffd}⟨U+061C⟩"),
            ("::error::x\n ::group::x", ":\\:error::x\n :\\:group::x"),
            ("a\u{2028}::error::x", "a\u{2028}:\\:error::x"),
            ("##[error]x ###[group]", "##\\[error]x ###\\[group]"),
            (":::x", ":\\::x"),
        ] {
            assert_eq!(visible(text), expected);
        }
    }
}
