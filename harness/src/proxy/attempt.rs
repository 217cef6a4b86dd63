//! One request to the provider, and what came back.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use balk_guards::wire::{
    BrokenStream, Dialect, Form, Refusal, Remedy, Reply, STREAM_BYTES, StreamReader, retry_after,
};
use balk_guards::{AttemptCause, AttemptFacts, Completion, Offer};
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};

use super::keys::Keys;
use super::passing::Passing;
use super::unfinished;
use super::upstream::{Lost, Upstream};
use crate::listen::{Held, room_for};

/// What a provider sent, as it came.
#[derive(Clone, Debug)]
pub(super) struct Came {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// How many bytes of the body the agent has already.
    pub(super) passed: usize,
}

/// What came of a request.
pub(super) enum Attempt {
    /// An answer of the model.
    Answered(Came, Arc<Completion>),
    /// What is no answer for guards, and why. Asking again would bring it again.
    Final(Came, &'static str),
    /// No answer, or not the whole of one.
    Failed(Failed),
}

/// Why there is no answer.
pub(super) struct Failed {
    pub(super) cause: AttemptCause,
    pub(super) message: Arc<str>,
    pub(super) facts: AttemptFacts,
    /// What came instead, if all of it came.
    pub(super) came: Option<Came>,
}

/// How often an answer may be held while it comes: as it came, as it was read, as it was passed on, and room to grow.
pub(super) const COPIES: usize = 4;

/// How long the end of a body is waited for after that of its answer. Both mostly come at once, and only a body that
/// has ended leaves its connection for the next request; but a provider can keep it open for as long as it likes.
const BODY_END: Duration = Duration::from_millis(100);

/// Sends requests to a provider and reads what comes back.
pub(super) struct Asking<'a> {
    pub(super) upstream: &'a Upstream,
    pub(super) head: &'a Parts,
    pub(super) rest: &'a str,
    pub(super) dialect: Dialect,
    pub(super) offer: &'a Offer,
    /// What no text of a failure shows.
    pub(super) keys: &'a Keys,
    /// The request among all that are not answered yet.
    pub(super) held: &'a Held,
}

