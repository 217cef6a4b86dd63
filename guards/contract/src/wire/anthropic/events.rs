//! A message as events.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::block::Block;
use super::response::{Counted, Response};
use crate::wire::answering::Answering;
use crate::wire::event::{Event, pieces};

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

#[derive(Serialize)]
#[serde(tag = "type")]
enum Added<'a> {
    #[serde(rename = "text_delta")]
    Text { text: &'a str },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: &'a str },
    #[serde(rename = "signature_delta")]
    Signature { signature: &'a str },
    #[serde(rename = "input_json_delta")]
    InputJson { partial_json: &'a str },
}

#[derive(Serialize)]
struct Stop<'a> {
    stop_reason: Option<&'a str>,
    stop_sequence: (),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Change<'a> {
    Added(Added<'a>),
    Stop(Stop<'a>),
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
            block.added(answering, |added| {
                let delta = Some(Change::Added(added));
                events.push(Said { kind: "content_block_delta", index, delta, ..Said::default() }.event());
            });
            events.push(Said { kind: "content_block_stop", index, ..Said::default() }.event());
        }
        let stop = Stop { stop_reason: self.stop_reason.as_deref(), stop_sequence: () };
        let (delta, usage) = (Some(Change::Stop(stop)), Some(self.counted()));
        events.push(Said { kind: "message_delta", delta, usage, ..Said::default() }.event());
        events.push(Said { kind: "message_stop", ..Said::default() }.event());
        events
    }
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
    fn added(&self, answering: &Answering, mut send: impl FnMut(Added<'_>)) {
        for text in pieces(self.text.as_deref().unwrap_or_default(), answering.piece) {
            send(Added::Text { text });
        }
        for thinking in pieces(self.thinking.as_deref().unwrap_or_default(), answering.piece) {
            send(Added::Thinking { thinking });
        }
        if let Some(signature) = self.signature.as_deref().filter(|it| !it.is_empty()) {
            send(Added::Signature { signature });
        }
        let input = self.input.as_deref().map_or("{}", RawValue::get);
        for partial_json in pieces(if input == "{}" { "" } else { input }, answering.piece) {
            send(Added::InputJson { partial_json });
        }
    }
}

#[derive(Serialize)]
struct Nothing {}
