//! Content that is a string or an array of parts, as in most dialects.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::offer::Tool;

/// Text, or parts of type `P`.
///
/// Read by hand: serde buffers untagged enums, and raw JSON does not survive the buffer.
#[derive(Clone, Debug)]
pub(super) enum Content<P> {
    /// A plain string.
    Text(Arc<str>),
    /// An array; an object alone counts as an array of one.
    Parts(Vec<P>),
}

impl<P: Serialize> Serialize for Content<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Parts(parts) => parts.serialize(serializer),
        }
    }
}

impl<'de, P: Deserialize<'de>> Deserialize<'de> for Content<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor(PhantomData))
    }
}

struct ContentVisitor<P>(PhantomData<P>);

impl<'de, P: Deserialize<'de>> Visitor<'de> for ContentVisitor<P> {
    type Value = Content<P>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an array of content parts")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Content::Text(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, parts: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(parts)).map(Content::Parts)
    }

    fn visit_map<A: MapAccess<'de>>(self, part: A) -> Result<Self::Value, A::Error> {
        P::deserialize(MapAccessDeserializer::new(part)).map(|part| Content::Parts(vec![part]))
    }
}

/// Reads `null` as the default: for an absent member, some providers send `null` and others send nothing.
pub(super) fn null_is_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A result sent in several parts, as one text.
pub(super) fn one_text(texts: &[Arc<str>]) -> Arc<str> {
    match texts {
        [text] => text.clone(),
        many => many.join("\n").into(),
    }
}

/// The schema of a tool's arguments. If it is not a JSON object, a schema for any object replaces it, because a
/// provider would refuse the whole request.
pub(super) fn schema(tool: &Tool) -> Box<RawValue> {
    object(tool.parameters.text())
        .or_else(|| object(r#"{"type":"object"}"#))
        .expect("a literal object is JSON")
}

/// `text` as raw JSON, if it is an object without anything around it.
pub(super) fn object(text: &str) -> Option<Box<RawValue>> {
    let raw = RawValue::from_string(text.to_owned()).ok()?;
    (raw.get().len() == text.len() && is_object(&raw)).then_some(raw)
}

/// True for a JSON object.
pub(super) fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

/// What is put into a request, as JSON text.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("what is written has string keys only")
}

/// The beginning of what was found, in back quotes.
pub(super) fn excerpt(text: &str) -> String {
    const CHARS: usize = 40;
    match text.char_indices().nth(CHARS) {
        None => format!("`{text}`"),
        Some((end, _)) => format!("`{}…`", &text[..end]),
    }
}