impl Asking<'_> {
    /// Sends this body. What may be is passed on while it comes.
    pub(super) async fn ask(&self, body: Bytes, passing: &mut Passing) -> Attempt {
        let mut head = self.head.clone();
        // A body that is to be read has to come as it is.
        head.headers.remove(ACCEPT_ENCODING);
        let response = match self.upstream.send(head, self.rest, Body::from(body)).await {
            Ok(response) => response,
            Err(lost) => return Attempt::Failed(Failed::lost(lost)),
        };
        let (parts, mut incoming) = response.into_parts();
        let mut stream = self.stream(parts.status, &parts.headers);
        let mut bytes = room_for(&incoming);
        let mut end = None;
        let lost = loop {
            if stream.as_ref().is_some_and(has_ended) {
                end.get_or_insert_with(|| Instant::now() + BODY_END);
            }
            match self.piece(&mut incoming, end).await {
                Ok(None) => break None,
                Ok(Some(piece)) if bytes.len() + piece.len() > STREAM_BYTES => {
                    let message =
                        format!("expected at most {STREAM_BYTES} bytes, found {} more", piece.len());
                    break Some(Lost { cause: AttemptCause::Disconnected, message });
                }
                Ok(Some(piece)) if !self.held.takes(COPIES * piece.len()) => {
                    let most = self.held.most();
                    let message = format!(
                        "no room for this answer: all requests and their answers together may have {most} bytes"
                    );
                    break Some(Lost { cause: AttemptCause::Disconnected, message });
                }
                Ok(Some(piece)) => {
                    bytes.extend_from_slice(&piece);
                    if let Some(stream) = &mut stream {
                        passing.takes(&parts, &bytes, stream).await;
                    }
                }
                // What follows the end of an answer is no part of it.
                Err(_) if end.is_some() => break None,
                Err(lost) => break Some(lost),
            }
        };
        if let Some(stream) = &mut stream {
            passing.ends(&bytes, stream);
        }
        let passed = passing.passed();
        let came = Came { status: parts.status, headers: parts.headers, body: bytes.into(), passed };
        match (stream, lost) {
            (Some(stream), lost) => self.streamed(stream, came, lost),
            (None, Some(lost)) => Attempt::Failed(Failed::lost(lost)),
            (None, None) => self.whole(came),
        }
    }

    /// The next piece of an answer, and none after its end.
    async fn piece(&self, body: &mut Incoming, end: Option<Instant>) -> Result<Option<Bytes>, Lost> {
        let piece = self.upstream.piece(body);
        match end {
            Some(end) => timeout_at(end, piece).await.unwrap_or(Ok(None)),
            None => piece.await,
        }
    }

    /// What reads an answer with this head while it comes, if it is a stream.
    pub(super) fn stream(&self, status: StatusCode, headers: &HeaderMap) -> Option<StreamReader> {
        let reads = !is_coded(headers) && form(headers) == Form::Stream && status.is_success();
        reads.then(|| self.dialect.stream())
    }

    /// Reads what came, or has been read while it did.
    pub(super) fn read(&self, came: Came, stream: Option<StreamReader>) -> Attempt {
        match stream {
            Some(stream) => self.streamed(stream, came, None),
            None => self.whole(came),
        }
    }

    fn answered(&self, came: Came, completion: Completion) -> Attempt {
        if unfinished::is_unfinished(self.dialect, &came.body, &completion) {
            return Attempt::Final(came, UNFINISHED);
        }
        Attempt::Answered(came, completion.into())
    }

    fn streamed(&self, stream: StreamReader, came: Came, lost: Option<Lost>) -> Attempt {
        let is_unreadable = |it: &BrokenStream| {
            it.cause == AttemptCause::Disconnected && it.remedy != Remedy::Again && lost.is_none()
        };
        let BrokenStream { cause, message, facts, .. } = match stream.finish(self.offer) {
            Ok(completion) => return self.answered(came, completion),
            Err(broken) if is_unreadable(&broken) => return Attempt::Final(came, UNREADABLE),
            Err(broken) => *broken,
        };
        let facts = AttemptFacts { visible_output: Some(false), ..facts };
        // What the provider said in its stream is said in its own words, if nothing helps.
        let is_refused = lost.is_none() && matches!(cause, AttemptCause::Status { .. });
        let (cause, message) = match lost {
            Some(Lost { cause, message }) => (cause, message.into()),
            None => (cause, self.keys.hide(&message).into()),
        };
        Attempt::Failed(Failed { cause, message, facts, came: is_refused.then_some(came) })
    }

    fn whole(&self, came: Came) -> Attempt {
        // It was asked to come as it is. What comes in a coding all the same is not read.
        if is_coded(&came.headers) {
            return Attempt::Final(came, UNREADABLE);
        }
        let Ok(body) = std::str::from_utf8(&came.body) else { return Attempt::Final(came, UNREADABLE) };
        let header = |name: &str| came.headers.get(name)?.to_str().ok();
        let reply = Reply {
            status: came.status.as_u16(),
            retry_after: retry_after(header("retry-after-ms"), header("retry-after")),
            form: form(&came.headers),
            body: body.into(),
        };
        match self.dialect.answer(&reply, self.offer) {
            Ok(completion) => self.answered(came, completion),
            Err(Refusal { remedy, .. })
                if (came.status.is_success() || came.status.is_redirection())
                    && (remedy != Remedy::Again || came.status == StatusCode::NO_CONTENT) =>
            {
                Attempt::Final(came, UNREADABLE)
            }
            Err(Refusal { cause, message, .. }) => {
                let (message, facts) = (self.keys.hide(&message).into(), AttemptFacts::default());
                Attempt::Failed(Failed { cause, message, facts, came: Some(came) })
            }
        }
    }
}

/// Why guards do not see an answer that has come: the provider is not done with it.
const UNFINISHED: &str = "unfinished-answer";
/// Why guards do not see one that is in no form that is known.
const UNREADABLE: &str = "unreadable-answer";

/// Whether nothing more of an answer comes. What cannot be read may go on.
pub(super) fn has_ended(stream: &StreamReader) -> bool {
    stream.is_over() && !stream.is_unreadable()
}

impl Failed {
    pub(super) fn lost(Lost { cause, message }: Lost) -> Self {
        Self { cause, message: message.into(), facts: AttemptFacts::default(), came: None }
    }
}

/// Whether a body is in a coding. `identity` is none (RFC 9110, 12.5.3), and some servers write it all the same.
pub(super) fn is_coded(headers: &HeaderMap) -> bool {
    let is_one = |it: &str| !it.trim().is_empty() && !it.trim().eq_ignore_ascii_case("identity");
    let are_some = |value: &HeaderValue| value.to_str().map_or(true, |it| it.split(',').any(is_one));
    headers.get_all(CONTENT_ENCODING).into_iter().any(are_some)
}

pub(super) fn form(headers: &HeaderMap) -> Form {
    let kind = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    Form::of(kind).unwrap_or(Form::Whole)
}
