//! What kind of line it is: what the tool says, or what it shows.

use super::number::count_after;
use super::words::begins;

/// A line of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line<'l> {
    /// It begins like an error.
    Error(&'l [u8]),
    /// Its words count.
    Plain(&'l [u8]),
    /// It warns of something. Only an exit status in it counts.
    Warning(&'l [u8]),
    /// It quotes something, or names a test that passed. It says nothing about the tool.
    Aside,
}

/// What the beginning of a line says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Error,
    Warning,
    Aside,
}

/// Beginnings of lines that start with this byte, in lower case: of errors beside words such as "error"; of warnings
/// and notes; of patches, and of tests that run or passed.
const fn beginnings(first: u8) -> &'static [(&'static str, Kind)] {
    match first {
        b'(' => &[("(node:", Kind::Warning)],
        b'-' => &[("--- fail", Kind::Error), ("--- pass", Kind::Aside), ("--- a/", Kind::Aside)],
        b'=' => &[("=== run", Kind::Aside)],
        b'@' => &[("@@ ", Kind::Aside)],
        b'a' => &[("advertencia", Kind::Warning)],
        b'd' => &[("debug", Kind::Warning), ("diff --git", Kind::Aside)],
        b'e' => &[("e: ", Kind::Error), ("err:", Kind::Error), ("exception in thread", Kind::Error)],
        b'h' => &[("hint", Kind::Warning)],
        b'i' => &[("info", Kind::Warning), ("index ", Kind::Aside)],
        b'm' => &[("make: ***", Kind::Error)],
        b'n' => &[("note", Kind::Warning), ("npm warn", Kind::Warning), ("npm err", Kind::Error)],
        b'o' => &[("oops!", Kind::Error)],
        b'p' => &[("panic:", Kind::Error), ("pass ", Kind::Aside)],
        b'r' => &[("remark", Kind::Warning)],
        b't' => &[("tool_use_error>", Kind::Error), ("traceback (most", Kind::Error)],
        b'u' => &[("uncaught ", Kind::Error)],
        b'w' => &[("warn", Kind::Warning)],
        0xe6 => &[("注意", Kind::Warning)],
        0xe8 => &[("警告", Kind::Warning)],
        _ => &[],
    }
}

fn kind(line: &[u8]) -> Option<Kind> {
    let listed = beginnings(line.first()?.to_ascii_lowercase());
    let found = listed.iter().find(|(word, _)| begins(line, word.as_bytes())).map(|(_, kind)| *kind);
    found.or_else(|| is_python_warning(line).then_some(Kind::Warning))
}

/// `UserWarning: …`, `DeprecationWarning: …`.
fn is_python_warning(line: &[u8]) -> bool {
    let name = line.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    line[..name].ends_with(b"Warning") && line.get(name) == Some(&b':')
}

impl<'l> Line<'l> {
    pub(super) fn of(line: &'l [u8]) -> Self {
        if is_indented(line) || is_assignment(line) || is_quoted(line) || has_passed(line) {
            return Self::Aside;
        }
        let line = undecorated(line);
        match kind(line) {
            Some(Kind::Aside) => return Self::Aside,
            Some(Kind::Warning) => return Self::Warning(line),
            Some(Kind::Error) => return Self::Error(line),
            None if begins_like_an_error(line) => return Self::Error(line),
            None => {}
        }
        let end = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
        if !line[..end].iter().any(|byte| matches!(byte, b':' | b')')) {
            return Self::Plain(line);
        }
        match Place::of(line, end) {
            Some(Place { said, exact }) => {
                if kind(said) == Some(Kind::Warning) {
                    Self::Warning(said)
                } else if exact || begins(said, b"*** ") || begins_like_an_error(said) {
                    Self::Error(said)
                } else {
                    Self::Plain(said)
                }
            }
            None if is_hit(line, end) => Self::Aside,
            None => Self::Plain(line),
        }
    }
}

