//! What an agent gets, as a response.

use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, Response, StatusCode};
use balk_guards::wire::{Asked, Dialect, Failure, FailureKind, Framing};
use balk_guards::{AttemptCause, Completion};

use super::attempt::{Came, Failed};
use super::ids::Ids;
use super::rest::Begun;
use super::state::Outcome;
use crate::listen::{JSON, refuse};

/// How an agent wants its answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) dialect: Dialect,
    /// The framing of a stream; `None` for an answer in one piece.
    pub(super) framing: Option<Framing>,
}

impl Form {
    /// The response for what came of a request. `sent` is what the agent has already of an answer.
    pub(super) fn response(self, outcome: Outcome, asked: &Asked, sent: &[u8]) -> Response<Body> {
        match outcome {
            Outcome::AsItCame(came) if sent.is_empty() || came.passed > 0 => as_it_came(came),
            // An answer cannot go on as another one, so it breaks off.
            Outcome::AsItCame(_) => refuse(
                self.dialect,
                "balk",
                &Failure::of(self.dialect, FailureKind::Failed, "the answer broke off"),
            ),
            Outcome::Changed(completion, came) => self.changed(&completion, came, asked, sent),
            Outcome::Failed(failed) => refuse(self.dialect, "balk", &failure(self.dialect, &failed)),
        }
    }

    /// The body of an answer that the provider did not give, or what is left of it.
    fn body(self, completion: &Completion, came: Option<&Came>, asked: &Asked, sent: &[u8]) -> String {
        let ids = came.map(|it| Ids::of(&it.body)).unwrap_or_default();
        let answering = ids.answering(asked);
        let Some(framing) = self.framing else { return self.dialect.response(completion, &answering) };
        let events = match sent {
            [] => self.dialect.events(completion, &answering),
            _ => Begun::of(self.dialect, sent).rest(self.dialect, completion, &answering),
        };
        let mut text: String = events.iter().enumerate().map(|(at, it)| framing.frame(at, it)).collect();
        text.push_str(framing.end());
        text
    }

    fn changed(
        self,
        completion: &Completion,
        came: Option<Came>,
        asked: &Asked,
        sent: &[u8],
    ) -> Response<Body> {
        let body = self.body(completion, came.as_ref(), asked, sent);
        let mut response = Response::new(Body::from(body));
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
    pub(super) fn kind(self) -> &'static str {
        match self.framing {
            Some(Framing::Events) => "text/event-stream; charset=utf-8",
            Some(Framing::Array) | None => JSON,
        }
    }
}

/// What the agent lacks of what came.
fn as_it_came(Came { status, headers, body, passed }: Came) -> Response<Body> {
    let mut response = Response::new(Body::from(body.slice(passed..)));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
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
