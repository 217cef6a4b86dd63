//! A chat completion without some of its calls, with others mended, or with more text.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::json as value;

use super::response::Response;
use super::stream::Partial;
use crate::wire::amended::{Amendment, CallChange, behind, name};
use crate::wire::answering::Answering;
use crate::wire::content::json;
use crate::wire::event::Event;
use crate::wire::mark::NOT_SIGNED;
use crate::wire::patch::{Json, Patch};
use crate::wire::stream::raw::Raw;

/// A chat completion in one piece.
pub(in crate::wire) fn whole(text: &str, change: &Amendment, answering: &Answering) -> Option<String> {
    let choice = Json::parse(text)?.member("choices")?.elements().into_iter().next()?;
    let message = choice.member("message")?;
    let calls = message.member("tool_calls").map_or_else(Vec::new, Json::elements);
    if calls.len() != change.calls.len() {
        return None;
    }
    let mut patch = Patch::new(text);
    let signs = change.calls.first().is_some_and(CallChange::is_gone) && is_signed(calls[0]);
    let first = change.calls.iter().position(|it| !it.is_gone()).filter(|_| signs);
    for (at, (call, fate)) in calls.iter().zip(&change.calls).enumerate() {
        if let (Some(new), Some(function)) = (fate.call(), call.member("function")) {
            patch.set(function, "name", &json(&name(new, &answering.names)));
            patch.set(function, "arguments", &json(&new.arguments));
        }
        if first == Some(at) {
            sign(&mut patch, *call);
        }
    }
    if let Some(list) = message.member("tool_calls") {
        patch.list(list, |at| change.calls[at].is_gone(), None);
    }
    if let Some(text) = change.text() {
        match message.member("content").filter(|it| !it.is_null()) {
            None => patch.set(message, "content", &json(&text)),
            Some(list) if list.is_list() => {
                let part = value!({ "type": "text", "text": text }).to_string();
                patch.list(list, |_| false, Some((list.elements().len(), &part)));
            }
            Some(old) => patch.put(old, &json(&(old.string()? + text))),
        }
    }
    Some(patch.end())
}

/// A chat completion in chunks.
pub(in crate::wire) fn stream(
    events: &[Raw<'_>],
    change: &Amendment,
    answering: &Answering,
) -> Option<String> {
    let mut partial = Partial::default();
    let mut pieces = Vec::new();
    for event in events {
        pieces.push(event.json().map_or(Some(Vec::new()), |data| partial.take_calls(data))?);
    }
    let indices = partial.indices();
    // Calls count in the order of their indices.
    let mut order: Vec<usize> = (0..indices.len()).collect();
    order.sort_by_key(|at| indices[*at].unwrap_or(u64::MAX));
    if order.len() != change.calls.len() {
        return None;
    }
    let mut fates: Vec<&CallChange> = change.calls.iter().collect();
    for (nth, at) in order.iter().enumerate() {
        fates[*at] = &change.calls[nth];
    }
    let is_gone = |at: &usize| fates[*at].is_gone();
    let mut gone: Vec<u64> = (0..fates.len()).filter(is_gone).filter_map(|at| indices[at]).collect();
    gone.sort_unstable();
    let signs = order.first().is_some_and(|first| {
        let of_first = |(event, pieces): (&Raw<'_>, &Vec<usize>)| {
            let calls = event.json().map_or_else(Vec::new, calls);
            calls.iter().zip(pieces).any(|(call, at)| at == first && is_signed(*call))
        };
        is_gone(first) && events.iter().zip(&pieces).any(of_first)
    });
    let unsigned = order.iter().find(|it| !is_gone(it)).copied().filter(|_| signs);
    let (told, has_said, text) = Default::default();
    let mut writer = Writer { change, answering, fates, gone, unsigned, told, has_said, text };
    for (event, pieces) in events.iter().zip(&pieces) {
        writer.event(event, pieces)?;
    }
    Some(writer.text)
}

struct Writer<'c> {
    change: &'c Amendment,
    answering: &'c Answering,
    /// What becomes of each call, in the order in which they began.
    fates: Vec<&'c CallChange>,
    /// The indices of the calls that are taken out, in order.
    gone: Vec<u64>,
    /// The call that is the first one now, until it is signed.
    unsigned: Option<usize>,
    /// The mended calls whose arguments have been sent.
    told: BTreeSet<usize>,
    has_said: bool,
    text: String,
}

