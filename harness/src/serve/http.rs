//! The server's side of a request: find the conversation, read the body, answer.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::http::{Method, Request, Response, StatusCode};
use balk_guards::wire::{Answering, Dialect, Failure, FailureKind, Framing, Rule, models, token_count};

use crate::bench::Stopwatch;

use super::control;
use super::conversation::Arrival;
use super::conversations::{Conversations, NotAnswered};
use super::limits::Limits;
use super::line::Shears;
use super::plain::{json, text};
use super::route::{Asks, NoRoute, Route};
use super::send::{CREATED, Sending, refuse};
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
        Asks::Control(what) => return control::answer(&all, *what, name),
        Asks::Models(dialect) => return json(models(*dialect, &[MODEL], CREATED)),
        Asks::Count(dialect) | Asks::Answer { dialect, .. } => *dialect,
    };
    let mut held = Held { all: all.bodies(), most: limits.bodies, bytes: 0 };
    let body = match read(body, dialect, limits, &mut held).await {
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
        Asks::Count(_) | Asks::Ping | Asks::Control(_) | Asks::Models(_) => count(dialect, &body),
    }
}

/// A request for an answer.
struct Posted<'b> {
    dialect: Dialect,
    text: &'b str,
    streams: Option<Framing>,
    model: Option<&'b str>,
}

/// The bytes of one body among those of all requests that are not answered yet.
struct Held<'a> {
    all: &'a AtomicUsize,
    most: usize,
    bytes: usize,
}

impl Held<'_> {
    /// Whether there is room for so many more.
    fn takes(&mut self, more: usize) -> bool {
        self.bytes += more;
        self.all.fetch_add(more, Ordering::Relaxed) + more <= self.most
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

async fn read(body: Body, dialect: Dialect, limits: Limits, held: &mut Held<'_>) -> Result<String, Failure> {
    let failed = |kind, message: &str| Failure::of(dialect, kind, message);
    let bytes = match tokio::time::timeout(limits.read, whole(body, limits.body, held)).await {
        Ok(Whole::Is(bytes)) => bytes,
        Ok(Whole::NoRoom) => {
            let message =
                format!("all requests at once have more than {} bytes: send it later", limits.bodies);
            return Err(failed(FailureKind::Overloaded, &message));
        }
        Ok(Whole::TooLong) => {
            let message = format!("expected a body of at most {} bytes", limits.body);
            return Err(failed(FailureKind::TooLarge, &message));
        }
        Ok(Whole::Broken) => return Err(failed(FailureKind::Invalid, "expected a body that is whole")),
        Err(_) => {
            let message = format!("the body took longer than {} ms", limits.read.as_millis());
            return Err(Failure { status: 408, ..failed(FailureKind::Timeout, &message) });
        }
    };
    String::from_utf8(bytes).map_err(|it| {
        let at = it.utf8_error().valid_up_to();
        failed(FailureKind::Invalid, &format!("byte {at} of the body is not UTF-8"))
    })
}

/// What came as a body.
enum Whole {
    Is(Vec<u8>),
    TooLong,
    NoRoom,
    Broken,
}

/// Reads a body. What is too long is read all the same, to eight times of it, and thrown away: a client that is still
/// writing would see nothing but a reset.
async fn whole(mut body: Body, most: usize, held: &mut Held<'_>) -> Whole {
    let (mut bytes, mut length) = (Vec::new(), 0);
    loop {
        match poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
            None if length <= most => return Whole::Is(bytes),
            None => return Whole::TooLong,
            Some(Err(_)) => return Whole::Broken,
            Some(Ok(frame)) => {
                let Ok(data) = frame.into_data() else { continue };
                length += data.len();
                if length <= most {
                    if !held.takes(data.len()) {
                        return Whole::NoRoom;
                    }
                    bytes.extend_from_slice(&data);
                } else if length <= most.saturating_mul(8) {
                    bytes = Vec::new();
                } else {
                    return Whole::TooLong;
                }
            }
        }
    }
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
