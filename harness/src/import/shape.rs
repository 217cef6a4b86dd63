//! What a value has inside, as far as a format can be told by it: members, elements, and short words.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// What one value has inside, or several values in the same place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    members: BTreeMap<Box<str>, Shape>,
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
        let mut json = serde_json::Deserializer::from_slice(text);
        // What was seen before an error is in the shape already.
        let _ = Look { shape: self, depth: DEPTH }.deserialize(&mut json);
    }

    /// Adds what a member has inside, by its key in quotes and the beginning of its value.
    pub(super) fn add_member(&mut self, key: &[u8], value: &[u8]) {
        if let Ok(Name(name)) = serde_json::from_slice(key)
            && self.members.len() < MEMBERS
        {
            self.members.entry(name.into()).or_default().add(value);
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
            "*" => self.members.values().any(|it| it.at(rest, words)),
            _ => self.members.get(member).is_some_and(|it| it.at(rest, words)),
        }
    }
}

struct Look<'a> {
    shape: &'a mut Shape,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.depth == 0 {
            return deserializer.deserialize_ignored_any(IgnoredAny).map(|_| ());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Name(name)) = map.next_key()? {
            if self.shape.members.len() >= MEMBERS && !self.shape.members.contains_key(&*name) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let shape = match self.shape.members.get_mut(&*name) {
                Some(shape) => shape,
                None => self.shape.members.entry(name.into()).or_default(),
            };
            map.next_value_seed(Look { shape, depth: self.depth - 1 })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<(), A::Error> {
        let element = self.shape.element.get_or_insert_default();
        for _ in 0..ELEMENTS {
            if all.next_element_seed(Look { shape: &mut *element, depth: self.depth - 1 })?.is_none() {
                return Ok(());
            }
        }
        while all.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<(), E> {
        if word.len() <= WORD_BYTES && self.shape.words.len() < WORDS && !self.shape.words.contains(word) {
            self.shape.words.insert(word.into());
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
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
