//! A request whose messages are not read yet.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::asked::{Asked, Tools};
use super::dialect::Dialect;
use super::opened::span;
use super::reading::{self, Unreadable};

/// A request whose messages are not read yet: [`Dialect::outline`] finds where they are.
///
/// An agent sends its whole history each time. A proxy that knows the beginning of a request by its bytes reads the
/// rest alone, and tools that it knows by their bytes not at all. To find where everything is takes a fraction of the
/// time that reading takes.
#[derive(Debug)]
pub struct Outline<'a> {
    dialect: Dialect,
    text: &'a str,
    elements: Vec<&'a RawValue>,
    tools: Option<&'a RawValue>,
    has_conversation: bool,
}

impl Dialect {
    /// Where the messages and the tools of a request are.
    ///
    /// # Errors
    /// The text is not a JSON object.
    pub fn outline(self, request: &str) -> Result<Outline<'_>, Unreadable> {
        match self {
            Self::OpenAi | Self::Anthropic => self.outlined::<MESSAGES>(request),
            Self::Responses => self.outlined::<INPUT>(request),
            Self::Gemini => self.outlined::<CONTENTS>(request),
        }
    }

    fn outlined<const LIST: usize>(self, request: &str) -> Result<Outline<'_>, Unreadable> {
        let Parts::<LIST> { list: List(elements), tools, has_conversation } = reading::parse(request)?;
        Ok(Outline { dialect: self, text: request, elements, tools, has_conversation })
    }
}

impl<'a> Outline<'a> {
    /// The elements of the list of messages as JSON text, in order; none if it is no list. An element can be several
    /// messages, a part of one, or none.
    pub fn elements(&self) -> impl ExactSizeIterator<Item = &'a str> {
        self.elements.iter().map(|it| it.get())
    }

    /// The list of tools as JSON text; empty if there is none.
    #[must_use]
    pub fn tools_text(&self) -> &'a str {
        self.tools.map_or("", RawValue::get)
    }

    /// Whether the history is a `conversation` that OpenAI keeps: of OpenAI Responses alone.
    #[must_use]
    pub fn has_conversation(&self) -> bool {
        self.dialect == Dialect::Responses && self.has_conversation
    }

    /// Whether some of the history is named where it should be shown (`item_reference` of OpenAI Responses, whose type
    /// may be left out).
    #[must_use]
    pub fn has_references(&self) -> bool {
        // Most items have another type, and need not be read.
        let may_be_one = |it: &str| it.contains(REFERENCE) || !it.contains("\"type\":\"");
        let is_one =
            |it: &str| may_be_one(it) && serde_json::from_str(it).is_ok_and(|it: Kind| it.is_reference());
        self.dialect == Dialect::Responses && self.elements().any(is_one)
    }

    /// The tools alone.
    ///
    /// # Errors
    /// The JSON is not a request of this dialect.
    pub fn tools(&self) -> Result<Tools, Unreadable> {
        let list = self.between(0, self.elements.len());
        let Asked { offer, names, .. } = self.dialect.asked_with(&self.without([list, None]), None)?;
        Ok(Tools { offer, names })
    }

    /// The request without its first elements, so many, and with these tools in place of its own. What it breaks of
    /// the provider's rules is not looked for.
    ///
    /// # Errors
    /// The JSON is not a request of this dialect. The place is right if all elements are read.
    pub fn asked(&self, known: usize, tools: &Tools) -> Result<Asked, Unreadable> {
        let own = self.tools.filter(|it| it.get().starts_with('['));
        let own = own.map(|it| span(self.text, it)).map(|it| it.start + 1..it.end - 1);
        self.dialect.asked_with(&self.without([self.between(0, known), own]), Some(tools.clone()))
    }

    /// From the beginning of one element to that of another, or to the end of the last one.
    fn between(&self, first: usize, end: usize) -> Option<Range<usize>> {
        let at = |nth: usize| self.elements.get(nth).map(|it| span(self.text, it));
        let end = match at(end) {
            Some(next) => next.start,
            None => at(end.checked_sub(1)?)?.end,
        };
        Some(at(first)?.start..end)
    }

    /// The text without these two ranges, whichever comes first.
    fn without(&self, gone: [Option<Range<usize>>; 2]) -> Cow<'a, str> {
        let mut gone: Vec<Range<usize>> = gone.into_iter().flatten().filter(|it| !it.is_empty()).collect();
        if gone.is_empty() {
            return self.text.into();
        }
        gone.sort_by_key(|it| it.start);
        let mut rest = String::with_capacity(self.text.len() - gone.iter().map(Range::len).sum::<usize>());
        let mut at = 0;
        for range in gone {
            rest.push_str(&self.text[at..range.start]);
            at = range.end;
        }
        rest.push_str(&self.text[at..]);
        rest.into()
    }
}

