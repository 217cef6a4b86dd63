//! Bodies that break off behind all that came before.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};

use super::room::Seat;

/// Whether a connection has written all that it was given.
#[derive(Clone, Debug, Default)]
pub(super) struct Flushed(Arc<AtomicBool>);

impl Flushed {
    /// All that it was given is written.
    pub(super) fn is_so(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The body of an answer. With its error, `hyper` drops what is not written yet. So the error waits for that: `hyper`
/// writes when a body has nothing for it, and asks the body again once all is written.
pub(super) struct Written {
    body: Body,
    error: Option<axum::Error>,
    flushed: Flushed,
    seat: Arc<Seat>,
}

impl Written {
    /// An answer on this connection.
    pub(super) fn new(body: Body, flushed: &Flushed, seat: Arc<Seat>) -> Self {
        // Its head is not written yet.
        flushed.0.store(false, Ordering::Relaxed);
        Self { body, error: None, flushed: flushed.clone(), seat }
    }

    fn poll_error(&mut self) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if !self.flushed.0.load(Ordering::Relaxed) {
            return Poll::Pending;
        }
        Poll::Ready(self.error.take().map(Err))
    }
}

/// `hyper` drops it once it has all of it.
impl Drop for Written {
    fn drop(&mut self) {
        self.seat.is_answered();
    }
}

impl HttpBody for Written {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.error.is_some() {
            return self.poll_error();
        }
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(Some(Err(error))) => {
                self.error = Some(error);
                self.poll_error()
            }
            Poll::Ready(Some(Ok(frame))) => {
                self.flushed.0.store(false, Ordering::Relaxed);
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.error.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
