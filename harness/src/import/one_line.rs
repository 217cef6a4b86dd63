//! Foreign text on one line, for messages and lists.

/// Text on one line of at most `chars` characters: white space becomes one space, control characters become `?`, and
/// `…` replaces the part that was cut.
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
        line.push(if c.is_control() { '?' } else { c });
        written += 1;
    }
    line
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
    }
}
