//! Puts messages into a request of Gemini.

use super::added::Added;
use super::part::{Piece, Role, Said};
use crate::view::Message;
use crate::wire::content::json;
use crate::wire::edit::{Edit, Plan};
use crate::wire::mark;
use crate::wire::names::Names;
use crate::wire::opened::Opened;
use crate::wire::place::Place;
use crate::wire::reading::Unreadable;
use crate::wire::splice::{Form, Own, Sharing, Side, Spot, splice};

/// The request `text`, of which `contents` are the elements and `placed` the messages in them, with these changes.
pub(super) fn request(
    text: &str,
    contents: &[Said],
    placed: &[(Spot, Message)],
    names: &Names,
    edits: &[Edit],
) -> Result<String, Unreadable> {
    let plan = Plan::of(edits, placed.iter().map(|(_, message)| message))?;
    if plan.is_empty() {
        return Ok(text.to_owned());
    }
    let opening = json(&Piece::text(&mark::OPENING.into()));
    let sharing = Sharing { only_results: true, frame, opening };
    let form = Form { list: "contents", parts: "parts", of_text: str::to_owned, sharing: Some(sharing) };
    let mut list = Opened::of(text, Place::new("."), form.list, form.of_text)?;
    let has_ids = contents.iter().flat_map(|it| &it.parts).any(Piece::has_id);
    let mut added = Added::new(names, has_ids);
    let mut news = plan.news.iter().peekable();
    for (at, (spot, message)) in placed.iter().enumerate() {
        while let Some((_, new)) = news.next_if(|(before, _)| *before <= at) {
            added.put(at, new);
        }
        if !plan.gone.contains(&at)
            && let Some(parts) = added.pass(at, message, plan.calls.get(&at))
        {
            let at = spot.elements.start;
            let parts: Vec<String> = parts.iter().map(json).collect();
            list.add(at, Place::new(form.list).nth(at), form.parts, form.of_text, &parts)?;
        }
    }
    for (_, new) in news {
        added.put(placed.len(), new);
    }
    let sides = contents.iter().map(|it| side(it.role)).collect();
    splice(&Own { list, sides, placed }, &form, &plan.gone, added.end(placed.len()))
}

fn frame(side: Side) -> String {
    let role = match side {
        Side::User | Side::Apart => Role::User,
        Side::Model => Role::Model,
    };
    json(&Said { role, parts: Vec::new() })
}

fn side(role: Role) -> Side {
    match role {
        Role::User | Role::Function => Side::User,
        Role::Model => Side::Model,
    }
}
