//! What a value has inside, as far as a format can be told by it: the marks of all forms that are in it.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::rows::ROWS;
use super::scan::{Scan, Step, string_end};

/// The marks that one value has, or several values in the same place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape(Bits);

/// A set of marks, by their number.
type Bits = u128;

/// How deep it looks, and at how many elements of a list.
const DEPTH: usize = 6;
const ELEMENTS: usize = 64;

/// The marks of all forms.
static MARKS: LazyLock<Marks> =
    LazyLock::new(|| Marks::new(ROWS.iter().flat_map(|row| row.marks.iter().copied())));

impl Shape {
    /// What has all of these marks, and nothing else.
    pub(super) fn of(marks: &[&str]) -> Self {
        Self(marks.iter().fold(0, |bits, mark| bits | MARKS.bit(mark)))
    }

    /// Adds what a text has inside. If it breaks off or is no JSON, what came before counts.
    pub(super) fn add(&mut self, text: &[u8]) {
        self.add_in(&MARKS.root, text);
    }

    /// Adds what a member has inside, by its key in quotes and the beginning of its value.
    pub(super) fn add_member(&mut self, key: &[u8], value: &[u8]) {
        if let Some(name) = name_of(key)
            && let Some(place) = MARKS.root.member(&name)
        {
            self.0 |= place.here;
            self.add_in(place, value);
        }
    }

    fn add_in(&mut self, place: &Place, text: &[u8]) {
        let mut look = Look { text, at: 0, found: 0 };
        // What was seen before the end is found already.
        let _ = look.value(Some(place), DEPTH);
        self.0 |= look.found;
    }

    /// Whether it has this mark of a form: a path, or one of several with ` or ` between them. In a path, members are
    /// after dots, `[]` is for the elements of a list, `*` for any member, and at the end are perhaps `=` and the words
    /// of which one has to be there, with `|` between them.
    pub(super) fn has(self, mark: &str) -> bool {
        self.has_all(Self::of(&[mark]))
    }

    /// Whether it has all marks that another one has.
    pub(super) fn has_all(self, Self(marks): Self) -> bool {
        self.0 & marks == marks
    }
}

/// Marks, and where their paths go.
struct Marks {
    names: Vec<&'static str>,
    root: Place,
}

impl Marks {
    fn new(marks: impl Iterator<Item = &'static str>) -> Self {
        let mut names: Vec<&str> = marks.collect();
        names.sort_unstable();
        names.dedup();
        let mut marks = Self { names, root: Place::default() };
        let alternatives = |mark: &&'static str| mark.split(" or ").map(|path| (path, marks.bit(mark)));
        let paths = marks.names.iter().flat_map(alternatives);
        let (of_any, named): (Vec<_>, Vec<_>) = paths.partition(|(path, _)| path.contains('*'));
        // What any member may have is added last, to those that have a name as well.
        for (path, bit) in named.into_iter().chain(of_any) {
            marks.root.add(path, bit);
        }
        marks
    }

    fn bit(&self, mark: &str) -> Bits {
        let number = self.names.binary_search(&mark).expect("only marks of forms are asked for");
        1 << number
    }
}

/// A place where paths of marks end or go on.
#[derive(Debug, Default)]
struct Place {
    /// The marks that a value has which is here.
    here: Bits,
    /// The marks that this word has here.
    words: Vec<(&'static str, Bits)>,
    members: Vec<(&'static str, Place)>,
    /// Any other member.
    any: Option<Box<Place>>,
    element: Option<Box<Place>>,
}

impl Place {
    fn add(&mut self, path: &'static str, bit: Bits) {
        let after = |rest: &'static str| rest.strip_prefix('.').unwrap_or(rest);
        if path.is_empty() {
            self.here |= bit;
            return;
        }
        if let Some(words) = path.strip_prefix('=') {
            return self.words.extend(words.split('|').map(|word| (word, bit)));
        }
        if let Some(rest) = path.strip_prefix("[]") {
            return self.element.get_or_insert_default().add(after(rest), bit);
        }
        let (name, rest) = path.split_at(path.find(['.', '[', '=']).unwrap_or(path.len()));
        if name == "*" {
            self.any.get_or_insert_default();
        } else if self.members.iter().all(|(other, _)| *other != name) {
            self.members.push((name, Self::default()));
        }
        let named = self.members.iter_mut().filter(|(other, _)| name == "*" || *other == name);
        let any = self.any.as_deref_mut().filter(|_| name == "*");
        for place in named.map(|(_, place)| place).chain(any) {
            place.add(after(rest), bit);
        }
    }

    fn member(&self, name: &[u8]) -> Option<&Self> {
        let named = self.members.iter().find(|(other, _)| other.as_bytes() == name);
        named.map(|(_, place)| place).or(self.any.as_deref())
    }

    fn word(&self, word: &[u8]) -> Bits {
        let marks = self.words.iter().filter(|(other, _)| other.as_bytes() == word);
        marks.fold(0, |bits, (_, bit)| bits | bit)
    }
}

/// A look at a text. Nothing is unescaped or checked but names: a parser decides what is valid.
struct Look<'a> {
    text: &'a [u8],
    at: usize,
    found: Bits,
}

impl<'a> Look<'a> {
    /// The next byte that is no white space.
    fn token(&mut self) -> Option<u8> {
        let rest = &self.text[self.at..];
        match *rest.first()? {
            byte @ b'!'.. => Some(byte),
            _ => {
                let blanks = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
                self.at += blanks;
                Some(rest[blanks])
            }
        }
    }

