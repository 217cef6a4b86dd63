//! What people and tests ask about conversations, under `/_balk/`.

use axum::body::Body;
use axum::http::{Response, StatusCode};
use serde_json::json;

use super::conversations::Conversations;
use super::plain::{json as as_json, text};
use super::route::Control;

/// Answers a question about a conversation.
pub(super) fn answer(all: &Conversations, what: Control, name: Option<&str>) -> Response<Body> {
    let found = match what {
        Control::List => Some(as_json(json!({ "conversations": all.names() }).to_string())),
        Control::State => all.with(name, |it| {
            let scene = it.scene();
            let state = scene.map(|it| json!({ "state": it.actor.state(), "visit": it.actor.visit() }));
            as_json(json!({ "requests": it.requests(), "place": state }).to_string())
        }),
        Control::Transcript => all.with(name, |it| {
            let lines = it.steps().iter().map(|step| json!(step).to_string() + "\n");
            text(StatusCode::OK, "application/jsonl", lines.collect())
        }),
        Control::Verdict => all.with(name, |it| as_json(json!(it.verdict()).to_string())),
        Control::Reset => all.with(name, |it| {
            it.reset();
            as_json(json!({ "reset": true }).to_string())
        }),
    };
    found.unwrap_or_else(|| {
        let error = json!({
            "error": "expected the name of a conversation, as in /c/NAME/_balk/state",
            "conversations": all.names(),
        });
        text(StatusCode::NOT_FOUND, "application/json", error.to_string())
    })
}
