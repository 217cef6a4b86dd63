//! Gemini's requirements for a request, as far as its errors say them: a turn with calls follows one of the user or
//! with results, and the next turn has as many results.

use super::offered::Group;
use super::part::{Piece, Role, Said};
use crate::offer::NAME_CHARS;
use crate::wire::content::excerpt;
use crate::wire::legal::{Illegal, Rule};
use crate::wire::place::Place;

pub(super) fn check(contents: &[Said], tools: &[Group]) -> Result<(), Illegal> {
    let mut last = None;
    let mut open = 0;
    for (at, said) in contents.iter().enumerate() {
        let place = Place::new("contents").nth(at);
        if said.parts.is_empty() {
            return Err(Illegal::new(Rule::EmptyMessage, place, "neither"));
        }
        let results = said.parts.iter().filter(|it| it.function_response.is_some()).count();
        if results > open {
            let rule = if open == 0 { Rule::OrphanedResult } else { Rule::ResultPlace };
            return Err(Illegal::new(rule, place, format!("{results} results after {open} calls")));
        }
        if results < open {
            let found = format!("{results} results after {open} calls");
            return Err(Illegal::new(Rule::UnansweredCall, place, found));
        }
        open = calls(said, last, place)?;
        last = Some(said.role);
    }
    if last.is_none() {
        return Err(Illegal::new(Rule::NoMessages, "contents", "none"));
    }
    if open > 0 {
        return Err(Illegal::new(Rule::UnansweredCall, "contents", format!("the end after {open} calls")));
    }
    for (at, group) in tools.iter().enumerate() {
        for (nth, declared) in group.function_declarations.iter().enumerate() {
            let tools = Place::new("tools").nth(at);
            name(&declared.name, tools.member("functionDeclarations").nth(nth))?;
        }
    }
    Ok(())
}

/// Checks what is said after a turn of `last`, and counts its calls.
fn calls(said: &Said, last: Option<Role>, place: Place<'_>) -> Result<usize, Illegal> {
    let mut count = 0;
    for (at, part) in said.parts.iter().enumerate() {
        let place = place.member("parts").nth(at);
        let is_result = part.function_response.is_some();
        let is_call = part.function_call.is_some();
        match said.role {
            Role::Model if is_result => {
                return Err(Illegal::new(Rule::Role, place, "a result from the model"));
            }
            Role::User | Role::Function if is_call => {
                return Err(Illegal::new(Rule::Role, place, "a call from the user"));
            }
            Role::Model | Role::User | Role::Function => {}
        }
        if is_call {
            call(part, place)?;
            count += 1;
        }
    }
    match last {
        None if count > 0 => Err(Illegal::new(Rule::FirstUser, place, "calls of the model")),
        Some(Role::Model) if count > 0 => Err(Illegal::new(Rule::Alternate, place, "calls after the model")),
        Some(Role::Model | Role::User | Role::Function) | None => Ok(count),
    }
}

fn call(part: &Piece, place: Place<'_>) -> Result<(), Illegal> {
    let Some(call) = &part.function_call else { return Ok(()) };
    let place = place.member("functionCall");
    name(&call.name, place)?;
    match call.args() {
        Ok(_) => Ok(()),
        Err(args) => Err(Illegal::new(Rule::InputObject, place.member("args"), excerpt(args.get()))),
    }
}

/// A letter or `_`, then these, dots and dashes.
fn name(name: &str, place: Place<'_>) -> Result<(), Illegal> {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let goes_on = name.bytes().all(|c| c.is_ascii_alphanumeric() || b"_.-".contains(&c));
    if begins && goes_on && name.len() <= NAME_CHARS {
        return Ok(());
    }
    Err(Illegal::new(Rule::ToolName, place.member("name"), excerpt(name)))
}
