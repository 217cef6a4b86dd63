//! A message that arrives in events.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::block::Block;
use super::response::{Response, Tokens};
use crate::attempt::AttemptFacts;
use crate::completion::Completion;
use crate::offer::Offer;
use crate::wire::content::{self, null_is_default};
use crate::wire::mark;
use crate::wire::place::Place;
use crate::wire::reading::{self, Unreadable};
use crate::wire::refusal::Refusal;
use crate::wire::stream::delta::Delta;

/// The part of a message that has arrived.
#[derive(Clone, Debug, Default)]
pub(in crate::wire) struct Partial {
    blocks: BTreeMap<u64, Growing>,
    /// Whether one of them is a call.
    has_call: bool,
    stop_reason: Option<Cow<'static, str>>,
    usage: Tokens,
    is_over: bool,
}

/// The part of a block that has arrived.
#[derive(Clone, Debug)]
struct Growing {
    /// The block as it began; the text added since is below.
    block: Block,
    text: String,
    thinking: String,
    signature: String,
    input: String,
    has_ended: bool,
}

/// An event of any type, with the members of all types that are read here.
#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: Cow<'static, str>,
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    message: Option<Opening>,
    #[serde(default)]
    content_block: Option<Block>,
    #[serde(default)]
    delta: Option<Change>,
    #[serde(default, deserialize_with = "null_is_default")]
    usage: Tokens,
    #[serde(default)]
    error: Option<Box<RawValue>>,
}

/// The message at its beginning, when only the tokens of the request are known.
#[derive(Deserialize)]
struct Opening {
    #[serde(default, deserialize_with = "null_is_default")]
    usage: Tokens,
}

/// What an event adds to a block, or says at the end of the message.
#[derive(Deserialize)]
struct Change {
    #[serde(default, deserialize_with = "null_is_default")]
    text: String,
    #[serde(default, deserialize_with = "null_is_default")]
    thinking: String,
    #[serde(default, deserialize_with = "null_is_default")]
    signature: String,
    #[serde(default, deserialize_with = "null_is_default")]
    partial_json: String,
    #[serde(default)]
    stop_reason: Option<Cow<'static, str>>,
}

impl Partial {
    /// Reads one event. Undocumented types and keep-alives add nothing.
    pub(in crate::wire) fn take(&mut self, data: &str, delta: &mut Delta) -> Result<(), Refusal> {
        let event: Event = reading::parse(data)?;
        match &*event.kind {
            "message_start" => {
                self.usage = self.usage.or_more(needed(event.message, "message")?.usage);
            }
            "content_block_start" => {
                let (at, block) =
                    (needed(event.index, "index")?, needed(event.content_block, "content_block")?);
                if self.blocks.contains_key(&at) {
                    let reason = format!("expected a block that has not begun, found {at}");
                    return Err(Unreadable::new("index", reason).into());
                }
                self.has_call |= block.kind == "tool_use";
                self.blocks.insert(at, Growing::new(block, delta));
            }
            "content_block_delta" => {
                let change = needed(event.delta, "delta")?;
                self.block(event.index)?.take(&change, delta);
            }
            "content_block_stop" => self.block(event.index)?.has_ended = true,
            "message_delta" => {
                self.usage = self.usage.or_more(event.usage);
                self.stop_reason = event.delta.and_then(|it| it.stop_reason).or(self.stop_reason.take());
            }
            "message_stop" => self.is_over = true,
            "error" => return Err(Refusal::of_error(&needed(event.error, "error")?)),
            _ => {}
        }
        Ok(())
    }

    fn block(&mut self, index: Option<u64>) -> Result<&mut Growing, Unreadable> {
        let at = needed(index, "index")?;
        let missing = || Unreadable::new("index", format!("expected a block that has begun, found {at}"));
        self.blocks.get_mut(&at).ok_or_else(missing)
    }

    pub(in crate::wire) fn is_over(&self) -> bool {
        self.is_over
    }

