//! A response as events.

use serde::Serialize;

use super::item::{Item, Piece};
use super::response::Response;
use super::turn::string;
use crate::wire::answering::Answering;
use crate::wire::content::Content;
use crate::wire::event::{Event, pieces};

/// An event of any type, with the members of all types.
#[derive(Clone, Default, Serialize)]
struct Said<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    sequence_number: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<&'a Response>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary_index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<&'a Item>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<&'a Piece>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    /// Always empty, and always there beside text of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<[(); 0]>,
}

/// The events so far; each has the next number.
#[derive(Default)]
struct Events(Vec<Event>);

impl Events {
    fn send(&mut self, kind: &'static str, said: Said<'_>) {
        let sequence_number = u64::try_from(self.0.len()).unwrap_or(u64::MAX);
        self.0.push(Event::of(Some(kind), &Said { kind, sequence_number, ..said }));
    }
}

impl Response {
    /// Its named events, from `response.created` to `response.completed` or `response.incomplete`.
    pub(in crate::wire) fn events(&self, answering: &Answering) -> Vec<Event> {
        let mut events = Events::default();
        let begun = self.begun();
        for kind in ["response.created", "response.in_progress"] {
            events.send(kind, Said { response: Some(&begun), ..Said::default() });
        }
        for (at, item) in self.output.iter().flatten().enumerate() {
            let place = Said { output_index: Some(at), item_id: item.id.as_deref(), ..Said::default() };
            let around = |item| Said { output_index: Some(at), item: Some(item), ..Said::default() };
            let begun = item.begun();
            events.send("response.output_item.added", around(&begun));
            item.events(&place, answering, &mut events);
            events.send("response.output_item.done", around(item));
        }
        let end = match self.status.as_deref() {
            Some("incomplete") => "response.incomplete",
            Some(_) | None => "response.completed",
        };
        events.send(end, Said { response: Some(self), ..Said::default() });
        events.0
    }
}

impl Item {
    /// The item as it begins.
    fn begun(&self) -> Self {
        let empty = || serde_json::value::to_raw_value("").expect("a string is JSON");
        Self {
            status: self.status.as_ref().map(|_| "in_progress".into()),
            summary: self.summary.as_ref().map(|_| Vec::new()),
            content: self.content.as_ref().map(|_| Content::Parts(Vec::new())),
            encrypted_content: None,
            arguments: self.arguments.as_ref().map(|_| empty()),
            input: self.input.as_ref().map(|_| empty()),
            ..self.clone()
        }
    }

    /// What is added to it at this place.
    fn events(&self, place: &Said<'_>, answering: &Answering, events: &mut Events) {
        if let Some(Content::Parts(parts)) = &self.content {
            for (nth, part) in parts.iter().enumerate() {
                let place = Said { content_index: Some(nth), ..place.clone() };
                part.text_events(&place, answering, events);
            }
        }
        for (nth, part) in self.summary.iter().flatten().enumerate() {
            let place = Said { summary_index: Some(nth), ..place.clone() };
            part.summary_events(&place, answering, events);
        }
        let name = self.name.as_deref();
        if let Some(arguments) = self.arguments.as_deref().and_then(string) {
            for delta in pieces(&arguments, answering.piece) {
                let said = Said { delta: Some(delta), ..place.clone() };
                events.send("response.function_call_arguments.delta", said);
            }
            let said = Said { arguments: Some(&arguments), name, ..place.clone() };
            events.send("response.function_call_arguments.done", said);
        }
        if let Some(input) = self.input.as_deref().and_then(string) {
            for delta in pieces(&input, answering.piece) {
                let said = Said { delta: Some(delta), ..place.clone() };
                events.send("response.custom_tool_call_input.delta", said);
            }
            let said = Said { input: Some(&input), ..place.clone() };
            events.send("response.custom_tool_call_input.done", said);
        }
    }
}

impl Piece {
    /// A part of a message.
    fn text_events(&self, place: &Said<'_>, answering: &Answering, events: &mut Events) {
        let text = self.text.as_deref().unwrap_or_default();
        let begun = Self::output(&"".into());
        events.send("response.content_part.added", Said { part: Some(&begun), ..place.clone() });
        let place = Said { logprobs: Some([]), ..place.clone() };
        for delta in pieces(text, answering.piece) {
            events.send("response.output_text.delta", Said { delta: Some(delta), ..place.clone() });
        }
        events.send("response.output_text.done", Said { text: Some(text), ..place.clone() });
        events.send("response.content_part.done", Said { part: Some(self), logprobs: None, ..place });
    }

    /// A part of the summary of reasoning.
    fn summary_events(&self, place: &Said<'_>, answering: &Answering, events: &mut Events) {
        let text = self.text.as_deref().unwrap_or_default();
        let begun = Self::of("summary_text", &"".into());
        let part = |part| Said { part: Some(part), ..place.clone() };
        events.send("response.reasoning_summary_part.added", part(&begun));
        for delta in pieces(text, answering.piece) {
            let said = Said { delta: Some(delta), ..place.clone() };
            events.send("response.reasoning_summary_text.delta", said);
        }
        events.send("response.reasoning_summary_text.done", Said { text: Some(text), ..place.clone() });
        events.send("response.reasoning_summary_part.done", part(self));
    }
}
