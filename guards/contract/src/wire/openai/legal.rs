//! OpenAI's requirements for a chat request.

use super::message::{Call, Offered, Role, Said, texts_of};
use crate::completion::is_blank;
use crate::offer::is_legal_name;
use crate::wire::calls::Calls;
use crate::wire::content::excerpt;
use crate::wire::legal::{Illegal, Rule};
use crate::wire::place::Place;

pub(super) fn check(messages: &[Said], tools: &[Offered]) -> Result<(), Illegal> {
    let mut calls = Calls::default();
    for (at, said) in messages.iter().enumerate() {
        let place = Place::new("messages").nth(at);
        if said.role != Role::Tool {
            calls.all_answered(place, role_name(said.role))?;
        }
        if said.role != Role::Assistant && !said.tool_calls.is_empty() {
            let found = format!("calls in the role `{}`", role_name(said.role));
            return Err(Illegal::new(Rule::Role, place.member("tool_calls"), found));
        }
        match said.role {
            Role::System | Role::Developer | Role::Function => {}
            Role::User => user(said, place)?,
            Role::Assistant => assistant(said, place, &mut calls)?,
            Role::Tool => calls.answer(said.tool_call_id.as_deref(), place.member("tool_call_id"))?,
        }
    }
    calls.all_answered(Place::new("messages"), "the end")?;
    let talk = messages.iter().enumerate().rfind(|(_, said)| match said.role {
        Role::System | Role::Developer => false,
        Role::User | Role::Assistant | Role::Tool | Role::Function => true,
    });
    match talk {
        None => return Err(Illegal::new(Rule::NoMessages, "messages", "none")),
        Some((at, last)) if last.role == Role::Assistant => {
            return Err(Illegal::new(
                Rule::EndsWithAssistant,
                Place::new("messages").nth(at),
                "the assistant",
            ));
        }
        Some(_) => {}
    }
    let names = tools.iter().map(|it| it.function.as_ref().map(|function| &function.name));
    for (at, name) in names.enumerate() {
        if let Some(name) = name.filter(|name| !is_legal_name(name)) {
            let tool = Place::new("tools").nth(at);
            let function = tool.member("function");
            return Err(Illegal::new(Rule::ToolName, function.member("name"), excerpt(name)));
        }
    }
    Ok(())
}

fn user(said: &Said, place: Place<'_>) -> Result<(), Illegal> {
    let texts = texts_of(said.content.as_ref());
    if texts.is_empty() {
        return Err(Illegal::new(Rule::EmptyMessage, place, "neither"));
    }
    match texts.iter().find(|text| is_blank(text)) {
        Some(blank) => Err(Illegal::new(Rule::BlankText, place.member("content"), format!("{blank:?}"))),
        None => Ok(()),
    }
}

fn assistant(said: &Said, place: Place<'_>, calls: &mut Calls) -> Result<(), Illegal> {
    let says = texts_of(said.content.as_ref()).iter().any(|text| !is_blank(text));
    if !says && said.tool_calls.is_empty() {
        return Err(Illegal::new(Rule::EmptyMessage, place, "neither"));
    }
    for (at, call) in said.tool_calls.iter().enumerate() {
        ask(call, place.member("tool_calls").nth(at), calls)?;
    }
    Ok(())
}

fn ask(call: &Call, place: Place<'_>, calls: &mut Calls) -> Result<(), Illegal> {
    let Some(called) = &call.function else { return calls.ask(&call.id, place.member("id")) };
    let function = place.member("function");
    let illegal = |rule, at: Place<'_>, found| Err(Illegal::new(rule, at, found));
    if !is_legal_name(&called.name) {
        return illegal(Rule::ToolName, function.member("name"), excerpt(&called.name));
    }
    if called.text().is_none() {
        return illegal(Rule::ArgumentsText, function.member("arguments"), excerpt(called.arguments.get()));
    }
    calls.ask(&call.id, place.member("id"))
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::Developer => "developer",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
        Role::Function => "function",
    }
}
