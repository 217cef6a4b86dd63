//! What people and tests ask about conversations, under `/_balk/`.

use axum::body::Body;
use axum::http::{Method, Response, StatusCode};
use serde_json::json;

use crate::listen::{json as as_json, text};

use super::conversations::Conversations;

/// Answers a question about a conversation, or about all of them.
pub(super) fn answer(all: &Conversations, method: &Method, what: &str, name: Option<&str>) -> Response<Body> {
    let asks = method != Method::POST;
    let found = match what {
        "" if asks => Some(as_json(json!({ "conversations": all.names() }).to_string())),
        // Where the script is.
        "state" if asks => all.with(name, |it| {
            let scene = it.scene();
            let state = scene.map(|it| json!({ "state": it.actor.state(), "visit": it.actor.visit() }));
            as_json(json!({ "requests": it.requests(), "place": state }).to_string())
        }),
        // What happened, a step a line.
        "transcript" if asks => all.with(name, |it| {
            let lines = it.steps().iter().map(|step| json!(step).to_string() + "\n");
            text(StatusCode::OK, "application/jsonl", lines.collect())
        }),
        // What came of it.
        "verdict" if asks => all.with(name, |it| as_json(json!(it.verdict()).to_string())),
        "reset" if !asks => all.with(name, |it| {
            it.reset();
            as_json(json!({ "reset": true }).to_string())
        }),
        "" | "state" | "transcript" | "verdict" | "reset" => return wrong_method(method, what),
        _ => None,
    };
    found.unwrap_or_else(|| {
        let error = json!({
            "error": "expected the name of a conversation, as in /c/NAME/_balk/state",
            "conversations": all.names(),
        });
        text(StatusCode::NOT_FOUND, "application/json", error.to_string())
    })
}

fn wrong_method(method: &Method, what: &str) -> Response<Body> {
    let error = json!({ "error": format!("{method} does not fit /_balk/{what}") });
    text(StatusCode::METHOD_NOT_ALLOWED, "application/json", error.to_string())
}
