//! What an agent gets, as a response.

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Response, StatusCode};
use balk_guards::wire::{Amendment, Asked, Dialect, Event, Failure, FailureKind, Framing};
use balk_guards::{AttemptCause, Completion, Part};
use serde_json::Value;

use super::attempt::{Came, Failed, form};
use super::ids::Ids;
use super::rest::Begun;
use super::state::Outcome;
use crate::listen::JSON;

/// The type of a stream of events.
pub(super) const EVENTS: &str = "text/event-stream; charset=utf-8";

/// How an agent wants its answers.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) dialect: Dialect,
    /// The framing of a stream; `None` for an answer in one piece.
    pub(super) framing: Option<Framing>,
    /// The id of an answer that no provider gave.
    pub(super) own: Arc<str>,
}

impl Form {
    /// The response for what came of a request. `sent` is what the agent has already of an answer.
    pub(super) fn response(&self, outcome: Outcome, asked: &Asked, sent: &[u8]) -> Response<Bytes> {
        match outcome {
            Outcome::AsItCame(came) | Outcome::Failed(Failed { came: Some(came), .. })
                if sent.is_empty() || came.passed > 0 =>
            {
                as_it_came(came)
            }
            // An answer cannot go on as another one, so it breaks off.
            Outcome::AsItCame(_) => {
                let failure = Failure::of(self.dialect, FailureKind::Failed, "the answer broke off");
                refusal(self.dialect, &failure)
            }
            Outcome::Changed(completion, came, change) => {
                let amended = came.as_ref().zip(change);
                let amended = amended.and_then(|(came, change)| self.amended(came, &change, asked, sent));
                match (came, amended) {
                    (Some(came), Some(body)) => as_it_came(Came { body: body.into(), ..came }),
                    (came, _) => self.changed(&completion, came, asked, sent),
                }
            }
            Outcome::Failed(failed) => refusal(self.dialect, &failure(self.dialect, &failed)),
        }
    }

    /// The provider's own answer with this change, if it can be made and the agent has no other beginning.
    fn amended(&self, came: &Came, change: &Amendment, asked: &Asked, sent: &[u8]) -> Option<String> {
        let body = std::str::from_utf8(&came.body).ok()?;
        let answering = Ids::of(&came.body).answering(asked, &self.own);
        let amended = self.dialect.amended(form(&came.headers), body, change, &answering)?;
        amended.as_bytes().starts_with(sent).then_some(amended)
    }

    /// The body of an answer that the provider did not give, or what is left of it.
    fn body(&self, completion: &Completion, came: Option<&Came>, asked: &Asked, sent: &[u8]) -> String {
        // What goes on has the name of what it follows.
        let named = if sent.is_empty() { came.map(|it| &*it.body) } else { Some(sent) };
        let ids = named.map(Ids::of).unwrap_or_default();
        let answering = ids.answering(asked, &self.own);
        let completion = &self.without_reasoning(completion);
        let Some(framing) = self.framing else { return self.dialect.response(completion, &answering) };
        let events = match sent {
            [] => self.dialect.events(completion, &answering),
            _ => Begun::of(self.dialect, sent).rest(self.dialect, completion, &answering),
        };
        let mut text: String = events.iter().enumerate().map(|(at, it)| framing.frame(at, it)).collect();
        text.push_str(framing.end());
        text
    }

    /// What is written of an answer that is not the provider's. OpenAI takes its reasoning back only under the id that
    /// it gave, and refuses all of a request that has it under another one.
    fn without_reasoning(&self, completion: &Completion) -> Completion {
        let mut completion = completion.clone();
        if self.dialect == Dialect::Responses {
            completion.parts.retain(|it| matches!(it, Part::Text(_)));
        }
        completion
    }

    fn changed(
        &self,
        completion: &Completion,
        came: Option<Came>,
        asked: &Asked,
        sent: &[u8],
    ) -> Response<Bytes> {
        let body = self.body(completion, came.as_ref(), asked, sent);
        let mut response = Response::new(body.into());
        // The provider's limits and ids are the client's to know.
        if let Some(Came { headers, .. }) = came {
            *response.headers_mut() = headers;
        }
        let headers = response.headers_mut();
        headers.remove(CONTENT_LENGTH);
        headers.remove(CONTENT_ENCODING);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.kind()));
        response
    }

    /// The type of its answers.
    fn kind(&self) -> &'static str {
        match self.framing {
            Some(Framing::Events) => EVENTS,
            Some(Framing::Array) | None => JSON,
        }
    }
}

/// What the agent lacks of what came. Its length need not be the one that its head said: after its end, an answer can
/// break off.
fn as_it_came(Came { status, mut headers, body, passed }: Came) -> Response<Bytes> {
    let body = body.slice(passed..);
    if let Some(length) = headers.get_mut(CONTENT_LENGTH) {
        *length = body.len().into();
    }
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// An error of the proxy, in the provider's own shape. The provider's limits and ids are not the proxy's to invent.
pub(super) fn refusal(dialect: Dialect, failure: &Failure) -> Response<Bytes> {
    let mut response = Response::new(failure.body(dialect).into());
    *response.status_mut() = StatusCode::from_u16(failure.status).unwrap_or(StatusCode::BAD_GATEWAY);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    if let Some(ms) = failure.retry_after {
        headers.insert(RETRY_AFTER, ms.div_ceil(1000).into());
    }
    response
}

/// A refusal within a stream that has begun with comments alone: the provider's own words, as the event of an error.
pub(super) fn late(dialect: Dialect, refused: &Response<Bytes>) -> String {
    let said: Option<Value> = serde_json::from_slice(refused.body()).ok();
    let Some(mut said) = said.filter(Value::is_object) else {
        let message = format!("the provider refused with status {}", refused.status());
        return Failure::of(dialect, FailureKind::Failed, &message).in_stream(dialect, 0).to_string();
    };
    let name = match dialect {
        Dialect::OpenAi | Dialect::Gemini => None,
        Dialect::Anthropic => Some("error"),
        Dialect::Responses => {
            let mut error = said["error"].as_object().cloned().unwrap_or_default();
            let kind = error.remove("type");
            let code = error.remove("code").filter(|it| !it.is_null()).or(kind);
            error.insert("code".into(), code.into());
            error.insert("type".into(), "error".into());
            error.insert("sequence_number".into(), 0.into());
            said = error.into();
            Some("error")
        }
    };
    Event { name, data: said.to_string() }.to_string()
}

/// Why nothing came, in the provider's own shape. Asking again later can help.
pub(super) fn failure(dialect: Dialect, failed: &Failed) -> Failure {
    let (kind, status) = match failed.cause {
        AttemptCause::TimedOut => (FailureKind::Timeout, StatusCode::GATEWAY_TIMEOUT.as_u16()),
        AttemptCause::Status { code, .. } => (FailureKind::Failed, code),
        AttemptCause::Empty | AttemptCause::Connect | AttemptCause::Disconnected => {
            (FailureKind::Failed, StatusCode::BAD_GATEWAY.as_u16())
        }
    };
    let retry_after = match failed.cause {
        AttemptCause::Status { retry_after: Some(wait), .. } => wait,
        AttemptCause::Status { retry_after: None, .. }
        | AttemptCause::Empty
        | AttemptCause::Connect
        | AttemptCause::TimedOut
        | AttemptCause::Disconnected => AGAIN_MS,
    };
    Failure { status, retry_after: Some(retry_after), ..Failure::of(dialect, kind, &failed.message) }
}

/// When a client may ask again, in milliseconds.
const AGAIN_MS: u64 = 1_000;
