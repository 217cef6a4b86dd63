//! OpenAI's requirements for a request of the Responses API, as far as its errors say them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::item::Item;
use super::turn::string;
use crate::offer::is_legal_name;
use crate::wire::content::excerpt;
use crate::wire::legal::{Illegal, Rule};
use crate::wire::place::Place;

/// Where the request follows a response, the calls that its results answer may be there.
pub(super) fn check<'a>(
    items: &[Item],
    names: impl Iterator<Item = Option<&'a Arc<str>>>,
    follows: bool,
) -> Result<(), Illegal> {
    if items.is_empty() && !follows {
        return Err(Illegal::new(Rule::NoMessages, "input", "none"));
    }
    let mut open: BTreeSet<&str> = BTreeSet::new();
    let mut all: BTreeSet<&str> = BTreeSet::new();
    for (at, item) in items.iter().enumerate() {
        let place = Place::new("input").nth(at);
        let id = item.call_id.as_deref().unwrap_or_default();
        match item.kind() {
            "function_call" | "custom_tool_call" => {
                call(item, place)?;
                all.insert(id);
                open.insert(id);
            }
            "function_call_output" | "custom_tool_call_output" => {
                open.remove(id);
                if !all.contains(id) && !follows {
                    let found = format!("`{id}`");
                    return Err(Illegal::new(Rule::OrphanedResult, place.member("call_id"), found));
                }
            }
            _ => {}
        }
    }
    if let Some(id) = open.first() {
        let found = format!("the end while call `{id}` has none");
        return Err(Illegal::new(Rule::UnansweredCall, "input", found));
    }
    for (at, name) in names.enumerate() {
        if let Some(name) = name.filter(|name| !is_legal_name(name)) {
            return Err(Illegal::new(
                Rule::ToolName,
                Place::new("tools").nth(at).member("name"),
                excerpt(name),
            ));
        }
    }
    Ok(())
}

fn call(item: &Item, place: Place<'_>) -> Result<(), Illegal> {
    let illegal = |rule, member, found| Err(Illegal::new(rule, place.member(member), found));
    let name = item.name.as_deref().unwrap_or_default();
    if !is_legal_name(name) {
        return illegal(Rule::ToolName, "name", excerpt(name));
    }
    let (member, text) = match item.kind() {
        "custom_tool_call" => ("input", &item.input),
        _ => ("arguments", &item.arguments),
    };
    match text.as_deref() {
        None => illegal(Rule::ArgumentsText, member, "nothing".into()),
        Some(text) if string(text).is_none() => illegal(Rule::ArgumentsText, member, excerpt(text.get())),
        Some(_) => Ok(()),
    }
}
