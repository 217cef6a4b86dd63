//! What a text was in the middle of when it was cut off, judged by its structure.

use memchr::{memchr, memmem};

use crate::fence;

/// What a cut-off text leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    /// Prose: it can be continued.
    Prose,
    /// A code block.
    Block,
    /// An object, a call or a tag that it writes out.
    Markup,
}

impl Open {
    /// What this text leaves open.
    pub(super) fn of(text: &str) -> Self {
        if fence::fences(text).last().is_some_and(|it| !it.closed) {
            Self::Block
        } else if leaves_a_bracket(text) || leaves_a_tag(text) {
            Self::Markup
        } else {
            Self::Prose
        }
    }
}

/// Whether more braces open than close, or a bracket that begins a line is not closed. Braces hold the arguments of a
/// call in nearly all forms of printed calls; brackets hold whole calls in some (`[read(path="a")]`). Brackets inside a
/// line are links and notes.
fn leaves_a_bracket(text: &str) -> bool {
    let mut braces = 0_i32;
    let mut brackets = 0_i32;
    let mut begins = true;
    for c in text.chars() {
        match c {
            '{' => braces += 1,
            '}' => braces = (braces - 1).max(0),
            '[' if begins || brackets > 0 => brackets += 1,
            ']' => brackets = (brackets - 1).max(0),
            _ => {}
        }
        begins = c == '\n' || begins && c.is_whitespace();
    }
    braces > 0 || brackets > 0
}

/// Whether a tag that begins a line is never closed, or not even complete.
fn leaves_a_tag(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = memchr(b'<', rest.as_bytes()) {
        let begins = rest[..at].trim_end_matches([' ', '\t']);
        let is_first = begins.ends_with('\n') || begins.is_empty() && rest.len() == text.len();
        rest = &rest[at + 1..];
        if is_first && is_open(rest) {
            return true;
        }
    }
    false
}

/// Whether what follows a `<` is a tag that stays open.
fn is_open(rest: &str) -> bool {
    /// Elements of HTML that are never closed.
    const VOID: [&str; 3] = ["br", "hr", "img"];
    let name = rest.split(|c: char| !(c.is_ascii_alphanumeric() || "_-:.".contains(c))).next().unwrap_or("");
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return rest.starts_with('/') && !rest.contains('>');
    }
    match rest.split_once('>') {
        None => true,
        Some((tag, _)) if tag.ends_with('/') || VOID.contains(&name) => false,
        Some((_, behind)) => {
            !memmem::find_iter(behind.as_bytes(), "</").any(|at| behind[at + 2..].starts_with(name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e3_an_open_call_object_tag_or_block_is_not_prose() {
        for (text, open) in [
            ("Sure.\n```python\nx = 1\n", Open::Block),
            ("```json\n{\"name\": \"write_file\", \"arguments\": {\"content\": \"a", Open::Block),
            (
                "{\"name\": \"write_file\", \"arguments\": {\"path\": \"a.md\", \"content\": \"# The",
                Open::Markup,
            ),
            ("Action: write_file\nAction Input: {\"path\": \"a.md\", \"content\": \"All", Open::Markup),
            ("[write_file(path=\"a.md\", content=\"All ch", Open::Markup),
            ("<tool_call>\n<function=write_file>\n<parameter=content>\nAll ch", Open::Markup),
            ("<write_file>\n<path>a.md</path>\n<content>All ch", Open::Markup),
            ("I write it.\n<write_file>\n<path>a.md</path>\n", Open::Markup),
            ("I write it.\n<write_fi", Open::Markup),
            ("<tool_call>\n{\"name\": \"a\", \"arguments\": {}}\n", Open::Markup),
        ] {
            assert_eq!(Open::of(text), open, "{text}");
        }
    }

    #[test]
    fn e3_prose_is_prose_also_with_whole_markup_in_it() {
        for text in [
            "The first step is",
            "Look at:\n```sh\nls\n```\nThen go on with",
            "The config is {\"a\": 1}, and it",
            "1. [the guide](docs/a.md)\n2. see [the sec",
            "[x] one\n[ ] two\nThe rest is",
            "<details>\nwhy\n</details>\nSo it",
            "a < b and b > c, so",
            "Wenn x < 3 ist, dann",
            "まず、ファイルを",
            "",
        ] {
            assert_eq!(Open::of(text), Open::Prose, "{text}");
        }
    }
}