    /// Passes what begins here; `None` if it breaks off, as for all below.
    fn pass(&mut self) -> Option<()> {
        let Step::End(end) = Scan::default().take(&self.text[self.at..]) else { return None };
        self.at += end;
        Some(())
    }

    /// The same for a string, which is returned in its quotes.
    fn string(&mut self) -> Option<&'a [u8]> {
        let rest = &self.text[self.at..];
        let Step::End(end) = string_end(&rest[1..]) else { return None };
        self.at += 1 + end;
        Some(&rest[..=end])
    }

    /// Passes a value. No mark is in it if it has no `place`.
    fn value(&mut self, place: Option<&Place>, depth: usize) -> Option<()> {
        match self.token()? {
            b'{' if depth > 0 => self.members(place, depth - 1),
            b'[' if depth > 0 => self.elements(place, depth - 1),
            b'"' if depth > 0 => {
                let quoted = self.string()?;
                let word = &quoted[1..quoted.len() - 1];
                self.found |= place.map_or(0, |place| place.word(word));
                Some(())
            }
            _ => self.pass(),
        }
    }

    fn members(&mut self, place: Option<&Place>, depth: usize) -> Option<()> {
        self.at += 1;
        while self.token()? == b'"' {
            let name = name_of(self.string()?)?;
            if self.token()? != b':' {
                return None;
            }
            self.at += 1;
            let member = place.and_then(|place| place.member(&name));
            self.found |= member.map_or(0, |member| member.here);
            self.value(member, depth)?;
            self.comma()?;
        }
        self.end(b'}')
    }

    fn elements(&mut self, place: Option<&Place>, depth: usize) -> Option<()> {
        self.at += 1;
        let element = place.and_then(|place| place.element.as_deref());
        self.found |= element.map_or(0, |element| element.here);
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
struct Name(String);

/// The name of a key in quotes, as the bytes of its text.
fn name_of(key: &[u8]) -> Option<Cow<'_, [u8]>> {
    // Nearly every name is plain, and parsing takes its time to begin.
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && *byte != b'\\';
    match key {
        [b'"', name @ .., b'"'] if name.iter().all(is_plain) => Some(name.into()),
        _ => serde_json::from_slice(key).ok().map(|Name(name)| name.into_bytes().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, has: &[&'static str], has_not: &[&'static str]) {
        let marks = Marks::new(has.iter().chain(has_not).copied());
        let mut shape = Shape::default();
        shape.add_in(&marks.root, text.as_bytes());
        for mark in has {
            assert!(shape.has_all(Shape(marks.bit(mark))), "{text} should have {mark}");
        }
        for mark in has_not {
            assert!(!shape.has_all(Shape(marks.bit(mark))), "{text} should not have {mark}");
        }
    }

    #[test]
    fn a_shape_has_members_elements_and_words() {
        let text = r#"{"a": [{"b": 1}, {"c": "x"}, {"c": "y"}], "d": {"7": {"e": null}}}"#;
        check(
            text,
            &["a", "a[].b", "a[].c=x", "a[].c=z|y", "d.*.e", "d.7.e", "b or a[]"],
            &["b", "a[].c=z", "a.b", "d[]", "*.x", "b or c"],
        );
        check("[[{\"a\": 1}]]", &["[][].a", "[]"], &["a", "[].a"]);
        check(r#"{"\u0061": {"b": 1}}"#, &["*.b", "a", "a.b"], &["b"]);
    }

    #[test]
    fn a_text_that_breaks_off_shows_what_came_before() {
        check(r#"{"a": [{"b": "x"}, {"c": tru"#, &["a[].b=x", "a[].c"], &["d"]);
        check(&"[".repeat(1000), &["[][]"], &["a"]);
    }
}
