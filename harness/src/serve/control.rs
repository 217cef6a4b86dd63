//! What people and tests ask about conversations, and tell about them, under `/_balk/`.

use axum::body::Body;
use axum::http::{Method, Response, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::listen::{json as as_json, text};

use super::conversations::{Conversations, NotAnswered};

/// What `begin` may say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Begin {
    workspace: Option<String>,
}

/// What `call` says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    tool: String,
    /// An object, or its text as the model sent it.
    arguments: Value,
}

/// Answers a question about the conversation of a name, or about all of them, or takes what its body says.
pub(super) fn answer(
    all: &Conversations,
    method: &Method,
    what: &str,
    (name, body): (Option<&str>, &str),
) -> Response<Body> {
    if all.is_of_one() {
        return wrong(
            StatusCode::FORBIDDEN,
            "this model is played to one agent, which has no say in the play",
        );
    }
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
        // What the user of the scenario says if the agent ends now.
        "reply" if asks => all.with(name, |it| as_json(json!({ "reply": it.user_replies() }).to_string())),
        "begin" if !asks => return begin(all, name, if body.is_empty() { "{}" } else { body }),
        "call" if !asks => match read(body, r#"{"tool": "NAME", "arguments": {…}}"#) {
            Ok(Call { tool, arguments }) => {
                let arguments = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
                all.with(name, |it| match it.would_answer(&tool, &arguments) {
                    Some(answered) => as_json(json!(answered).to_string()),
                    None => wrong(StatusCode::CONFLICT, "the model has called nothing yet"),
                })
            }
            Err(why) => return wrong(StatusCode::BAD_REQUEST, &why),
        },
        "said" if !asks => match all.has_room(body.len()) {
            Ok(()) => all.with(name, |it| {
                it.says(body.to_owned());
                as_json(json!({ "said": body }).to_string())
            }),
            Err(why) => return wrong(StatusCode::FORBIDDEN, &why),
        },
        "reset" if !asks => all.forget(name).then(|| as_json(json!({ "reset": true }).to_string())),
        "" | "state" | "transcript" | "verdict" | "reply" | "begin" | "call" | "said" | "reset" => {
            let error = format!("{method} does not fit /_balk/{what}");
            return wrong(StatusCode::METHOD_NOT_ALLOWED, &error);
        }
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

fn begin(all: &Conversations, name: Option<&str>, body: &str) -> Response<Body> {
    let Begin { workspace } = match read(body, r#"{"workspace": "FOLDER"} or nothing"#) {
        Ok(begin) => begin,
        Err(why) => return wrong(StatusCode::BAD_REQUEST, &why),
    };
    match all.begin(name, |it| json!(it.begins(workspace)).to_string()) {
        Ok(task) => as_json(task),
        Err(
            NotAnswered::Unknown(why)
            | NotAnswered::Unbound(why)
            | NotAnswered::Site(why)
            | NotAnswered::NotPrevious(why),
        ) => wrong(StatusCode::NOT_FOUND, &why),
        Err(NotAnswered::Bound(why)) => wrong(StatusCode::FORBIDDEN, &why),
    }
}

fn read<T: DeserializeOwned>(body: &str, expected: &str) -> Result<T, String> {
    serde_json::from_str(body).map_err(|why| format!("expected {expected} as the body: {why}"))
}

fn wrong(status: StatusCode, why: &str) -> Response<Body> {
    text(status, "application/json", json!({ "error": why }).to_string())
}
