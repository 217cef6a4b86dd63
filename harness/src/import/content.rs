//! Values that many formats share: texts, contents of parts, arguments.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use memchr::memchr_iter;
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::scan::{Step, string_end};
use super::strict::Object;

/// A text that is kept.
#[derive(Clone)]
pub(super) struct Text(pub(super) Arc<str>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text(text.into()))
    }
}

/// A short word that is looked at, such as a type.
#[derive(Default, Deserialize)]
#[serde(transparent)]
pub(super) struct Word<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// What a message of OpenAI chat says: a text, or a list of parts as newer requests have it. Parts that are no text,
/// such as images, are left out.
pub(super) struct Words(pub(super) Arc<str>);

/// A part of a message. Its text is a member `text` in every form.
#[derive(Deserialize)]
struct Part<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Word<'a>>,
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordsVisitor)
    }
}

struct WordsVisitor;

impl<'de> Visitor<'de> for WordsVisitor {
    type Value = Words;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of parts")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Words, E> {
        Ok(Words(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Words, A::Error> {
        let mut words = String::new();
        while let Some(Object(Part { kind, text })) = parts.next_element()? {
            // The calls are among the parts: without them, the run would be another one.
            if let Some(kind @ ("tool_use" | "tool_result")) = kind.as_ref().map(|Word(kind)| &**kind) {
                return Err(A::Error::custom(format_args!(
                    "a part of the type `{kind}`, which is the form of Anthropic: read it with `--from anthropic`"
                )));
            }
            words.push_str(text.as_deref().unwrap_or_default());
        }
        Ok(Words(words.into()))
    }
}

/// A text, or a list of blocks of a format of its own.
pub(super) enum Blocks<T> {
    Text(Arc<str>),
    List(Vec<T>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Blocks<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BlocksVisitor(PhantomData))
    }
}

struct BlocksVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for BlocksVisitor<T> {
    type Value = Blocks<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Blocks::Text(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut blocks: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Object(block)) = blocks.next_element()? {
            list.push(block);
        }
        Ok(Blocks::List(list))
    }
}

/// How many elements of a list, or members of an object, are held at once: what points to a `1` takes many times its
/// memory. A piece with more would have 64 bytes for each.
const HELD_MAX: usize = 4 << 20;

/// The elements of a list.
pub(super) struct Elements<T>(pub(super) Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Elements<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ElementsVisitor(PhantomData))
    }
}

struct ElementsVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ElementsVisitor<T> {
    type Value = Elements<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(element) = elements.next_element()? {
            held(&mut all, element)?;
        }
        Ok(Elements(all))
    }
}

/// Holds one more, if there is room for it.
fn held<T, E: Error>(all: &mut Vec<T>, one: T) -> Result<(), E> {
    if all.len() == HELD_MAX {
        return Err(E::custom(format_args!("expected at most {HELD_MAX} of them, found more")));
    }
    all.push(one);
    Ok(())
}

/// The members of an object in order, whatever their names are.
pub(super) struct Members<'a, T>(pub(super) Vec<(Cow<'a, str>, T)>);

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for Members<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor(PhantomData))
    }
}

struct MembersVisitor<'a, T>(PhantomData<(&'a str, T)>);

impl<'de: 'a, 'a, T: Deserialize<'de>> Visitor<'de> for MembersVisitor<'a, T> {
    type Value = Members<'a, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(Word(name)) = map.next_key()? {
            held(&mut all, (name, map.next_value()?))?;
        }
        Ok(Members(all))
    }
}

/// Any value as a text: a string as its text, and everything else as it was sent.
pub(super) fn text_of(value: &RawValue) -> Arc<str> {
    match value.get() {
        text if text.starts_with('"') => match serde_json::from_str(text) {
            Ok(Text(text)) => text,
            // Half a surrogate pair.
            Err(_) => text.into(),
        },
        text => compact(text).into(),
    }
}

/// A value as it was sent, but for the white space of a file that was written for people.
fn compact(json: &str) -> Cow<'_, str> {
    if !json.contains('\n') {
        return json.into();
    }
    let (mut compact, mut rest) = (String::with_capacity(json.len()), json);
    while let Some(found) = rest.find(|c: char| c == '"' || c.is_ascii_whitespace()) {
        let (before, from) = rest.split_at(found);
        compact.push_str(before);
        let (kept, end) = match from.strip_prefix('"').map(|inside| string_end(inside.as_bytes())) {
            Some(Step::End(end)) => (&from[..=end], 1 + end),
            Some(Step::More | Step::Torn(_)) => (from, from.len()),
            None => ("", 1),
        };
        compact.push_str(kept);
        rest = &from[end..];
    }
    compact.push_str(rest);
    compact.into()
}