/// The type of an item that names another one.
const REFERENCE: &str = "item_reference";

/// The members that say what an item is.
#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    kind: Option<String>,
    id: Option<IgnoredAny>,
    role: Option<IgnoredAny>,
}

impl Kind {
    fn is_reference(&self) -> bool {
        match &self.kind {
            Some(kind) => kind == REFERENCE,
            None => self.id.is_some() && self.role.is_none(),
        }
    }
}

/// The name of the list of messages, which depends on the dialect. In another one, a member of this name is any other.
const LISTS: [&str; 3] = ["messages", "input", "contents"];
const MESSAGES: usize = 0;
const INPUT: usize = 1;
const CONTENTS: usize = 2;

/// The members of a request that are lists. The last of several equal members is taken; such a request is refused when
/// it is read.
#[derive(Default)]
struct Parts<'a, const LIST: usize> {
    list: List<'a>,
    tools: Option<&'a RawValue>,
    has_conversation: bool,
}

/// The name of a member.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// The elements of a list; none of anything else.
#[derive(Default)]
struct List<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a, const LIST: usize> Deserialize<'de> for Parts<'a, LIST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PartsVisitor::<LIST>)
    }
}

struct PartsVisitor<const LIST: usize>;

impl<'de, const LIST: usize> Visitor<'de> for PartsVisitor<LIST> {
    type Value = Parts<'de, LIST>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut parts = Parts::default();
        while let Some(Key(key)) = map.next_key()? {
            match &*key {
                key if key == LISTS[LIST] => parts.list = map.next_value()?,
                "tools" => parts.tools = Some(map.next_value()?),
                "conversation" => parts.has_conversation = map.next_value::<&RawValue>()?.get() != "null",
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(parts)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for List<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor)
    }
}

struct ListVisitor;

