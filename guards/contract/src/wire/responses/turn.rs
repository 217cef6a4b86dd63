//! What the model says in neighbouring items.

use std::ops::Range;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::item::Item;
use crate::completion::{Completion, FinishReason, Part, RawCall, Usage};
use crate::offer::Offer;
use crate::view::Message;
use crate::wire::content;
use crate::wire::names::{Called, Names};
use crate::wire::place::Place;
use crate::wire::reading::Unreadable;
use crate::wire::splice::Spot;

/// What neighbouring items of the model say.
#[derive(Default)]
pub(super) struct Turn {
    parts: Vec<Part>,
    calls: Vec<RawCall>,
    /// From its first item to its last one, in a request. Instructions may be between them.
    items: Option<Range<usize>>,
    /// Whether it has the words of a refusal.
    pub(super) refuses: bool,
}

impl Turn {
    /// The item at this index is one of it.
    pub(super) fn reach(&mut self, at: usize) {
        let start = self.items.as_ref().map_or(at, |it| it.start);
        self.items = Some(start..at + 1);
    }

    /// Adds a message of the model.
    pub(super) fn message(&mut self, item: &Item) {
        self.parts.extend(item.texts().into_iter().map(Part::Text));
        self.refuses |= item.refuses();
    }

    /// Adds another item, which is at `place`. Items of other types than calls and reasoning add nothing.
    pub(super) fn item(&mut self, item: &Item, place: Place<'_>, names: &Names) -> Result<(), Unreadable> {
        match item.kind() {
            "function_call" => self.calls.push(raw(item, place, "arguments", names)?),
            "custom_tool_call" => self.calls.push(raw(item, place, "input", names)?),
            "reasoning" => {
                let (text, signature) = (item.thinking(), item.encrypted_content.clone());
                if !text.is_empty() || signature.is_some() {
                    self.parts.push(Part::Thinking { text: text.into(), signature });
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether it has calls.
    pub(super) fn calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// The completion.
    pub(super) fn completion(self, finish: FinishReason, usage: Usage, offer: &Offer) -> Completion {
        Completion::new(self.parts, self.calls, finish, usage, offer)
    }

    /// The message of a request, if it says anything, and where it is; the next turn begins.
    pub(super) fn end(&mut self, offer: &Offer) -> Option<(Spot, Message)> {
        let mut turn = std::mem::take(self);
        let items = turn.items.take()?;
        let completion = turn.completion(FinishReason::NotGiven, Usage::default(), offer);
        let says = completion.has_text() || !completion.calls.is_empty();
        says.then(|| (Spot::several(items), Message::Assistant(completion.into())))
    }
}

/// The call of an item, with the text in this member.
pub(super) fn raw(
    item: &Item,
    place: Place<'_>,
    member: &'static str,
    names: &Names,
) -> Result<RawCall, Unreadable> {
    let lacks = |member: &'static str, found: String| {
        Unreadable::new(place.member(member), format!("expected a string, found {found}"))
    };
    let nothing = || "nothing".to_owned();
    let id = item.call_id.clone().ok_or_else(|| lacks("call_id", nothing()))?;
    let name = item.name.clone().ok_or_else(|| lacks("name", nothing()))?;
    let is_custom = member == "input";
    let text = if is_custom { &item.input } else { &item.arguments };
    let text = text.as_deref().ok_or_else(|| lacks(member, nothing()))?;
    let arguments = string(text).ok_or_else(|| lacks(member, content::excerpt(text.get())))?;
    let called = Called { name, namespace: item.namespace.clone(), is_custom };
    Ok(RawCall { id, tool: names.offered(called), arguments })
}

/// The text of a JSON string.
pub(super) fn string(raw: &RawValue) -> Option<Arc<str>> {
    serde_json::from_str::<String>(raw.get()).ok().map(Into::into)
}
