//! Anthropic's requirements for a request.

use super::block::{Block, Offered, Role, Said};
use super::own;
use crate::completion::is_blank;
use crate::offer::is_legal_name;
use crate::wire::calls::Calls;
use crate::wire::content::{excerpt, is_object};
use crate::wire::legal::{Illegal, Rule};
use crate::wire::place::Place;

pub(super) fn check(messages: &[Said], tools: &[Offered]) -> Result<(), Illegal> {
    let mut calls = Calls::default();
    let mut last = None;
    for (at, said) in messages.iter().enumerate() {
        let place = Place::new("messages").nth(at);
        if last.is_none() && said.role == Role::Assistant {
            return Err(Illegal::new(Rule::FirstUser, place, "the assistant"));
        }
        if last == Some(said.role) {
            return Err(Illegal::new(Rule::Alternate, place, "the same role twice in a row"));
        }
        last = Some(said.role);
        let blocks = said.blocks();
        if blocks.is_empty() {
            return Err(Illegal::new(Rule::EmptyMessage, place, "neither"));
        }
        match said.role {
            Role::User => user(&blocks, place, &mut calls)?,
            Role::Assistant => assistant(&blocks, place, &mut calls)?,
        }
    }
    calls.all_answered(Place::new("messages"), "the end")?;
    match last {
        None => return Err(Illegal::new(Rule::NoMessages, "messages", "none")),
        Some(Role::Assistant) => {
            let place = Place::new("messages").nth(messages.len() - 1);
            return Err(Illegal::new(Rule::EndsWithAssistant, place, "the assistant"));
        }
        Some(Role::User) => {}
    }
    for (at, tool) in tools.iter().enumerate() {
        tool.name.as_ref().map_or(Ok(()), |it| name(it, Place::new("tools").nth(at)))?;
    }
    Ok(())
}

fn user(blocks: &[Block], place: Place<'_>, calls: &mut Calls) -> Result<(), Illegal> {
    let mut other = false;
    for (at, block) in blocks.iter().enumerate() {
        let place = place.member("content").nth(at);
        match &*block.kind {
            "tool_result" => {
                if other {
                    return Err(Illegal::new(Rule::ResultsFirst, place, "a result after other content"));
                }
                calls.answer(block.tool_use_id.as_deref(), place.member("tool_use_id"))?;
                let inner = block.content.as_ref().map(|content| content.blocks());
                inner
                    .iter()
                    .flat_map(|blocks| blocks.iter())
                    .try_for_each(|block| text(block, place.member("content")))?;
            }
            "tool_use" | "thinking" | "redacted_thinking" => {
                return Err(Illegal::new(Rule::Role, place, format!("`{}` from the user", block.kind)));
            }
            _ => {
                other = true;
                text(block, place)?;
            }
        }
    }
    calls.all_answered(place, "a message")
}

fn assistant(blocks: &[Block], place: Place<'_>, calls: &mut Calls) -> Result<(), Illegal> {
    let thinks_first = blocks.first().is_some_and(Block::is_thinking);
    let mut called = false;
    for (at, block) in blocks.iter().enumerate() {
        let place = place.member("content").nth(at);
        match &*block.kind {
            "tool_result" => {
                return Err(Illegal::new(Rule::Role, place, "a result from the assistant"));
            }
            "thinking" | "redacted_thinking" => {
                if !thinks_first || called {
                    return Err(Illegal::new(Rule::ThinkingFirst, place, "thinking after other content"));
                }
                let unsigned = block.signature.as_deref().unwrap_or_default().is_empty();
                if block.kind == "thinking" && unsigned {
                    return Err(Illegal::new(Rule::ThinkingSigned, place, "none"));
                }
            }
            "tool_use" => {
                called = true;
                ask(block, place, calls)?;
            }
            _ => text(block, place)?,
        }
    }
    Ok(())
}

fn text(block: &Block, place: Place<'_>) -> Result<(), Illegal> {
    match block.text.as_deref() {
        Some(text) if block.kind == "text" && is_blank(text) => {
            Err(Illegal::new(Rule::BlankText, place, format!("{text:?}")))
        }
        Some(_) | None => Ok(()),
    }
}

fn name(name: &str, place: Place<'_>) -> Result<(), Illegal> {
    if is_legal_name(name) {
        return Ok(());
    }
    Err(Illegal::new(Rule::ToolName, place.member("name"), excerpt(name)))
}

fn ask(call: &Block, place: Place<'_>, calls: &mut Calls) -> Result<(), Illegal> {
    let illegal = |rule, member, found| Err(Illegal::new(rule, place.member(member), found));
    let id = call.id.clone().unwrap_or_default();
    name(call.name.as_deref().unwrap_or_default(), place)?;
    match call.input.as_deref() {
        None => return illegal(Rule::InputObject, "input", "nothing".into()),
        Some(input) if !is_object(input) => {
            return illegal(Rule::InputObject, "input", excerpt(input.get()));
        }
        Some(_) => {}
    }
    if !own::is_legal_id(&id) {
        return illegal(Rule::CallId, "id", excerpt(&id));
    }
    calls.ask(&id, place.member("id"))
}
