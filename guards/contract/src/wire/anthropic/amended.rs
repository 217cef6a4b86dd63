//! A message without some of its calls, with others mended, or with one more text block.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::block::Block;
use super::events;
use super::response::Response;
use crate::completion::ToolCall;
use crate::wire::amended::{Amendment, CallChange, Places, name};
use crate::wire::answering::Answering;
use crate::wire::content::json;
use crate::wire::event::Event;
use crate::wire::mark;
use crate::wire::patch::{Json, Patch};
use crate::wire::stream::raw::Raw;

/// A message in one piece.
pub(in crate::wire) fn whole(text: &str, change: &Amendment, answering: &Answering) -> Option<String> {
    let list = Json::parse(text)?.member("content").filter(|it| it.is_list())?;
    let elements = list.elements();
    let fates = change.fates(elements.iter().map(|it| is_call(*it)))?;
    let mut patch = Patch::new(text);
    for (block, fate) in elements.iter().zip(&fates) {
        if let Some(call) = fate.and_then(CallChange::call) {
            rename(&mut patch, *block, call, answering);
            patch.set(*block, "input", mark::object(&call.arguments).get());
        }
    }
    let new = change.text().map(|it| json(&Block::text(&it.into())));
    // The new text is below all others, and before the calls if it can be.
    let texts = elements.iter().rposition(|it| kind(*it).as_deref() == Some("text")).map_or(0, |it| it + 1);
    let first = (texts..fates.len()).find(|at| fates[*at].is_some()).unwrap_or(fates.len());
    let is_gone = |at: usize| fates[at].is_some_and(CallChange::is_gone);
    patch.list(list, is_gone, new.as_ref().map(|it| (first, &**it)));
    Some(patch.end())
}

/// A message in events.
pub(in crate::wire) fn stream(
    events: &[Raw<'_>],
    change: &Amendment,
    answering: &Answering,
) -> Option<String> {
    let mut calls = BTreeMap::new();
    let mut first = None;
    for event in events {
        let Some(said) = event.json().and_then(Json::parse) else { continue };
        let at = said.member("index").and_then(Json::number);
        if let (Some(at), Some(block)) = (at, said.member("content_block")) {
            calls.insert(at, is_call(block));
            if is_call(block) && event.start >= change.sent {
                first = first.or(Some(at));
            } else if kind(block).as_deref() == Some("text") {
                first = None;
            }
        }
    }
    let blocks = Places::of(calls, change)?;
    let text = change.text().map(|_| first.unwrap_or(blocks.end()));
    let (has_said, told, written) = Default::default();
    let mut writer = Writer { blocks, change, answering, text, has_said, told, written };
    for event in events {
        writer.event(event)?;
    }
    Some(writer.written)
}

fn is_call(block: Json<'_>) -> bool {
    kind(block).as_deref() == Some("tool_use")
}

fn kind(block: Json<'_>) -> Option<String> {
    block.member("type").and_then(Json::string)
}

fn rename<'a>(patch: &mut Patch<'a>, block: Json<'a>, call: &ToolCall, answering: &Answering) {
    patch.set(block, "name", &json(&name(call, &answering.names)));
}

struct Writer<'c> {
    blocks: Places<'c>,
    change: &'c Amendment,
    answering: &'c Answering,
    /// The index of the new text, if there is one.
    text: Option<u64>,
    has_said: bool,
    /// The mended calls whose input has been sent.
    told: BTreeSet<u64>,
    written: String,
}

impl Writer<'_> {
    fn event(&mut self, event: &Raw<'_>) -> Option<()> {
        let Some(data) = event.json() else {
            self.written.push_str(event.text);
            return Some(());
        };
        let said = Json::parse(data)?;
        let kind = kind(said).unwrap_or_default();
        let at = said.member("index").and_then(Json::number);
        let begins_here = kind == "content_block_start" && at == self.text;
        if begins_here || kind == "message_delta" {
            self.says()?;
        }
        let mut patch = Patch::new(data);
        if let Some(at) = at {
            if self.blocks.is_gone(at) {
                return Some(());
            }
            let new = u64::from(self.text.is_some_and(|it| at >= it));
            let place = self.blocks.moved(at).saturating_add(new);
            if let Some(call) = self.blocks.change(at).and_then(CallChange::call) {
                let has_piece = piece(said).is_some();
                let is_first = (has_piece || kind == "content_block_stop") && self.told.insert(at);
                if has_piece && !is_first {
                    return Some(());
                }
                if is_first && !has_piece {
                    let all = mark::object(&call.arguments);
                    write!(self.written, "{}", events::input(usize::try_from(place).ok()?, all.get()))
                        .ok()?;
                }
                self.mends(&mut patch, said, at, call);
            }
            patch.set(said, "index", &place.to_string());
        }
        self.written.push_str(&event.patched(data, patch));
        Some(())
    }

    /// Writes the text block, once.
    fn says(&mut self) -> Option<()> {
        let Some(at) = self.text.filter(|_| !self.has_said) else { return Some(()) };
        self.has_said = true;
        let at = self.blocks.moved(at).to_string();
        for event in Response::of(&self.change.said(), self.answering).events(self.answering) {
            let said = Json::parse(&event.data)?;
            if said.member("index").is_some() {
                let mut patch = Patch::new(&event.data);
                patch.set(said, "index", &at);
                write!(self.written, "{}", Event { name: event.name, data: patch.end() }).ok()?;
            }
        }
        Some(())
    }

    /// Gives a call its new name, and all of its new input where it has some of the old one.
    fn mends<'a>(&mut self, patch: &mut Patch<'a>, said: Json<'a>, at: u64, call: &ToolCall) {
        let input = mark::object(&call.arguments);
        if let Some(block) = said.member("content_block") {
            rename(patch, block, call, self.answering);
            if let Some(old) = block.member("input").filter(|it| it.count() > 0) {
                patch.put(old, input.get());
                self.told.insert(at);
            }
        }
        if let Some(old) = piece(said) {
            patch.put(old, &json(&input.get()));
        }
    }
}

/// The piece of a call's input in an event.
fn piece(said: Json<'_>) -> Option<Json<'_>> {
    said.member("delta").and_then(|it| it.member("partial_json"))
}