    pub(in crate::wire) fn has_call(&self) -> bool {
        self.has_call
    }

    /// After the reason why the model stopped, only the end of the stream follows.
    pub(in crate::wire) fn is_whole(&self) -> bool {
        self.is_over || self.stop_reason.is_some()
    }

    /// A tool that the provider began to run is not known to be harmless, unless the host's offer says so.
    pub(in crate::wire) fn facts(&self) -> AttemptFacts {
        let mut calls = self.blocks.values().filter(|it| it.block.kind == "tool_use");
        let by_provider = self.blocks.values().filter(|it| it.is_of_provider());
        let started: Vec<_> = by_provider.filter_map(|it| it.block.name.clone()).collect();
        AttemptFacts {
            tool_input_started: Some(self.has_call),
            tool_call_materialized: Some(calls.any(Growing::is_whole)),
            tool_execution_started: Some(!started.is_empty()),
            unsafe_side_effect_started: Some(false).filter(|_| started.is_empty()),
            started,
            ..AttemptFacts::default()
        }
    }

    pub(in crate::wire) fn whole(&self, offer: &Offer) -> Result<Completion, Unreadable> {
        let blocks = self.blocks.values().map(Growing::grown).collect();
        Response::streamed(blocks, self.stop_reason.clone(), self.usage).read(offer)
    }

    pub(in crate::wire) fn partial(&self, offer: &Offer) -> Completion {
        let blocks = self.blocks.values().filter(|it| it.block.kind != "tool_use" || it.is_whole());
        let response =
            Response::streamed(blocks.map(Growing::grown).collect(), Some("error".into()), self.usage);
        response.read(offer).expect("every call has an id, a name, and an object as input")
    }
}

fn needed<T>(member: Option<T>, name: &str) -> Result<T, Unreadable> {
    member.ok_or_else(|| Unreadable::new(name, "expected it in an event of this type, found nothing"))
}

impl Growing {
    fn new(mut block: Block, delta: &mut Delta) -> Self {
        let text = block.text.take().map_or_else(String::new, |it| it.as_ref().to_owned());
        let thinking = block.thinking.take().map_or_else(String::new, |it| it.as_ref().to_owned());
        let signature = block.signature.take().map_or_else(String::new, |it| it.as_ref().to_owned());
        delta.text.push_str(&text);
        delta.thinking.push_str(&thinking);
        Self { block, text, thinking, signature, input: String::new(), has_ended: false }
    }

    fn take(&mut self, change: &Change, delta: &mut Delta) {
        self.text.push_str(&change.text);
        self.thinking.push_str(&change.thinking);
        self.signature.push_str(&change.signature);
        self.input.push_str(&change.partial_json);
        delta.text.push_str(&change.text);
        delta.thinking.push_str(&change.thinking);
    }

    /// Whether the provider runs it itself.
    fn is_of_provider(&self) -> bool {
        matches!(&*self.block.kind, "server_tool_use" | "mcp_tool_use")
    }

    /// Whether it is a call that can run: complete and valid.
    fn is_whole(&self) -> bool {
        let is_object = self.input.is_empty() || content::object(self.input.trim()).is_some();
        self.has_ended && is_object && self.grown().raw_call(Place::new("content")).is_ok()
    }

    /// The block with all added text. Truncated input is not JSON; the call keeps it unchanged.
    fn grown(&self) -> Block {
        let mut block = self.block.clone();
        match &*block.kind {
            "text" => block.text = Some(self.text.as_str().into()),
            "thinking" => {
                block.thinking = Some(self.thinking.as_str().into());
                block.signature = Some(self.signature.as_str().into());
            }
            "tool_use" if !self.input.is_empty() => {
                let input = RawValue::from_string(self.input.clone());
                block.input = Some(input.unwrap_or_else(|_| mark::object(&self.input)));
            }
            _ => {}
        }
        block
    }
}