/// Whether a line can be an [`Error`](Line::Error), by its first word. Few lines can, and this costs a fifth.
pub(super) fn may_be_error(line: &[u8]) -> bool {
    if is_indented(line) {
        return false;
    }
    let blanks = line.iter().take_while(|byte| **byte == b' ').count();
    let line = match &line[blanks..] {
        bare @ [b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9', ..] => bare,
        decorated => undecorated(decorated),
    };
    let word = line.iter().take_while(|byte| IS_OF_NAME[usize::from(**byte)]).count();
    let [first, last] = [0, word.wrapping_sub(1)].map(|at| line.get(at).map(u8::to_ascii_lowercase));
    let says = matches!((first, word), (Some(b'e' | b'f'), 4..=7));
    match line.get(word) {
        // "exception in thread", "npm err", "traceback (most", "uncaught ".
        Some(b' ') => {
            says || matches!((first, word), (Some(b'e' | b't'), 9) | (Some(b'n'), 3) | (Some(b'u'), 8))
        }
        // Names of errors, "e:", "make:", "oops!", "panic:".
        None | Some(b':' | b'[' | b']' | b'!' | b'>')
            if word > 0 && matches!(last, Some(b'r' | b'n' | b'e' | b's' | b'c')) =>
        {
            true
        }
        // "--- fail".
        Some(b'-') if word == 0 => true,
        _ => says || is_behind_a_place(line),
    }
}

/// Whether the first word may be a place in a file. Behind two blanks is a line of the file.
fn is_behind_a_place(line: &[u8]) -> bool {
    let end = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
    matches!(line[..end], [.., b'0'..=b'9' | b')', b':']) && line.get(end + 1) != Some(&b' ')
}

/// Bytes of the name of an error.
static IS_OF_NAME: [bool; 256] = {
    let mut is_of_name = [false; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        is_of_name[at] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
        at += 1;
    }
    is_of_name
};

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Whether the line is a part of something: of a program, of a report. A count still stands for itself.
fn is_indented(line: &[u8]) -> bool {
    matches!(line, [b'\t', ..])
        || line.starts_with(b"    ") && !line.trim_ascii_start().first().is_some_and(u8::is_ascii_digit)
}

/// Whether the line sets something: `error = None`.
fn is_assignment(line: &[u8]) -> bool {
    let name = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    name > 0 && line[name..].starts_with(b" = ")
}

/// Whether the line is of a file, a patch, a log or a list of commits.
fn is_quoted(line: &[u8]) -> bool {
    match line {
        [b'+', ..] | [b'-', b' ', b' ' | b'\t', ..] => return true,
        [b'[', ..] => {
            // `[main 1a2b3c4] Fix the error`: a commit.
            let name = line.iter().position(|byte| *byte == b' ').map_or(0, |at| at + 1);
            return name > 0 && is_commit(&line[name..], b']') || is_of_log(line);
        }
        _ => {}
    }
    if is_commit(line, b' ') {
        return true;
    }
    let line = line.trim_ascii_start();
    let line = line.strip_prefix(b"L").unwrap_or(line);
    if is_of_log(line) {
        return true;
    }
    // `12<tab>code`, `12 | code`, `12:code`, `12:    code`.
    let number = digits(line);
    let rest = &line[number..];
    let bar = rest.trim_ascii_start().first() == Some(&b'|');
    number > 0
        && match rest {
            [b'\t', ..] => true,
            [b':', b' ', next, ..] => *next == b' ' || bar,
            [b':', next, ..] => !next.is_ascii_digit(),
            _ => bar,
        }
}

/// Whether the line is of a log: it begins with a date, perhaps in a bracket, or with a time. Tools that report their
/// own steps print a time in brackets.
fn is_of_log(line: &[u8]) -> bool {
    let is_dated = |line: &[u8]| matches!(line, [_, _, _, _, b'-', _, _, b'-', ..]) && digits(line) == 4;
    match line {
        // `2026-03-14 10:42:07 …`.
        [b'[', rest @ ..] => is_dated(rest),
        _ if is_dated(line) => true,
        // `10:42:07 …`.
        [_, _, b':', _, _, b':', _, _, b' ' | b'.' | b',' | b']', ..] => digits(line) == 2,
        // `Mar 14 10:42:07 …`.
        [b'A'..=b'Z', b'a'..=b'z', b'a'..=b'z', b' ', _, _, b' ', _, _, b':', _, _, b':', _, _, b' ', ..] => {
            true
        }
        _ => false,
    }
}

/// Whether the text begins with the short name of a commit, and this byte behind it.
fn is_commit(text: &[u8], end: u8) -> bool {
    let length = text.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
    (7..=40).contains(&length)
        && text.get(length) == Some(&end)
        && text[..length].iter().any(u8::is_ascii_digit)
}

/// Whether the line names a test that passed.
fn has_passed(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let marked = || ["✓", "✔", "√"].iter().any(|mark| line.starts_with(mark.as_bytes()));
    match line {
        [0xe2, ..] => marked(),
        [.., b' ', b'o', b'k'] => true,
        [.., b'%', b']'] => line.windows(8).any(|it| it == b" PASSED "),
        _ => false,
    }
}

/// The line without brackets, bullets, colours and frames before its first word.
fn undecorated(line: &[u8]) -> &[u8] {
    let mut at = 0;
    loop {
        match line[at..] {
            // A colour, `\x1b[31m`.
            [0x1b, b'[', ref rest @ ..] => {
                at += 2 + rest.iter().position(u8::is_ascii_alphabetic).map_or(rest.len(), |end| end + 1);
            }
            // Frames, bullets and marks of Unicode.
            [0xe2, _, _, ..] => at += 3,
            [0xc2 | 0xc3, 0x97 | 0xab | 0xbf, ..] => at += 2,
            [b'-' | b'+' | b'@', ..] if begins(&line[at..], b"--- ") || begins(&line[at..], b"@@ ") => {
                return &line[at..];
            }
            [byte, ..] if byte < 0x80 && !byte.is_ascii_alphanumeric() && byte != b'(' => at += 1,
            _ => return &line[at..],
        }
    }
}

/// Whether the line begins like an error, and a mark is behind it: `TypeError: …`, `[ERROR] …`, but not "Failed jobs".
pub(super) fn is_marked(line: &[u8]) -> bool {
    let line = undecorated(line);
    let word =
        line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')).count();
    let is_named =
        matches!(line[word..], [b':' | b'[' | b']' | b'!' | b'>', ..]) && begins_like_an_error(line);
    is_named
        || kind(line) == Some(Kind::Error)
        || !line[..word].iter().any(u8::is_ascii_lowercase) && begins_like_an_error(line)
}

/// Whether the first word is the name of an error or says that something failed.
fn begins_like_an_error(line: &[u8]) -> bool {
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let end = line.iter().position(|byte| !inner(byte)).unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    let marked = matches!(rest, [] | [b':' | b'[' | b']' | b'!' | b'>', ..]);
    if (word.ends_with(b"Error") || word.ends_with(b"Exception")) && marked {
        return true;
    }
    let says = [&b"error"[..], b"fatal", b"failure", b"failed", b"fail"];
    if !says.iter().any(|it| word.eq_ignore_ascii_case(it)) {
        return false;
    }
    let named = matches!(rest, [b' ', next, ..] if next.is_ascii_uppercase());
    // A count says more than its name: `Failed: 0`.
    count_after(rest).is_none() && (marked || named || word[0].is_ascii_uppercase())
}

/// What stands behind a place in a file.
struct Place<'l> {
    said: &'l [u8],
    /// Whether the place has a column: only compilers and linters print one.
    exact: bool,
}

