//! A chat completion that arrives in chunks.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::message::{Piece, texts_of};
use super::response::{Response, Tokens, Whole};
use crate::attempt::AttemptFacts;
use crate::completion::{Completion, RawCall};
use crate::offer::Offer;
use crate::wire::content::{self, Content, null_is_default};
use crate::wire::reading::{self, Unreadable};
use crate::wire::refusal::Refusal;
use crate::wire::stream::delta::Delta;

/// The part of a chat completion that has arrived.
#[derive(Clone, Debug, Default)]
pub(in crate::wire) struct Partial {
    text: String,
    refusal: String,
    reasoning_content: String,
    reasoning: String,
    calls: Vec<Call>,
    /// The index into `calls` for each place.
    places: BTreeMap<Place, usize>,
    /// The only call of servers that still use the old form.
    function_call: Option<Call>,
    finish: Option<Cow<'static, str>>,
    usage: Option<Tokens>,
    is_done: bool,
}

/// The part of a call that has arrived.
#[derive(Clone, Debug, Default)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

/// Identifies the call to which a piece belongs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Index(u64),
    Id(String),
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default, deserialize_with = "null_is_default")]
    object: Cow<'static, str>,
    #[serde(default, deserialize_with = "null_is_default")]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Tokens>,
    #[serde(default)]
    error: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default, deserialize_with = "null_is_default")]
    index: u64,
    #[serde(default, deserialize_with = "null_is_default")]
    delta: Change,
    #[serde(default)]
    finish_reason: Option<Cow<'static, str>>,
}

#[derive(Default, Deserialize)]
struct Change {
    #[serde(default)]
    content: Option<Content<Piece>>,
    #[serde(default, deserialize_with = "null_is_default")]
    refusal: String,
    #[serde(default, deserialize_with = "null_is_default")]
    reasoning_content: String,
    #[serde(default, deserialize_with = "null_is_default")]
    reasoning: String,
    #[serde(default, deserialize_with = "null_is_default")]
    tool_calls: Vec<CallPiece>,
    #[serde(default)]
    function_call: Option<FunctionPiece>,
}

#[derive(Deserialize)]
struct CallPiece {
    #[serde(default)]
    index: Option<u64>,
    #[serde(default, deserialize_with = "null_is_default")]
    id: String,
    #[serde(default, deserialize_with = "null_is_default")]
    function: FunctionPiece,
}

#[derive(Default, Deserialize)]
struct FunctionPiece {
    #[serde(default, deserialize_with = "null_is_default")]
    name: String,
    #[serde(default, deserialize_with = "null_is_default")]
    arguments: String,
}

impl Partial {
    /// Reads one event.
    pub(in crate::wire) fn take(&mut self, data: &str, delta: &mut Delta) -> Result<(), Refusal> {
        if data.trim() == "[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        let chunk: Chunk = reading::parse(data)?;
        if chunk.object == "error" {
            return Err(Refusal::of_error(reading::parse(data)?));
        }
        if let Some(error) = chunk.error {
            return Err(Refusal::of_error(&error));
        }
        self.usage = chunk.usage.or(self.usage);
        for choice in chunk.choices.into_iter().filter(|it| it.index == 0) {
            self.change(choice.delta, delta);
            self.finish = choice.finish_reason.filter(|it| !it.is_empty()).or(self.finish.take());
        }
        Ok(())
    }

    fn change(&mut self, change: Change, delta: &mut Delta) {
        for text in texts_of(change.content.as_ref()) {
            self.text.push_str(&text);
            delta.text.push_str(&text);
        }
        self.refusal.push_str(&change.refusal);
        delta.text.push_str(&change.refusal);
        self.reasoning_content.push_str(&change.reasoning_content);
        self.reasoning.push_str(&change.reasoning);
        // Some servers send both, with the same text.
        let thought = [change.reasoning_content, change.reasoning].into_iter().find(|it| !it.is_empty());
        delta.thinking.push_str(&thought.unwrap_or_default());
        for call in change.tool_calls {
            self.call(&call);
        }
        if let Some(function) = change.function_call {
            self.function_call.get_or_insert_default().take("", &function);
        }
    }