impl Writer<'_> {
    /// A chunk with pieces of these calls.
    fn event(&mut self, event: &Raw<'_>, pieces: &[usize]) -> Option<()> {
        let Some(data) = event.json() else {
            self.text.push_str(event.text);
            return Some(());
        };
        let chunk = Json::parse(data)?;
        let ends = choice(data).and_then(|it| it.member("finish_reason")).is_some_and(|it| !it.is_null());
        if event.start >= self.change.sent && (ends || !pieces.is_empty()) {
            self.says()?;
        }
        if pieces.is_empty() {
            self.text.push_str(event.text);
            return Some(());
        }
        let is_gone = |nth: usize| self.fates[pieces[nth]].is_gone();
        let delta = choice(data)?.member("delta")?;
        let has_more = delta.count() > 1 || ends || chunk.member("usage").is_some_and(|it| !it.is_null());
        if (0..pieces.len()).all(is_gone) && !has_more && chunk.member("choices")?.elements().len() == 1 {
            return Some(());
        }
        let mut patch = Patch::new(data);
        let list = delta.member("tool_calls")?;
        patch.list(list, is_gone, None);
        for (call, at) in list.elements().into_iter().zip(pieces) {
            if self.fates[*at].is_gone() {
                continue;
            }
            if let Some(index) = call.member("index").and_then(Json::number) {
                patch.set(call, "index", &behind(&self.gone, index).to_string());
            }
            if self.unsigned.take_if(|it| it == at).is_some() {
                sign(&mut patch, call);
            }
            self.mends(&mut patch, call, *at);
        }
        self.text.push_str(&event.patched(data, patch));
        Some(())
    }

    /// Gives a call that is mended its new name, and its new arguments in one piece.
    fn mends<'a>(&mut self, patch: &mut Patch<'a>, call: Json<'a>, at: usize) {
        let function = call.member("function").filter(|it| !it.is_null());
        let (Some(new), Some(function)) = (self.fates[at].call(), function) else { return };
        let old = function.member("name").and_then(Json::string);
        if old.is_some_and(|it| !it.is_empty()) {
            patch.set(function, "name", &json(&name(new, &self.answering.names)));
        }
        if self.told.insert(at) {
            patch.set(function, "arguments", &json(&new.arguments));
        } else if let Some(old) = function.member("arguments") {
            patch.put(old, &json(&""));
        }
    }

    /// Writes the text, once.
    fn says(&mut self) -> Option<()> {
        if self.change.text().is_none() || std::mem::replace(&mut self.has_said, true) {
            return Some(());
        }
        let answering = Answering { include_usage: false, ..self.answering.clone() };
        let events = Response::of(&self.change.said(), &answering).events(&answering);
        // Before the text is the role; behind it are the reason to stop and `[DONE]`.
        for Event { name, data } in &events[1..events.len() - 2] {
            write!(self.text, "{}", Event { name: *name, data: data.clone() }).ok()?;
        }
        Some(())
    }
}

/// The choice of a chunk that counts.
fn choice(data: &str) -> Option<Json<'_>> {
    let is_first = |it: &Json<'_>| it.member("index").and_then(Json::number).unwrap_or_default() == 0;
    Json::parse(data)?.member("choices")?.elements().into_iter().find(is_first)
}

/// The pieces of calls in a chunk.
fn calls(data: &str) -> Vec<Json<'_>> {
    let delta = choice(data).and_then(|it| it.member("delta"));
    delta.and_then(|it| it.member("tool_calls")).map_or_else(Vec::new, Json::elements)
}

/// Whether a call has a signature of Gemini, which signs the first call alone.
fn is_signed(call: Json<'_>) -> bool {
    let google = call.member("extra_content").and_then(|it| it.member("google"));
    google.and_then(|it| it.member("thought_signature")).is_some()
}

/// Gives a call the signature of one that is not signed, if it lacks one: Gemini refuses an answer whose first call has
/// none.
fn sign<'a>(patch: &mut Patch<'a>, call: Json<'a>) {
    if call.member("extra_content").is_none_or(Json::is_null) {
        let content = value!({ "google": { "thought_signature": NOT_SIGNED } });
        patch.set(call, "extra_content", &content.to_string());
    }
}