impl<'l> Place<'l> {
    /// `src/a.c:3:5: said`, `src/a.c:3: said`, `src/a.ts(3,5): said`.
    fn of(line: &'l [u8], end: usize) -> Option<Self> {
        let (place, said) = line.split_at(end);
        // Two blanks: a line of a file, with its indentation.
        if said.starts_with(b"  ") {
            return None;
        }
        let place = place.strip_suffix(b":")?;
        let place = place.strip_suffix(b")").unwrap_or(place);
        let column = trailing_digits(place);
        let (rest, _) = place.split_at(place.len() - column);
        let (mark, before) = rest.split_last()?;
        if column == 0 || !matches!(mark, b':' | b',' | b'(') {
            return None;
        }
        let line = trailing_digits(before);
        let exact = line > 0 && before.len() > line && matches!(before[before.len() - line - 1], b':' | b'(');
        Some(Self { said: said.trim_ascii_start(), exact })
    }
}

fn trailing_digits(text: &[u8]) -> usize {
    text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Whether the line is what a search found: `src/a.rs:12:code`, `src/a.rs:12:    code`.
fn is_hit(line: &[u8], end: usize) -> bool {
    let mut rest = &line[..end];
    while let Some(at) = rest.iter().position(|byte| *byte == b':') {
        rest = &rest[at + 1..];
        let number = digits(rest);
        if at > 0 && number > 0 && rest.get(number) == Some(&b':') {
            let behind = &rest[number + 1..];
            return behind
                .first()
                .map_or_else(|| line[end..].starts_with(b"  "), |byte| !byte.is_ascii_digit());
        }
    }
    false
}

/// Whether the line has no words: it is empty, or markup ("<output>"), or a remark in brackets ("(no output)").
pub(super) fn is_silent(line: &[u8]) -> bool {
    match line.trim_ascii() {
        [] | [b'(', .., b')'] | [b'[', .., b']'] => true,
        [b'<', tag @ .., b'>'] => !tag.contains(&b'<'),
        [..] => false,
    }
}

/// Whether the line belongs to a list of differences, as only its marks do: "@@ -1 +1 @@", "3c3", "Only in a: b".
pub(super) fn is_of_differences(line: &[u8]) -> bool {
    let is_change = || {
        let rest = line.trim_ascii_end();
        let kind = rest.iter().position(|byte| matches!(byte, b'a' | b'c' | b'd'));
        let is_place = |text: &[u8]| {
            text.first().is_some_and(u8::is_ascii_digit)
                && text.iter().all(|it| it.is_ascii_digit() || *it == b',')
        };
        kind.is_some_and(|at| is_place(&rest[..at]) && is_place(&rest[at + 1..]))
    };
    match line {
        [b'@', ..] => line.starts_with(b"@@ -"),
        [b'O', ..] => line.starts_with(b"Only in "),
        [b'F' | b'B', ..] => line.trim_ascii_end().ends_with(b" differ"),
        [b'0'..=b'9', ..] => is_change(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_may_be_one() {
        let starts = [
            "",
            " ",
            "    ",
            "\t",
            "* ",
            "[",
            "--- ",
            "(",
            "\u{1b}[31m",
            "● ",
            "a.c:3:5: ",
            "src/a.ts(3,5): ",
        ];
        let words = [
            "error",
            "Error",
            "TypeError",
            "java.io.IOException",
            "FATAL",
            "failure",
            "failed",
            "fail",
            "FAIL",
            "e",
            "err",
            "exception in thread",
            "make",
            "npm err",
            "oops",
            "panic",
            "tool_use_error",
            "traceback (most",
            "uncaught",
            "note",
            "3",
            "a.c:3",
            "b:3:5",
            "é",
            "The end",
        ];
        let ends = ["", ": x", ":", "]", "!", "> x", "[x]", " x", " X", ": ***", " 3", "(3): x", ":3: x"];
        for start in starts {
            for word in words {
                for end in ends {
                    let line = [start, word, end].concat();
                    let is_error = matches!(Line::of(line.as_bytes()), Line::Error(_));
                    assert!(!is_error || may_be_error(line.as_bytes()), "{line:?}");
                }
            }
        }
        for line in ["The page is written", "   Compiling a v1.0", "src/a.c: 3", "10:42:07 x", "ok", ""] {
            assert!(!may_be_error(line.as_bytes()), "{line:?}");
        }
    }
}
