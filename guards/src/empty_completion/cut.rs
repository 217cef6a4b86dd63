//! What a text was in the middle of when it was cut off, judged by its structure.

use std::collections::BTreeSet;

use memchr::memchr2_iter;

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

/// Whether a tag that begins a line is never closed, or not even complete. The text is read from its end, so that each
/// tag finds what comes behind it.
fn leaves_a_tag(text: &str) -> bool {
    let mut behind = Behind::default();
    memchr2_iter(b'<', b'>', text.as_bytes()).rev().any(|at| {
        let (before, rest) = (&text[..at], &text[at + 1..]);
        if text.as_bytes()[at] == b'>' {
            behind.end = Some(at);
            behind.closing.extend(behind.before_the_end.drain(..));
            return false;
        }
        let begins = before.trim_end_matches([' ', '\t']);
        let is_first = begins.is_empty() || begins.ends_with('\n');
        let is_open = is_first && behind.leaves_open(rest, at + 1);
        if let Some(closing) = rest.strip_prefix('/') {
            behind.before_the_end.push(name(closing));
        }
        is_open
    })
}

/// What comes behind a place of a text.
#[derive(Default)]
struct Behind<'t> {
    /// Where the first tag ends.
    end: Option<usize>,
    /// The names of closing tags behind that end, and before it.
    closing: BTreeSet<&'t str>,
    before_the_end: Vec<&'t str>,
}

impl Behind<'_> {
    /// Whether `rest`, which follows a `<` and begins at `from`, is a tag that stays open.
    fn leaves_open(&self, rest: &str, from: usize) -> bool {
        /// Elements of HTML that are never closed.
        const VOID: [&str; 3] = ["br", "hr", "img"];
        let name = name(rest);
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return rest.starts_with('/') && self.end.is_none();
        }
        match self.end.map(|end| &rest[..end - from]) {
            None => true,
            Some(tag) if tag.ends_with('/') || VOID.contains(&name) => false,
            // The name of a closing tag may go on.
            Some(_) => !self.closing.range(name..).next().is_some_and(|it| it.starts_with(name)),
        }
    }
}

/// The name at the start of a tag.
fn name(tag: &str) -> &str {
    tag.split(|c: char| !(c.is_ascii_alphanumeric() || "_-:.".contains(c))).next().unwrap_or("")
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
            ("<a>\n</b>\n", Open::Markup),
            ("<a </a>\n", Open::Markup),
            ("a\n</a", Open::Markup),
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
            "<a href=\"b\">\n</a>\n<br>\n<b/>\n</b>",
            "<a\n</a>\n</article>",
            "a < b and b > c, so",
            "Wenn x < 3 ist, dann",
            "まず、ファイルを",
            "",
        ] {
            assert_eq!(Open::of(text), Open::Prose, "{text}");
        }
    }
}
