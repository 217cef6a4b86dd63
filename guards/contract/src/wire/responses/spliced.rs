//! Puts messages into a request of the Responses API.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::item::{Item, Role};
use crate::view::Message;
use crate::wire::content::json;
use crate::wire::edit::{Edit, Plan};
use crate::wire::names::Names;
use crate::wire::opened::Opened;
use crate::wire::place::Place;
use crate::wire::reading::Unreadable;
use crate::wire::splice::{Form, New, Own, Side, Spot, splice};

/// The request `text`, of which these are the items and the messages in them, with these changes.
pub(super) fn request(
    text: &str,
    items: &[Item],
    placed: &[(Spot, Message)],
    names: &Names,
    edits: &[Edit],
) -> Result<String, Unreadable> {
    let plan = Plan::of(edits, placed.iter().map(|(_, message)| message))?;
    if plan.is_empty() {
        return Ok(text.to_owned());
    }
    let form = Form { list: "input", parts: "content", of_text: message_of, sharing: None };
    let list = Opened::of(text, Place::new("."), form.list, form.of_text)?;
    let mut custom: BTreeSet<Arc<str>> = items
        .iter()
        .filter(|it| it.kind() == "custom_tool_call")
        .filter_map(|it| it.call_id.clone())
        .collect();
    let calls = plan.calls.iter().map(|(at, calls)| (at + 1, Message::Assistant(calls.clone().into())));
    let calls: Vec<(usize, Message)> = calls.collect();
    let calls = calls.iter().map(|(at, message)| (*at, message));
    let mut news: Vec<(usize, New)> = Vec::new();
    for (at, message) in calls.chain(plan.news.iter().copied()) {
        let mut new = Item::of(message, names);
        for item in &mut new {
            match item.kind() {
                "custom_tool_call" => custom.extend(item.call_id.clone()),
                "function_call_output" if item.call_id.as_ref().is_some_and(|id| custom.contains(id)) => {
                    item.kind = "custom_tool_call_output".into();
                }
                _ => {}
            }
        }
        news.push((at, New::elements(new.iter().map(json).collect())));
    }
    // Calls come before what is put behind their message.
    news.sort_by_key(|(at, _)| *at);
    let own = Own { list, sides: items.iter().map(side).collect(), placed };
    splice(&own, &form, &plan.gone, news)
}

/// The message that a string in place of the items is.
fn message_of(text: &str) -> String {
    format!(r#"{{"type":"message","role":"user","content":{text}}}"#)
}

fn side(item: &Item) -> Side {
    match (item.kind(), item.role) {
        ("message", Some(Role::System | Role::Developer)) => Side::Apart,
        ("message", Some(Role::User)) | ("function_call_output" | "custom_tool_call_output", _) => Side::User,
        _ => Side::Model,
    }
}