    /// Takes a piece of a call, and gives the index of the call that it belongs to. Servers differ: some give no index,
    /// some give every call the index 0, and some repeat the id, the name or an empty id in every piece.
    fn call(&mut self, change: &CallPiece) -> usize {
        let id = Some(&change.id).filter(|id| !id.is_empty()).cloned().map(Place::Id);
        let place = change.index.map(Place::Index).or(id);
        let name = &change.function.name;
        let known = match &place {
            Some(place) => self.places.get(place).copied().filter(|&at| self.calls[at].goes_on(change)),
            None => self.calls.len().checked_sub(1).filter(|_| name.is_empty()),
        };
        let at = known.unwrap_or(self.calls.len());
        if known.is_none() {
            self.calls.push(Call { index: change.index, ..Call::default() });
            self.places.extend(place.map(|place| (place, at)));
        }
        self.calls[at].take(&change.id, &change.function);
        at
    }

    /// The calls that the pieces in a chunk belong to, in the order in which calls began.
    pub(super) fn take_calls(&mut self, data: &str) -> Option<Vec<usize>> {
        let chunk: Chunk = reading::parse(data).ok()?;
        let choices = chunk.choices.into_iter().filter(|it| it.index == 0);
        Some(choices.flat_map(|it| it.delta.tool_calls).map(|it| self.call(&it)).collect())
    }

    /// The index that each call has on the wire, if it has one, in the order in which calls began.
    pub(super) fn indices(&self) -> Vec<Option<u64>> {
        self.calls.iter().map(|it| it.index).collect()
    }

    pub(in crate::wire) fn is_over(&self) -> bool {
        self.is_done
    }

    /// Some servers never send `[DONE]`.
    pub(in crate::wire) fn is_whole(&self) -> bool {
        self.is_done || self.finish.is_some()
    }

    pub(in crate::wire) fn has_call(&self) -> bool {
        self.calls().next().is_some()
    }

    pub(in crate::wire) fn facts(&self) -> AttemptFacts {
        AttemptFacts {
            tool_input_started: Some(self.has_call()),
            tool_call_materialized: Some(self.calls().any(Call::is_whole)),
            ..AttemptFacts::default()
        }
    }

    pub(in crate::wire) fn whole(&self, offer: &Offer) -> Result<Completion, Unreadable> {
        let nameless = |(at, call): (usize, &Call)| call.name.is_empty().then_some(at);
        if let Some(at) = self.calls().enumerate().find_map(nameless) {
            let place = format!("choices[0].delta.tool_calls[{at}].function.name");
            return Err(Unreadable::new(place, "expected a string, found nothing"));
        }
        self.read(|_| true, self.finish.clone(), offer)
    }

    pub(in crate::wire) fn partial(&self, offer: &Offer) -> Completion {
        let read = self.read(Call::is_whole, Some("error".into()), offer);
        read.expect("every call has a name and its arguments as a string")
    }

    fn read(
        &self,
        wanted: impl Fn(&Call) -> bool,
        finish: Option<Cow<'static, str>>,
        offer: &Offer,
    ) -> Result<Completion, Unreadable> {
        let mut calls: Vec<&Call> = self.calls().filter(|it| wanted(it)).collect();
        calls.sort_by_key(|it| it.index.unwrap_or(u64::MAX));
        let whole = Whole {
            text: &self.text,
            refusal: &self.refusal,
            reasoning_content: &self.reasoning_content,
            reasoning: &self.reasoning,
            calls: calls.into_iter().map(Call::raw).collect(),
            finish,
            usage: self.usage,
        };
        Response::streamed(whole).read(offer)
    }

    fn calls(&self) -> impl Iterator<Item = &Call> {
        self.calls.iter().chain(&self.function_call)
    }
}

impl Call {
    fn take(&mut self, id: &str, function: &FunctionPiece) {
        if self.id.is_empty() {
            id.clone_into(&mut self.id);
        }
        if self.name != function.name {
            self.name.push_str(&function.name);
        }
        self.arguments.push_str(&function.arguments);
    }

    /// Whether a piece at this call's place continues this call, instead of beginning another one.
    fn goes_on(&self, change: &CallPiece) -> bool {
        let same = |ours: &str, theirs: &str| ours.is_empty() || theirs.is_empty() || ours == theirs;
        let CallPiece { id, function, .. } = change;
        same(&self.id, id) && (self.arguments.is_empty() || same(&self.name, &function.name))
    }

    /// Nothing can follow an object, so a call with an object is complete.
    fn is_whole(&self) -> bool {
        !self.name.is_empty() && content::object(self.arguments.trim()).is_some()
    }

    fn raw(&self) -> RawCall {
        let Self { index: _, id, name, arguments } = self;
        RawCall { id: id.as_str().into(), tool: name.as_str().into(), arguments: arguments.as_str().into() }
    }
}
