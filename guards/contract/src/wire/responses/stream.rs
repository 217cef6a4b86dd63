//! A response that arrives in events.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use super::item::{Item, Piece};
use super::response::Response;
use super::turn;
use crate::attempt::AttemptFacts;
use crate::completion::Completion;
use crate::offer::Offer;
use crate::wire::content::{self, Content, null_is_default};
use crate::wire::names::Names;
use crate::wire::place::Place;
use crate::wire::reading::{self, Unreadable};
use crate::wire::refusal::Refusal;
use crate::wire::stream::delta::Delta;

/// The part of a response that has arrived.
#[derive(Clone, Debug, Default)]
pub(in crate::wire) struct Partial {
    items: BTreeMap<u64, Growing>,
    /// Whether one of them is a call.
    has_call: bool,
    /// The response of the last event.
    end: Option<Response>,
}

/// The part of an item that has arrived.
#[derive(Clone, Debug)]
struct Growing {
    /// The item as it began or, if it has ended, the whole of it.
    item: Item,
    /// The texts added since, by their place.
    texts: BTreeMap<(Kind, u64), String>,
    arguments: String,
    has_ended: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Text,
    Refusal,
    Summary,
    Thought,
}

/// An event of any type, with the members of all types that are read here.
#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type", default, deserialize_with = "null_is_default")]
    kind: Cow<'static, str>,
    #[serde(default)]
    output_index: Option<u64>,
    #[serde(default, deserialize_with = "null_is_default")]
    content_index: u64,
    #[serde(default, deserialize_with = "null_is_default")]
    summary_index: u64,
    #[serde(default)]
    item: Option<Item>,
    /// A string in the events that are read here.
    #[serde(default)]
    delta: Option<Box<RawValue>>,
    #[serde(default)]
    response: Option<Response>,
    #[serde(default)]
    error: Option<Box<RawValue>>,
}

