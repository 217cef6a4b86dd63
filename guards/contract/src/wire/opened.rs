//! JSON text that is open at one list: what is before, between and after its elements is kept byte for byte.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::place::Place;
use super::reading::{self, Unreadable};

/// An object that is open at the list in one of its members. A text or an object in place of the list is a list of
/// one; `null` or no member is an empty one.
pub(super) struct Opened<'a> {
    /// Up to the first element.
    pub(super) head: Cow<'a, str>,
    pub(super) elements: Vec<Cow<'a, str>>,
    /// What is between an element and the next one.
    pub(super) gaps: Vec<&'a str>,
    /// What comes after the last element.
    pub(super) tail: Cow<'a, str>,
}

impl<'a> Opened<'a> {
    /// Opens the object `text`, which is at `place`, at its member `name`. `of_text` makes an element of the JSON
    /// string that some clients write in place of a list.
    pub(super) fn of(
        text: &'a str,
        place: Place<'_>,
        name: &str,
        of_text: fn(&str) -> String,
    ) -> Result<Self, Unreadable> {
        let wrong = |error: Unreadable| Unreadable::new(place, error.reason);
        let members = reading::parse::<Members<'a>>(text).map_err(wrong)?.0;
        let Some((_, value)) = members.iter().find(|(key, _)| key == name) else {
            return Ok(Self::without(text, members.last().map(|(_, value)| span(text, value)), name));
        };
        let at = span(text, value);
        let value = value.get();
        if value.starts_with('[') {
            let values: Vec<&RawValue> = reading::parse_list(value).map_err(wrong)?;
            return Ok(Self::at_list(text, at.start, &values));
        }
        let element = match value.as_bytes().first() {
            Some(b'"') => Some(Cow::Owned(of_text(value))),
            Some(b'{') => Some(Cow::Borrowed(value)),
            Some(_) | None => None,
        };
        Ok(Self {
            head: format!("{}[", &text[..at.start]).into(),
            elements: element.into_iter().collect(),
            gaps: Vec::new(),
            tail: format!("]{}", &text[at.end..]).into(),
        })
    }

    fn at_list(text: &'a str, list: usize, values: &[&'a RawValue]) -> Self {
        let spans: Vec<Range<usize>> = values.iter().map(|value| span(text, value)).collect();
        let start = spans.first().map_or(list + 1, |it| it.start);
        let end = spans.last().map_or(start, |it| it.end);
        Self {
            head: text[..start].into(),
            elements: values.iter().map(|value| value.get().into()).collect(),
            gaps: spans.windows(2).map(|pair| &text[pair[0].end..pair[1].start]).collect(),
            tail: text[end..].into(),
        }
    }

    /// An object without the member, whose last one ends at the end of `last`.
    fn without(text: &'a str, last: Option<Range<usize>>, name: &str) -> Self {
        let end = last.as_ref().map_or_else(|| text.find('{').map_or(0, |at| at + 1), |it| it.end);
        let comma = if last.is_some() { "," } else { "" };
        Self {
            head: format!("{}{comma}\"{name}\":[", &text[..end]).into(),
            elements: Vec::new(),
            gaps: Vec::new(),
            tail: format!("]{}", &text[end..]).into(),
        }
    }

    /// Adds elements to the list within the element with this index, which is at `place`.
    pub(super) fn add(
        &mut self,
        at: usize,
        place: Place<'_>,
        name: &str,
        of_text: fn(&str) -> String,
        new: &[String],
    ) -> Result<(), Unreadable> {
        let text = Opened::of(&self.elements[at], place, name, of_text)?.with(new);
        self.elements[at] = text.into();
        Ok(())
    }

    /// The text with new elements after the others.
    fn with(&self, new: &[String]) -> String {
        let mut text = self.head.clone().into_owned();
        for (at, element) in self.elements.iter().enumerate() {
            text.push_str(if at == 0 { "" } else { self.gaps[at - 1] });
            text.push_str(element);
        }
        for (at, element) in new.iter().enumerate() {
            text.push_str(if at == 0 && self.elements.is_empty() { "" } else { "," });
            text.push_str(element);
        }
        text + &self.tail
    }

    /// What is before an element that comes after another one.
    pub(super) fn gap(&self, at: usize) -> &'a str {
        at.checked_sub(1).and_then(|before| self.gaps.get(before)).copied().unwrap_or(",")
    }
}

/// Where in `text` a value is that was read from it.
pub(super) fn span(text: &str, value: &RawValue) -> Range<usize> {
    let start = value.get().as_ptr().addr() - text.as_ptr().addr();
    start..start + value.get().len()
}

/// The members of an object in their order, repeated ones as well.
pub(super) struct Members<'a>(pub(super) Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let opened =
            Opened::of(text, Place::new("it"), "l", |text| format!("{{{text}}}")).expect("an object");
        assert_eq!(opened.with(&["7".to_owned(), "8".to_owned()]), expected);
    }

    #[test]
    fn a_list_is_extended_and_all_else_stays() {
        check(r#" {"l" : [ 1 , 2 ] , "m":1.0,"m":2}"#, r#" {"l" : [ 1 , 2,7,8 ] , "m":1.0,"m":2}"#);
        check(r#"{"l":[ ]}"#, r#"{"l":[7,8 ]}"#);
        check(r#"{"a":[[]],"\u006c":[]}"#, r#"{"a":[[]],"\u006c":[7,8]}"#);
        check(r#"{"l":"a\n" }"#, r#"{"l":[{"a\n"},7,8] }"#);
        check(r#"{"l": {"x":1}}"#, r#"{"l": [{"x":1},7,8]}"#);
        check(r#"{"l":null,"x":1}"#, r#"{"l":[7,8],"x":1}"#);
        check(r#"{"x": "}" } "#, r#"{"x": "}","l":[7,8] } "#);
        check("{ }", r#"{"l":[7,8] }"#);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        let place = Place::new("messages").nth(3);
        let error = Opened::of("[1]", place, "l", str::to_owned).err().expect("a list");
        assert_eq!(error.place, "messages[3]");
        assert!(error.reason.contains("expected an object"), "{error}");
    }
}
