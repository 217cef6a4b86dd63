//! What a value has inside, as far as a format can be told by it: members, elements, and short words.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::scan::{Scan, Step};

/// What one value has inside, or several values in the same place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    members: Vec<(Box<str>, Shape)>,
    element: Option<Box<Shape>>,
    words: BTreeSet<Box<str>>,
}

/// How deep it looks, and how much it looks at in one place.
const DEPTH: usize = 6;
const ELEMENTS: usize = 64;
const MEMBERS: usize = 128;
const WORDS: usize = 64;
const WORD_BYTES: usize = 40;

impl Shape {
    /// Adds what a text has inside. If it breaks off or is no JSON, what came before counts.
    pub(super) fn add(&mut self, text: &[u8]) {
        // What was seen before the end is in the shape already.
        let _ = Look { text, at: 0 }.value(self, DEPTH);
    }

    /// Adds what a member has inside, by its key in quotes and the beginning of its value.
    pub(super) fn add_member(&mut self, key: &[u8], value: &[u8]) {
        if let Ok(Name(name)) = serde_json::from_slice(key)
            && let Some(member) = self.member(&name)
        {
            member.add(value);
        }
    }

    /// The member with a name, unless there are too many.
    fn member(&mut self, name: &str) -> Option<&mut Self> {
        let at = match self.members.iter().position(|(other, _)| **other == *name) {
            Some(at) => at,
            None if self.members.len() >= MEMBERS => return None,
            None => {
                self.members.push((name.into(), Self::default()));
                self.members.len() - 1
            }
        };
        Some(&mut self.members[at].1)
    }

    fn add_word(&mut self, word: &[u8]) {
        if word.len() <= WORD_BYTES
            && let Ok(word) = str::from_utf8(word)
            && self.words.len() < WORDS
            && !self.words.contains(word)
        {
            self.words.insert(word.into());
        }
    }

    /// Whether it has a path: members after dots, `[]` for the elements of a list, `*` for any member, and at the end
    /// perhaps `=` and the words of which one has to be there, with `|` between them.
    pub(super) fn has(&self, path: &str) -> bool {
        let (path, words) = path.split_once('=').map_or((path, None), |(path, words)| (path, Some(words)));
        self.at(path, words)
    }

    fn at(&self, path: &str, words: Option<&str>) -> bool {
        if let Some(rest) = path.strip_prefix("[]") {
            let rest = rest.strip_prefix('.').unwrap_or(rest);
            return self.element.as_ref().is_some_and(|it| it.at(rest, words));
        }
        if path.is_empty() {
            return words.is_none_or(|words| words.split('|').any(|word| self.words.contains(word)));
        }
        let end = path.find(['.', '[']).unwrap_or(path.len());
        let (member, rest) = path.split_at(end);
        let rest = rest.strip_prefix('.').unwrap_or(rest);
        match member {
            "*" => self.members.iter().any(|(_, it)| it.at(rest, words)),
            _ => self.members.iter().any(|(name, it)| **name == *member && it.at(rest, words)),
        }
    }
}

/// A look at a text. Nothing is unescaped or checked but names: a parser decides what is valid.
struct Look<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Look<'a> {
    /// The next byte that is no white space.
    fn token(&mut self) -> Option<u8> {
        self.at += self.text[self.at..].iter().position(|byte| !byte.is_ascii_whitespace())?;
        Some(self.text[self.at])
    }

    /// Passes what begins here, and returns it; `None` if it breaks off, as for all below.
    fn pass(&mut self) -> Option<&'a [u8]> {
        let rest = &self.text[self.at..];
        let Step::End(end) = Scan::default().take(rest) else { return None };
        self.at += end;
        Some(&rest[..end])
    }

    fn value(&mut self, shape: &mut Shape, depth: usize) -> Option<()> {
        match self.token()? {
            b'{' if depth > 0 => self.members(shape, depth - 1),
            b'[' if depth > 0 => self.elements(shape, depth - 1),
            b'"' if depth > 0 => {
                let word = self.pass()?;
                shape.add_word(&word[1..word.len() - 1]);
                Some(())
            }
            _ => self.pass().map(|_| ()),
        }
    }

    fn members(&mut self, shape: &mut Shape, depth: usize) -> Option<()> {
        self.at += 1;
        while self.token()? == b'"' {
            let Name(name) = serde_json::from_slice(self.pass()?).ok()?;
            if self.token()? != b':' {
                return None;
            }
            self.at += 1;
            match shape.member(&name) {
                Some(shape) => self.value(shape, depth)?,
                None => self.value(&mut Shape::default(), 0)?,
            }
            self.comma()?;
        }
        self.end(b'}')
    }

    fn elements(&mut self, shape: &mut Shape, depth: usize) -> Option<()> {
        self.at += 1;
        let element = shape.element.get_or_insert_default();
        let mut looks = ELEMENTS;
        while self.token()? != b']' {
            self.value(element, if looks > 0 { depth } else { 0 })?;
            looks = looks.saturating_sub(1);
            self.comma()?;
        }
        self.end(b']')
    }

    fn comma(&mut self) -> Option<()> {
        self.at += usize::from(self.token()? == b',');
        Some(())
    }

    fn end(&mut self, byte: u8) -> Option<()> {
        let is_end = self.token()? == byte;
        self.at += usize::from(is_end);
        is_end.then_some(())
    }
}

#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, has: &[&str], has_not: &[&str]) {
        let mut shape = Shape::default();
        shape.add(text.as_bytes());
        for path in has {
            assert!(shape.has(path), "{text} should have {path}");
        }
        for path in has_not {
            assert!(!shape.has(path), "{text} should not have {path}");
        }
    }

    #[test]
    fn a_shape_has_members_elements_and_words() {
        let text = r#"{"a": [{"b": 1}, {"c": "x"}, {"c": "y"}], "d": {"7": {"e": null}}}"#;
        check(
            text,
            &["a", "a[].b", "a[].c=x", "a[].c=z|y", "d.*.e", "d.7.e"],
            &["b", "a[].c=z", "a.b", "d[]", "*.x"],
        );
        check("[[{\"a\": 1}]]", &["[][].a", "[]"], &["a", "[].a"]);
    }

    #[test]
    fn a_text_that_breaks_off_shows_what_came_before() {
        check(r#"{"a": [{"b": "x"}, {"c": tru"#, &["a[].b=x", "a[].c"], &["d"]);
        check(&"[".repeat(1000), &["[][]"], &["a"]);
    }
}
