//! A message as events.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::block::Block;
use super::response::{Counted, Response};
use crate::wire::answering::Answering;
use crate::wire::event::{Event, pieces};
use crate::wire::mark;

/// An event of any type, with the members of all types.
#[derive(Default, Serialize)]
struct Said<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Response>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_block: Option<Block>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<Change<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Counted>,
}

/// What is added to a block, with its type; or why the message ended, which has none.
#[derive(Default, Serialize)]
struct Change<'a> {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    partial_json: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_reason: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_sequence: Option<()>,
}

impl Change<'_> {
    fn of(kind: &'static str) -> Self {
        Self { kind: Some(kind), ..Self::default() }
    }
}

impl Said<'_> {
    fn event(self) -> Event {
        Event::of(Some(self.kind), &self)
    }
}

impl Response {
    /// Its named events, from `message_start` to `message_stop`.
    pub(in crate::wire) fn events(&self, answering: &Answering) -> Vec<Event> {
        let start = Said { kind: "message_start", message: Some(self.opening()), ..Said::default() };
        let mut events = vec![start.event(), Said { kind: "ping", ..Said::default() }.event()];
        for (index, block) in self.content.blocks().iter().enumerate() {
            let index = Some(index);
            let opening = Some(block.opening());
            let start =
                Said { kind: "content_block_start", index, content_block: opening, ..Said::default() };
            events.push(start.event());
            block.added(answering, |delta| {
                let delta = Some(delta);
                events.push(Said { kind: "content_block_delta", index, delta, ..Said::default() }.event());
            });
            events.push(Said { kind: "content_block_stop", index, ..Said::default() }.event());
        }
        let stop_reason = Some(self.stop_reason.as_deref());
        let end = Change { stop_reason, stop_sequence: Some(()), ..Change::default() };
        let (delta, usage) = (Some(end), Some(self.counted()));
        events.push(Said { kind: "message_delta", delta, usage, ..Said::default() }.event());
        events.push(Said { kind: "message_stop", ..Said::default() }.event());
        events
    }
}

/// The event that adds all of its input to the call with this index.
pub(super) fn input(index: usize, input: &str) -> Event {
    let delta = Change { partial_json: Some(input), ..Change::of("input_json_delta") };
    let (index, delta) = (Some(index), Some(delta));
    Said { kind: "content_block_delta", index, delta, ..Said::default() }.event()
}

impl Block {
    /// The block as it begins.
    fn opening(&self) -> Self {
        let empty = |it: &Option<_>| it.as_ref().map(|_| "".into());
        Self {
            text: empty(&self.text),
            thinking: empty(&self.thinking),
            signature: empty(&self.signature),
            input: self.input.as_ref().map(|_| to_raw_value(&Nothing {}).expect("it has no key")),
            ..self.clone()
        }
    }

    /// What is added to it.
    fn added(&self, answering: &Answering, mut send: impl FnMut(Change<'_>)) {
        for text in pieces(self.text.as_deref().unwrap_or_default(), answering.piece) {
            send(Change { text: Some(text), ..Change::of("text_delta") });
        }
        for thinking in pieces(self.thinking.as_deref().unwrap_or_default(), answering.piece) {
            send(Change { thinking: Some(thinking), ..Change::of("thinking_delta") });
        }
        if let Some(signature) = self.signature.as_deref().filter(|it| !it.is_empty()) {
            send(Change { signature: Some(signature), ..Change::of("signature_delta") });
        }
        let input = self.input.as_deref().map(input_text).unwrap_or_default();
        for partial_json in pieces(&input, answering.piece) {
            send(Change { partial_json: Some(partial_json), ..Change::of("input_json_delta") });
        }
    }
}

/// What is streamed of the input of a call; nothing of an empty one. Arguments that are not JSON need no mark here:
/// they arrive as they would from a model that breaks off.
fn input_text(input: &RawValue) -> Arc<str> {
    let arguments = mark::read_object(input.get());
    match RawValue::from_string(arguments.as_ref().to_owned()) {
        Ok(_) if input.get() == "{}" => "".into(),
        Ok(_) => input.get().into(),
        Err(_) => arguments,
    }
}

#[derive(Serialize)]
struct Nothing {}
