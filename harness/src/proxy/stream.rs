//! A streamed answer on its way: what is passed on while it comes, then the rest. While all is held back, its
//! connection is kept by comments, which every client skips.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Response};
use balk_guards::wire::Dialect;
use http_body::Frame;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Sleep, sleep};

use super::passing::Passed;
use super::reply::{self, EVENTS};

/// What is left of an answer, on its way.
type Work = Pin<Box<dyn Future<Output = Response<Bytes>> + Send>>;

/// A body whose answer is not whole yet.
pub(super) struct Stream {
    dialect: Dialect,
    passed: Receiver<Passed>,
    rest: Rest,
    /// Whether the agent has something of an answer.
    has_begun: bool,
    silence: Duration,
    pause: Pin<Box<Sleep>>,
}

/// What comes behind everything that is passed on.
enum Rest {
    Works(Work),
    Is(Response<Bytes>),
    Ended,
}

/// What an agent gets next.
enum Next {
    Passed(Passed),
    /// Nothing came for so long.
    Beat,
    Rest(Response<Bytes>),
}

/// A comment of a stream of events.
const BEAT: &[u8] = b": held\n\n";

impl Stream {
    /// `passed` comes before the rest, on which `work` is done.
    pub(super) fn new(dialect: Dialect, work: Work, passed: Receiver<Passed>, silence: Duration) -> Self {
        let (rest, pause) = (Rest::Works(work), Box::pin(sleep(silence)));
        Self { dialect, passed, rest, has_begun: false, silence, pause }
    }

    /// The response, once something of it is there, or it is late.
    pub(super) async fn response(mut self) -> Response<Body> {
        match poll_fn(|cx| self.poll_next(cx)).await {
            Next::Rest(response) => response.map(Body::from),
            Next::Passed(Passed::Head(head)) => Response::from_parts(*head, Body::new(self)),
            Next::Beat | Next::Passed(Passed::Events(_)) => {
                self.pause = Box::pin(sleep(Duration::ZERO));
                let mut response = Response::new(Body::new(self));
                response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(EVENTS));
                response
            }
        }
    }

    /// Not to be called after the rest is there.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Next> {
        if let Rest::Works(work) = &mut self.rest
            && let Poll::Ready(response) = work.as_mut().poll(cx)
        {
            self.rest = Rest::Is(response);
        }
        if let Poll::Ready(Some(passed)) = self.passed.poll_recv(cx) {
            self.pause = Box::pin(sleep(self.silence));
            return Poll::Ready(Next::Passed(passed));
        }
        if let Rest::Is(_) = self.rest
            && let Rest::Is(response) = std::mem::replace(&mut self.rest, Rest::Ended)
        {
            return Poll::Ready(Next::Rest(response));
        }
        self.pause.as_mut().poll(cx).map(|()| {
            self.pause = Box::pin(sleep(self.silence));
            Next::Beat
        })
    }
}

impl HttpBody for Stream {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if matches!(self.rest, Rest::Ended) {
            return Poll::Ready(None);
        }
        loop {
            let bytes = match self.poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                // Comments came before it, and with them a head.
                Poll::Ready(Next::Passed(Passed::Head(_))) => continue,
                Poll::Ready(Next::Passed(Passed::Events(events))) => {
                    self.has_begun = true;
                    events
                }
                Poll::Ready(Next::Beat) => Bytes::from_static(BEAT),
                Poll::Ready(Next::Rest(response)) if response.status().is_success() => response.into_body(),
                // An answer that has begun cannot be taken back: the connection is cut.
                Poll::Ready(Next::Rest(_)) if self.has_begun => {
                    return Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into())));
                }
                Poll::Ready(Next::Rest(refused)) => reply::late(self.dialect, &refused).into(),
            };
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
    }
}