/// The arguments of a call: a string, or an object as it was sent; `{}` where there are none.
pub(super) fn arguments(value: Option<&RawValue>) -> Arc<str> {
    match value {
        Some(value) if value.get() != "null" => text_of(value),
        Some(_) | None => "{}".into(),
    }
}

/// The arguments of a call, as they are read.
pub(super) trait Arguments: Sized {
    /// Their text.
    fn text(arguments: Option<Self>) -> Arc<str>;
}

impl Arguments for &RawValue {
    fn text(arguments: Option<Self>) -> Arc<str> {
        self::arguments(arguments)
    }
}

/// Where all are strings, they are read in one pass.
impl Arguments for Text {
    fn text(arguments: Option<Self>) -> Arc<str> {
        arguments.map_or_else(|| "{}".into(), |Self(text)| text)
    }
}

/// A string as it is written in JSON.
pub(super) struct Literal<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Literal<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&RawValue>::deserialize(deserializer)?.get();
        if !text.starts_with('"') {
            return Err(D::Error::custom("expected a string"));
        }
        // All other escapes are written as they were.
        let is_other = |at: usize| matches!(text.as_bytes()[at + 1], b'u' | b'/');
        if !memchr_iter(b'\\', text.as_bytes()).any(is_other) {
            return Ok(Self(text.into()));
        }
        let Word(text) = serde_json::from_str(text).map_err(D::Error::custom)?;
        Ok(Self(serde_json::to_string(&text).map_err(D::Error::custom)?.into()))
    }
}

impl Literal<'_> {
    /// The arguments of a call that has one, which is this text.
    pub(super) fn argument(name: &str, Self(literal): Self) -> Arc<str> {
        ["{\"", name, "\": ", &literal, "}"].concat().into()
    }
}

/// The arguments of a call that has one, which is a text.
pub(super) fn argument(name: &str, text: &str) -> Arc<str> {
    // With room for some escapes.
    let mut all = Vec::with_capacity(name.len() + text.len() + text.len() / 8 + 16);
    all.extend_from_slice(b"{\"");
    all.extend_from_slice(name.as_bytes());
    all.extend_from_slice(b"\": ");
    serde_json::to_writer(&mut all, text).expect("a string can be written");
    all.push(b'}');
    String::from_utf8(all).expect("what is written is a text").into()
}

/// The texts that are not blank, each on lines of its own; none if all are.
pub(super) fn lines_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<Arc<str>> {
    let mut texts = texts.into_iter().filter(|text| !text.trim().is_empty());
    let first = texts.next()?;
    let Some(second) = texts.next() else { return Some(first.into()) };
    let mut all = format!("{first}\n{second}");
    for text in texts {
        all.push('\n');
        all.push_str(text);
    }
    Some(all.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_of_a_list_or_an_object_has_a_bound() {
        let list = |count: usize| format!("[{}1]", "1,".repeat(count - 1));
        let object = |count: usize| format!("{{{}\"\":1}}", "\"\":1,".repeat(count - 1));
        let held = [HELD_MAX, HELD_MAX + 1].map(|count| {
            let elements = serde_json::from_str::<Elements<u8>>(&list(count)).map(|Elements(all)| all.len());
            let members = serde_json::from_str::<Members<u8>>(&object(count)).map(|Members(all)| all.len());
            [elements, members]
                .map(|it| it.map_err(|bad| bad.to_string().contains("at most 4194304 of them")))
        });
        assert_eq!(held, [[Ok(HELD_MAX), Ok(HELD_MAX)], [Err(true), Err(true)]]);
    }

    #[test]
    fn a_value_keeps_all_but_the_white_space_of_its_file() {
        assert_eq!(compact(r#"{"a": 1}"#), r#"{"a": 1}"#);
        assert_eq!(
            compact("{\n  \"a b\": [1,\r\n\t2], \"c\": \"\\\" }\\\\\"\n}"),
            r#"{"a b":[1,2],"c":"\" }\\"}"#
        );
    }

    #[test]
    fn a_string_as_it_is_written_becomes_the_same_arguments_as_its_text() {
        for literal in
            [r#""ls -l""#, r#""a\n\t\"b\"\\u""#, r#""\u00e9\/\u0007 \ud83d\ude00""#, r#""é\b\f""#, r#""""#]
        {
            let written: Literal = serde_json::from_str(literal).expect("it is a string");
            let text: String = serde_json::from_str(literal).expect("it is a string");
            assert_eq!(Literal::argument("x", written), argument("x", &text), "{literal}");
        }
        assert!(serde_json::from_str::<Literal>("[1]").is_err());
        assert!(serde_json::from_str::<Literal>(r#""\ud83d\/""#).is_err());
    }
}