impl<'de> Visitor<'de> for ListVisitor {
    type Value = List<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(elements)).map(List)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
        IgnoredAny::deserialize(MapAccessDeserializer::new(members)).map(|_| List::default())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
        Ok(List::default())
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(List::default())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(List::default())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(List::default())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(List::default())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(List::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offer::{Effect, Offer, Tool};
    use crate::view::Message;

    const CHAT: &str = r#"{"model":"m","messages":[ {"role":"user","content":"a"} ,{"role":"user","content":"b"},
        {"role":"assistant","tool_calls":[{"id":"1","function":{"name":"run","arguments":"{}"}}]}],
        "tools":[{"type":"function","function":{"name":"run"}}],"stream":true}"#;

    fn outline(text: &str) -> Outline<'_> {
        Dialect::OpenAi.outline(text).expect("an object")
    }

    #[test]
    fn what_is_known_is_not_read() {
        let outline = outline(CHAT);
        let whole = Dialect::OpenAi.asked(CHAT).expect("a request");
        let tools = outline.tools().expect("tools");
        assert_eq!((&tools.offer, &tools.names), (&whole.offer, &whole.names));
        for known in 0..=3 {
            let rest = outline.asked(known, &tools).expect("a request");
            let expected =
                Asked { messages: whole.messages[known..].to_vec(), illegal: None, ..whole.clone() };
            assert_eq!(rest, expected, "{known}");
        }
        assert_eq!(outline.elements().next(), Some(r#"{"role":"user","content":"a"}"#));
    }

    #[test]
    fn calls_are_those_of_the_tools_that_are_given() {
        let outline = outline(CHAT);
        let offer = Offer::new([Tool::new("run").effect(Effect::External)]).into();
        let asked = outline.asked(2, &Tools { offer, ..Tools::default() }).expect("a request");
        let [Message::Assistant(said)] = &asked.messages[..] else { panic!("one message") };
        assert_eq!(said.calls[0].effect, Effect::External);
    }

    #[test]
    fn what_is_no_list_has_no_elements() {
        let values = ["null", "\"a\"", r#"{"a":[1]}"#, "true", "7", "-7", "7.5"];
        let texts = values.map(|it| format!(r#"{{"messages":{it},"tools":null}}"#));
        for text in texts.iter().map(|it| &**it).chain(["{}"]) {
            let outline = outline(text);
            assert_eq!(
                (outline.elements().len(), outline.asked(0, &Tools::default()).is_err()),
                (0, true),
                "{text}"
            );
        }
        assert!(Dialect::OpenAi.outline("[]").is_err());
        assert!(Dialect::OpenAi.outline(r#"{"messages":[}"#).is_err());
        let text = r#"{"model":"m","input":"a"}"#;
        let outline = Dialect::Responses.outline(text).expect("an object");
        assert_eq!(outline.asked(0, &Tools::default()).expect("a request").messages.len(), 1);
    }

    #[test]
    fn a_history_that_its_provider_keeps_is_known_by_its_name() {
        let keeps = |text: &str| {
            let outline = Dialect::Responses.outline(text).expect("an object");
            (outline.has_conversation(), outline.has_references())
        };
        assert_eq!(keeps(r#"{"input":"item_reference"}"#), (false, false));
        assert_eq!(
            keeps(r#"{"input":[{"role":"user","content":"item_reference"}],"conversation":null}"#),
            (false, false)
        );
        for reference in [
            r#"{"id":"a","type":"item_reference"}"#,
            r#"{"id":"a"}"#,
            r#"{"id":"a","type":null}"#,
            r#"{ "type" : null , "id" : "a" }"#,
        ] {
            assert_eq!(keeps(&format!(r#"{{"input":[{reference}]}}"#)), (false, true), "{reference}");
        }
        for other in [
            r#"{"id":"a","role":"user","content":"item_reference"}"#,
            r#"{"id":"a","type":"reasoning","summary":[]}"#,
            r#"{"id": "a", "type": "function_call", "name": "item_reference"}"#,
            "{}",
            "[]",
            r#""a""#,
        ] {
            assert_eq!(keeps(&format!(r#"{{"input":[{other}]}}"#)), (false, false), "{other}");
        }
        assert_eq!(keeps(r#"{"input":"a","conversation":"conv_1"}"#), (true, false));
        assert_eq!(keeps(r#"{"input":"a","conversation":{"id":"conv_1"}}"#), (true, false));
        let other = Dialect::OpenAi.outline(r#"{"conversation":"a","messages":[{"type":"item_reference"}]}"#);
        let other = other.expect("an object");
        assert_eq!((other.has_conversation(), other.has_references()), (false, false));
    }

    /// A fuzzer found that such a request was read, and had no outline.
    #[test]
    fn the_list_of_another_dialect_is_any_member() {
        let text = r#"{"model":"m","input":"a","messages":7447,"contents":1e999}"#;
        Dialect::Responses.asked(text).expect("a request");
        assert_eq!(Dialect::Responses.outline(text).expect("an object").elements().len(), 0);
    }
}
