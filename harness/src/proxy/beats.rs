//! A streamed answer that is held back: its connection is kept by comments, which every client skips.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::Response;
use http_body::Frame;
use tokio::time::{Sleep, sleep};

/// A response on its way.
pub(super) type Work = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

/// A body whose answer is not there yet.
pub(super) struct Beats {
    state: State,
    silence: Duration,
    pause: Pin<Box<Sleep>>,
}

enum State {
    Waits(Work),
    Answers(Body),
}

/// A comment of a stream of events.
const BEAT: &[u8] = b": held\n\n";

impl Beats {
    /// Comments until the answer is there, each after so long a silence.
    pub(super) fn new(work: Work, silence: Duration) -> Self {
        Self { state: State::Waits(work), silence, pause: Box::pin(sleep(Duration::ZERO)) }
    }
}

impl HttpBody for Beats {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        loop {
            match &mut self.state {
                State::Answers(body) => {
                    return Pin::new(body).poll_frame(cx).map_err(io::Error::other);
                }
                State::Waits(work) => match work.as_mut().poll(cx) {
                    // A stream that has begun cannot end with another status: the connection is cut.
                    Poll::Ready(response) if !response.status().is_success() => {
                        return Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into())));
                    }
                    Poll::Ready(response) => self.state = State::Answers(response.into_body()),
                    Poll::Pending => {
                        if self.pause.as_mut().poll(cx).is_pending() {
                            return Poll::Pending;
                        }
                        self.pause = Box::pin(sleep(self.silence));
                        return Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(BEAT)))));
                    }
                },
            }
        }
    }
}
