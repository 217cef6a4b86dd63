//! Foreign text on one line, for messages and lists.

/// Text on one line of at most `chars` characters: white space becomes one space, each other character is
/// [`plain`], and `…` replaces the part that was cut.
pub(crate) fn one_line(text: &str, chars: usize) -> String {
    let mut line = String::new();
    let mut written = 0;
    let mut blank = false;
    for c in text.trim().chars() {
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        if written + usize::from(blank) + 1 > chars {
            line.push('…');
            break;
        }
        if std::mem::take(&mut blank) {
            line.push(' ');
            written += 1;
        }
        line.push(plain(c));
        written += 1;
    }
    line
}

/// The character, or `?` for one that a terminal obeys: a control character, or one that turns the direction of the
/// text around it.
pub(crate) fn plain(c: char) -> char {
    let turns = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    if c.is_control() || turns { '?' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_is_one_line_and_obeys_nobody() {
        assert_eq!(one_line("  a\n\tb  c ", 10), "a b c");
        assert_eq!(one_line("abcdef", 6), "abcdef");
        assert_eq!(one_line("abcdefg", 6), "abcdef…");
        assert_eq!(one_line("abcde fg", 6), "abcde…");
        assert_eq!(one_line("\u{1b}[31mred", 10), "?[31mred");
        assert_eq!(one_line("a\u{202e}b\u{2069}", 10), "a?b?");
    }
}
