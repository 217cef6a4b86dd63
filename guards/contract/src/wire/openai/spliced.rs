//! Puts messages into a chat request.

use super::message::{Call, Role, Said};
use crate::view::Message;
use crate::wire::content::json;
use crate::wire::edit::{Edit, Plan};
use crate::wire::names::Names;
use crate::wire::opened::Opened;
use crate::wire::place::Place;
use crate::wire::reading::Unreadable;
use crate::wire::splice::{Form, New, Own, Side, Spot, splice};

/// The request `text`, of which these are the messages, with these changes.
pub(super) fn request(
    text: &str,
    said: &[Said],
    placed: &[(Spot, Message)],
    names: &Names,
    edits: &[Edit],
) -> Result<String, Unreadable> {
    let plan = Plan::of(edits, placed.iter().map(|(_, message)| message))?;
    if plan.is_empty() {
        return Ok(text.to_owned());
    }
    let form = Form { list: "messages", parts: "content", of_text: str::to_owned, sharing: None };
    let mut list = Opened::of(text, Place::new("."), form.list, form.of_text)?;
    for (at, completion) in &plan.calls {
        let calls: Vec<String> = names.named(completion).calls.iter().map(|it| json(&Call::of(it))).collect();
        let at = placed[*at].0.elements.start;
        list.add(at, Place::new("messages").nth(at), "tool_calls", str::to_owned, &calls)?;
    }
    let new = |message: &Message| New::elements(vec![json(&Said::of(&names.message(message)))]);
    let news = plan.news.iter().map(|(at, message)| (*at, new(message))).collect();
    let own = Own { list, sides: said.iter().map(|it| side(it.role)).collect(), placed };
    splice(&own, &form, &plan.gone, news)
}

fn side(role: Role) -> Side {
    match role {
        Role::System | Role::Developer => Side::Apart,
        Role::User | Role::Tool | Role::Function => Side::User,
        Role::Assistant => Side::Model,
    }
}
