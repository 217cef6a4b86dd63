//! The content of a message: a text, or a list of parts as newer requests have it.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

use super::strict::Object;

/// What a message says. Parts that are no text, such as images, are left out.
pub(super) struct Words(pub(super) Arc<str>);

/// A part of a message. Its text is a member `text` in every form.
#[derive(Deserialize)]
struct Part {
    #[serde(rename = "type")]
    kind: Option<Box<str>>,
    text: Option<Box<str>>,
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
            if let Some(kind @ ("tool_use" | "tool_result")) = kind.as_deref() {
                return Err(A::Error::custom(format_args!(
                    "a part of the type `{kind}`, which is the form of Anthropic: convert it to that of OpenAI chat \
                     (`tool_calls` of the assistant, and a message with the role `tool` for each result)"
                )));
            }
            words.push_str(text.as_deref().unwrap_or_default());
        }
        Ok(Words(words.into()))
    }
}
