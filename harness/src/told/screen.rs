//! What a person sees of what a program printed.

use std::iter::Peekable;
use std::str::Chars;

/// The lines that a person sees, without colours, without what was overwritten, and without blank ones.
pub(super) fn lines(printed: &str) -> impl Iterator<Item = String> {
    printed.split('\n').filter_map(|line| {
        let plain = plain(line);
        // A bar or a spinner writes over itself; the last state stays.
        let seen = plain.rsplit('\r').map(str::trim_end).find(|it| !it.trim().is_empty())?;
        Some(seen.to_owned())
    })
}

/// A line without the codes of a terminal.
fn plain(line: &str) -> String {
    let mut rest = line.chars().peekable();
    let mut plain = String::with_capacity(line.len());
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => escape(&mut rest),
            // The same code in one character.
            '\u{9b}' => control(&mut rest),
            '\u{8}' => {
                plain.pop();
            }
            '\r' | '\t' => plain.push(c),
            c if c.is_control() => {}
            c => plain.push(c),
        }
    }
    plain
}

fn escape(rest: &mut Peekable<Chars<'_>>) {
    match rest.next() {
        Some('[') => control(rest),
        // Titles and links end with a bell, or with another escape and a backslash.
        Some(']' | 'P' | '_' | '^' | 'X') => {
            while let Some(c) = rest.next() {
                if c == '\u{7}' {
                    break;
                }
                if c == '\u{1b}' {
                    rest.next_if_eq(&'\\');
                    break;
                }
            }
        }
        // A character set has one more letter.
        Some('(' | ')' | '#' | '%') => drop(rest.next()),
        Some(_) | None => {}
    }
}

fn control(rest: &mut Peekable<Chars<'_>>) {
    for c in rest {
        if ('@'..='~').contains(&c) {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(printed: &str, expected: &[&str]) {
        assert_eq!(lines(printed).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn codes_of_terminals_are_not_seen() {
        check("\u{1b}[1;31mError:\u{1b}[0m no\u{1b}[K\n\u{1b}[2J\n", &["Error: no"]);
        check("\u{1b}]0;title\u{7}a\u{1b}]8;;https://x\u{1b}\\link\u{1b}]8;;\u{1b}\\\n", &["alink"]);
        check("\u{1b}(Ba\u{1b}7b\u{9b}3mc\u{1b}", &["abc"]);
    }

    #[test]
    fn what_was_overwritten_is_not_seen() {
        check("10%\r50%\r100% done\r\nnext\r\n", &["100% done", "next"]);
        check("|\u{8}/\u{8}-\u{8}ok", &["ok"]);
        check("  \n\t\n", &[]);
    }
}
