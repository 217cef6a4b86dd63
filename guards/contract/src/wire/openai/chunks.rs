//! A chat completion as chunks.

use std::sync::Arc;

use serde::Serialize;

use super::message::{Call, texts_of};
use super::response::{Response, Tokens};
use crate::wire::answering::Answering;
use crate::wire::event::{Event, pieces};

#[derive(Serialize)]
struct Chunk<'a> {
    id: &'a str,
    object: &'static str,
    created: u64,
    model: &'a str,
    choices: &'a [Choice<'a>],
    /// Where it is asked for, all chunks but the one with the counts have `null`.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Option<Tokens>>,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u64,
    delta: Change<'a>,
    finish_reason: Option<&'a str>,
}

#[derive(Default, Serialize)]
struct Change<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<[CallPiece<'a>; 1]>,
}

#[derive(Serialize)]
struct CallPiece<'a> {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    function: FunctionPiece<'a>,
}

#[derive(Serialize)]
struct FunctionPiece<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    arguments: &'a str,
}

impl Response {
    /// The events of its first choice, up to `[DONE]`.
    pub(in crate::wire) fn events(&self, answering: &Answering) -> Vec<Event> {
        let mut events = Vec::new();
        let usage = answering.include_usage.then_some(None);
        if let Some(choice) = self.choices.first() {
            let message = &choice.message;
            let texts = texts_of(message.content.as_ref());
            let mut send = |delta: Change<'_>, finish_reason: Option<&str>| {
                let choices = [Choice { index: 0, delta, finish_reason }];
                events.push(Event::of(None, &self.chunk(&choices, usage)));
            };
            let content = Some(if texts.is_empty() { None } else { Some("") });
            send(Change { role: Some("assistant"), content, ..Change::default() }, None);
            let thinking = message.reasoning_content.as_deref().unwrap_or_default();
            for piece in pieces(thinking, answering.piece) {
                send(Change { reasoning_content: Some(piece), ..Change::default() }, None);
            }
            for piece in texts.iter().flat_map(|text| pieces(text, answering.piece)) {
                send(Change { content: Some(Some(piece)), ..Change::default() }, None);
            }
            for (at, call) in message.tool_calls.iter().enumerate() {
                call.changes(at, answering, |change| {
                    send(Change { tool_calls: Some([change]), ..Change::default() }, None);
                });
            }
            send(Change::default(), choice.finish_reason.as_deref());
        }
        if answering.include_usage {
            events.push(Event::of(None, &self.chunk(&[], Some(self.usage))));
        }
        events.push(Event { name: None, data: "[DONE]".to_owned() });
        events
    }

    fn chunk<'a>(&'a self, choices: &'a [Choice<'a>], usage: Option<Option<Tokens>>) -> Chunk<'a> {
        let Self { id, created, model, .. } = self;
        Chunk { id, object: "chat.completion.chunk", created: *created, model, choices, usage }
    }
}

impl Call {
    /// Its name first, then its arguments.
    fn changes(&self, index: usize, answering: &Answering, mut send: impl FnMut(CallPiece<'_>)) {
        let Some(function) = &self.function else { return };
        let name = Some(&*function.name);
        let (id, kind) = (Some(&*self.id), Some(&*self.kind));
        send(CallPiece { index, id, kind, function: FunctionPiece { name, arguments: "" } });
        let arguments: Arc<str> = function.text().unwrap_or_default().into();
        for arguments in pieces(&arguments, answering.piece) {
            let function = FunctionPiece { name: None, arguments };
            send(CallPiece { index, id: None, kind: None, function });
        }
    }
}
