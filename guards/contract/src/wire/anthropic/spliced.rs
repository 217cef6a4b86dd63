//! Puts messages into a request of Anthropic.

use super::block::{Block, Role, Said};
use crate::view::Message;
use crate::wire::content::json;
use crate::wire::edit::{Edit, Plan};
use crate::wire::mark;
use crate::wire::names::Names;
use crate::wire::opened::Opened;
use crate::wire::place::Place;
use crate::wire::reading::Unreadable;
use crate::wire::splice::{Form, New, Own, Sharing, Side, Spot, splice};

/// The request `text`, of which `said` are the elements and `placed` the messages in them, with these changes.
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
    let opening = json(&Block::text(&mark::OPENING.into()));
    let sharing = Sharing { only_results: false, frame, opening };
    let form = Form { list: "messages", parts: "content", of_text: block_of, sharing: Some(sharing) };
    let mut list = Opened::of(text, Place::new("."), form.list, form.of_text)?;
    for (at, completion) in &plan.calls {
        let calls: Vec<String> = Block::of_turn(&names.named(completion)).iter().map(json).collect();
        let at = placed[*at].0.elements.start;
        list.add(at, Place::new(form.list).nth(at), form.parts, form.of_text, &calls)?;
    }
    let new = |message: &Message| {
        let (role, blocks) = Block::of(&names.message(message));
        let is_result = blocks.iter().any(|it| it.kind == "tool_result");
        let needs_opening = mark::needs_opening(message);
        New { side: side(role), is_result, needs_opening, texts: blocks.iter().map(json).collect() }
    };
    let news = plan.news.iter().map(|(at, message)| (*at, new(message))).collect();
    let own = Own { list, sides: said.iter().map(|it| side(it.role)).collect(), placed };
    splice(&own, &form, &plan.gone, news)
}

/// The block that a string in place of the blocks is.
fn block_of(text: &str) -> String {
    format!(r#"{{"type":"text","text":{text}}}"#)
}

fn frame(side: Side) -> String {
    let role = match side {
        Side::User | Side::Apart => Role::User,
        Side::Model => Role::Assistant,
    };
    json(&Said::new(role, Vec::new()))
}

fn side(role: Role) -> Side {
    match role {
        Role::User => Side::User,
        Role::Assistant => Side::Model,
    }
}