impl Partial {
    /// Reads one event. Events of other types repeat what these say, or belong to tools of the provider.
    pub(in crate::wire) fn take(&mut self, data: &str, delta: &mut Delta) -> Result<(), Refusal> {
        if data.trim() == "[DONE]" {
            return Ok(());
        }
        let event: Event = reading::parse(data)?;
        let text = match &*event.kind {
            "response.output_text.delta" => Some((Kind::Text, event.content_index)),
            "response.refusal.delta" => Some((Kind::Refusal, event.content_index)),
            "response.reasoning_summary_text.delta" => Some((Kind::Summary, event.summary_index)),
            "response.reasoning_text.delta" => Some((Kind::Thought, event.content_index)),
            _ => None,
        };
        if let Some((kind, at)) = text {
            let added = string(needed(event.delta, "delta")?)?;
            kind.show(&added, delta);
            self.item(event.output_index)?.texts.entry((kind, at)).or_default().push_str(&added);
            return Ok(());
        }
        match &*event.kind {
            "response.output_item.added" => {
                let at = needed(event.output_index, "output_index")?;
                if self.items.contains_key(&at) {
                    let reason = format!("expected an item that has not begun, found {at}");
                    return Err(Unreadable::new("output_index", reason).into());
                }
                let item = needed(event.item, "item")?;
                self.has_call |= item.is_call();
                self.items.insert(at, Growing::new(item));
            }
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                let added = string(needed(event.delta, "delta")?)?;
                self.item(event.output_index)?.arguments.push_str(&added);
            }
            "response.output_item.done" => {
                let at = needed(event.output_index, "output_index")?;
                let item = needed(event.item, "item")?;
                self.has_call |= item.is_call();
                let growing = self.items.entry(at).or_insert_with(|| Growing::new(Item::default()));
                growing.end(item, delta);
            }
            "response.completed" | "response.incomplete" => {
                self.end(needed(event.response, "response")?, delta);
            }
            "response.failed" => {
                let error = event.response.and_then(|it| it.error);
                return Err(Refusal::of_error(&needed(error, "response.error")?));
            }
            "error" => {
                return Err(match event.error {
                    Some(error) => Refusal::of_error(&error),
                    None => Refusal::of_error(reading::parse(data)?),
                });
            }
            _ if event.kind.is_empty() => {
                let error = needed(event.error, "type")?;
                return Err(Refusal::of_error(&error));
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes the last response. Some servers send the items in it alone.
    fn end(&mut self, mut response: Response, delta: &mut Delta) {
        let items = response.output.take().unwrap_or_default();
        if self.items.is_empty() {
            for (at, item) in (0..).zip(items) {
                self.has_call |= item.is_call();
                self.items.entry(at).or_insert_with(|| Growing::new(Item::default())).end(item, delta);
            }
        }
        self.end = Some(response);
    }

    fn item(&mut self, index: Option<u64>) -> Result<&mut Growing, Unreadable> {
        let at = needed(index, "output_index")?;
        let missing =
            || Unreadable::new("output_index", format!("expected an item that has begun, found {at}"));
        self.items.get_mut(&at).ok_or_else(missing)
    }

    pub(in crate::wire) fn is_over(&self) -> bool {
        self.end.is_some()
    }

    pub(in crate::wire) fn has_call(&self) -> bool {
        self.has_call
    }

    /// A tool that the provider began to run is not known to be harmless, unless the host's offer says so.
    pub(in crate::wire) fn facts(&self) -> AttemptFacts {
        let mut calls = self.items.values().filter(|it| it.item.is_call());
        let by_provider = self.items.values().map(|it| &it.item).filter(|it| it.is_of_provider());
        let started: Vec<Arc<str>> =
            by_provider.map(|it| it.name.clone().unwrap_or_else(|| it.kind.as_ref().into())).collect();
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
        let mut whole = needed(self.end.clone(), "response")?;
        whole.output = Some(self.items.values().map(Growing::grown).collect());
        whole.read(offer)
    }

    pub(in crate::wire) fn partial(&self, offer: &Offer) -> Completion {
        let items = self.items.values().filter(|it| !it.item.is_call() || it.is_whole());
        let mut response = Response::streamed(items.map(Growing::grown).collect());
        response.usage = self.end.as_ref().and_then(|it| it.usage);
        response.read(offer).expect("every call has an id, a name, and a string as arguments")
    }
}

fn needed<T>(member: Option<T>, name: &str) -> Result<T, Unreadable> {
    member.ok_or_else(|| Unreadable::new(name, "expected it in an event of this type, found nothing"))
}

fn string(raw: Box<RawValue>) -> Result<Arc<str>, Unreadable> {
    let found = || format!("expected a string, found {}", content::excerpt(raw.get()));
    turn::string(&raw).ok_or_else(|| Unreadable::new("delta", found()))
}

impl Kind {
    fn show(self, text: &str, delta: &mut Delta) {
        match self {
            Self::Text | Self::Refusal => delta.text.push_str(text),
            Self::Summary | Self::Thought => delta.thinking.push_str(text),
        }
    }
}

impl Growing {
    fn new(item: Item) -> Self {
        Self { item, texts: BTreeMap::new(), arguments: String::new(), has_ended: false }
    }

    /// Takes the whole item, and shows it if no piece of it came before.
    fn end(&mut self, item: Item, delta: &mut Delta) {
        if self.texts.is_empty() {
            match item.kind() {
                "message" => item.texts().iter().for_each(|text| delta.text.push_str(text)),
                "reasoning" => delta.thinking.push_str(&item.thinking()),
                _ => {}
            }
        }
        self.item = item;
        self.has_ended = true;
    }

    /// Whether it is a call that can run. Nothing can follow an object, so a call with an object is complete.
    fn is_whole(&self) -> bool {
        let grown = self.grown();
        let member = if grown.kind() == "function_call" { "arguments" } else { "input" };
        let Ok(call) = turn::raw(&grown, Place::new("item"), member, &Names::default()) else { return false };
        self.has_ended || (member == "arguments" && content::object(call.arguments.trim()).is_some())
    }

    /// The item with all added text.
    fn grown(&self) -> Item {
        let mut item = self.item.clone();
        if self.has_ended {
            return item;
        }
        let added = || Some(to_raw_value(&self.arguments).expect("a string is JSON"));
        match item.kind() {
            "function_call" if !self.arguments.is_empty() => item.arguments = added(),
            "custom_tool_call" if !self.arguments.is_empty() => item.input = added(),
            "message" | "reasoning" if !self.texts.is_empty() => {
                let (mut content, mut summary) = (Vec::new(), Vec::new());
                for ((kind, _), text) in &self.texts {
                    let text: Arc<str> = text.as_str().into();
                    match kind {
                        Kind::Text => content.push(Piece::output(&text)),
                        Kind::Refusal => content.push(Piece::refusal(&text)),
                        Kind::Summary => summary.push(Piece::of("summary_text", &text)),
                        Kind::Thought => content.push(Piece::of("reasoning_text", &text)),
                    }
                }
                (item.content, item.summary) = (Some(Content::Parts(content)), Some(summary));
            }
            _ => {}
        }
        item
    }
}
