//! The server's side of a request: find the conversation, read the body, answer.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, Request, Response, StatusCode};
use balk_guards::wire::{Answering, Dialect, Failure, FailureKind, Framing, Rule, models, token_count};
use serde_json::Value;

use crate::bench::Stopwatch;
use crate::listen::{Asks, CREATED, Held, Limits, NoRoute, Route, Shears, json, read, refuse, text};

use super::control;
use super::conversation::Arrival;
use super::conversations::{Conversations, NotAnswered};
use super::send::Sending;
use super::usage::tokens;

/// The model that is always there.
const MODEL: &str = "balk-actor";

/// What agents that are in use send, although it is against the rules of their provider as we know them. gemini-cli
/// sends earlier results twice when it goes on with a conversation, and only the end of one when it asks whether it
/// goes round. LangChain sends an empty text as a result, an answer with nothing in it, and thinking as it came.
const TOLERATED: [Rule; 5] =
    [Rule::ResultPlace, Rule::BlankText, Rule::EmptyMessage, Rule::FirstUser, Rule::ThinkingSigned];

/// Answers a request.
pub(super) async fn handle(
    all: Arc<Conversations>,
    limits: Limits,
    shears: Shears,
    request: Request<Body>,
) -> Response<Body> {
    let (head, body) = request.into_parts();
    let route = match Route::of(&head.method, &head.uri, &head.headers) {
        Ok(route) => route,
        Err((no_route, dialect)) => {
            let failure = nowhere(no_route, dialect, &head.method, head.uri.path());
            return refused(&all, dialect, &failure);
        }
    };
    let name = route.conversation.as_deref();
    let dialect = match &route.asks {
        Asks::Ping => {
            return text(StatusCode::OK, "text/plain", "This is Balk. It plays a model.\n".to_owned());
        }
        Asks::Balk(what) => {
            let held = Held::new(all.bodies(), limits.bodies);
            return match read(body, Dialect::OpenAi, limits, &held).await {
                Ok(body) => control::answer(&all, &head.method, what, (name, &body)),
                Err(failure) => refuse(Dialect::OpenAi, "refused", &failure),
            };
        }
        Asks::Models(dialect) => return json(models(*dialect, &[MODEL], CREATED)),
        Asks::Model(dialect, name) if name == MODEL => return json(model(*dialect)),
        Asks::Model(dialect, name) => {
            let message = format!("there is no model `{name}`; expected `{MODEL}`");
            return refused(&all, *dialect, &Failure::of(*dialect, FailureKind::Missing, &message));
        }
        Asks::Count(dialect) | Asks::Answer { dialect, .. } => *dialect,
    };
    let held = Held::new(all.bodies(), limits.bodies);
    let body = match read(body, dialect, limits, &held).await {
        Ok(body) => body,
        Err(failure) => return refused(&all, dialect, &failure),
    };
    match route.asks {
        Asks::Answer { streams, model, .. } => {
            let posted = Posted { dialect, text: &body, streams, model: model.as_deref() };
            let (wait, response) = answer(&all, name, &posted, shears);
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
            match response {
                Some(response) => response,
                None => std::future::pending().await,
            }
        }
        Asks::Count(_) | Asks::Ping | Asks::Balk(_) | Asks::Models(_) | Asks::Model(..) => {
            count(dialect, &body)
        }
    }
}

/// The model, as the list of models has it.
fn model(dialect: Dialect) -> String {
    let list: Value = serde_json::from_str(&models(dialect, &[MODEL], CREATED)).expect("it is JSON");
    let all = if dialect == Dialect::Gemini { "models" } else { "data" };
    list[all][0].to_string()
}

/// A request for an answer.
struct Posted<'b> {
    dialect: Dialect,
    text: &'b str,
    streams: Option<Framing>,
    model: Option<&'b str>,
}

/// How long the answer to a request waits, and the answer. `None` is one that never comes.
fn answer(
    all: &Conversations,
    name: Option<&str>,
    body: &Posted<'_>,
    shears: Shears,
) -> (Duration, Option<Response<Body>>) {
    let watch = Stopwatch::start();
    let Posted { dialect, text, streams, model } = *body;
    let failed = |kind, message: &str| {
        (Duration::ZERO, Some(refused(all, dialect, &Failure::of(dialect, kind, message))))
    };
    let mut asked = match dialect.asked(text) {
        Ok(asked) => asked,
        Err(unreadable) => return failed(FailureKind::Invalid, &unreadable.to_string()),
    };
    if let Some(illegal) = asked.illegal.as_ref().filter(|it| !TOLERATED.contains(&it.rule)) {
        return failed(FailureKind::Invalid, &illegal.to_string());
    }
    if let Some(model) = model {
        asked.model = model.into();
    }
    let answer = match all.ask(name, &asked, text.len(), || dialect.wanted(text), watch) {
        Ok(answered) => answered,
        Err(NotAnswered::Unknown(message)) => return failed(FailureKind::Missing, &message),
        Err(NotAnswered::Unbound(message) | NotAnswered::NotPrevious(message)) => {
            return failed(FailureKind::Invalid, &message);
        }
        Err(NotAnswered::Site(message)) => return failed(FailureKind::Failed, &message),
        // No client asks again after it.
        Err(NotAnswered::Bound(message)) => return failed(FailureKind::Forbidden, &message),
    };
    let answering = Answering { created: CREATED, ..asked.answering(&answer.id) };
    let framing = streams.or_else(|| asked.stream.then_some(Framing::Events));
    let sending = Sending { dialect, framing, answering: &answering, offer: &asked.offer, shears };
    let wait = match &answer.arrival {
        Arrival::Whole(delivery) => Duration::from_millis(delivery.first_byte_ms.into()),
        Arrival::Broken(_) => Duration::ZERO,
    };
    (wait, sending.send(&answer.completion, &answer.arrival))
}

fn count(dialect: Dialect, body: &str) -> Response<Body> {
    let tokens = tokens(body.len());
    let is_object =
        serde_json::from_str::<serde::de::IgnoredAny>(body).is_ok() && body.trim_start().starts_with('{');
    match token_count(dialect, tokens) {
        Some(count) if is_object => json(count),
        Some(_) | None => {
            let failure = Failure::of(dialect, FailureKind::Invalid, "the body is not a JSON object");
            refuse(dialect, "refused", &failure)
        }
    }
}

fn refused(all: &Conversations, dialect: Dialect, failure: &Failure) -> Response<Body> {
    all.refuse(&failure.message);
    refuse(dialect, "refused", failure)
}

fn nowhere(no_route: NoRoute, dialect: Dialect, method: &Method, path: &str) -> Failure {
    let missing = |message: &str| Failure::of(dialect, FailureKind::Missing, message);
    match no_route {
        NoRoute::Path => missing(&format!(
            "nothing is at {path}; expected /v1/chat/completions, /v1/responses, /v1/messages or \
             /v1beta/models/MODEL:generateContent, with or without /c/NAME before it"
        )),
        NoRoute::Method => Failure { status: 405, ..missing(&format!("{method} does not fit {path}")) },
    }
}
