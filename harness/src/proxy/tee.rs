//! A body that is passed on as it comes, and read once it has ended.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Bytes, HttpBody};
use balk_guards::wire::STREAM_BYTES;
use http_body::Frame;
use hyper::body::Incoming;

use crate::listen::Held;

/// A body on its way to an agent.
pub(super) struct Tee {
    body: Incoming,
    /// What has come so far; `None` if it is too much to be read.
    copy: Option<Vec<u8>>,
    /// The request; `None` once nothing is held for it.
    held: Option<Arc<Held>>,
    /// Who reads it in the end.
    reader: Option<Box<dyn FnOnce(Bytes) + Send>>,
}

impl Tee {
    /// Passes this body on. `reader` gets it if all of it came.
    pub(super) fn new(body: Incoming, held: Arc<Held>, reader: impl FnOnce(Bytes) + Send + 'static) -> Self {
        Self { body, copy: Some(Vec::new()), held: Some(held), reader: Some(Box::new(reader)) }
    }

    fn ends(&mut self) {
        if let (Some(reader), Some(copy)) = (self.reader.take(), self.copy.take()) {
            reader(copy.into());
        }
    }
}

impl HttpBody for Tee {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(None) => {
                self.ends();
                Poll::Ready(None)
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(io::Error::other(error)))),
            Poll::Ready(Some(Ok(frame))) => {
                let it = self.as_mut().get_mut();
                if let (Some(data), Some(copy), Some(held)) = (frame.data_ref(), &mut it.copy, &it.held) {
                    if copy.len() + data.len() <= STREAM_BYTES && held.takes(data.len()) {
                        copy.extend_from_slice(data);
                    } else {
                        (it.copy, it.held, it.reader) = (None, None, None);
                    }
                }
                // Where the length is known, the body is not polled again after its last piece.
                if self.body.is_end_stream() {
                    self.ends();
                }
                Poll::Ready(Some(Ok(frame)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}
