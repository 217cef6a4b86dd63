//! A body that is passed on as it comes, and read once it has ended, or its answer has.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Bytes, HttpBody};
use balk_guards::wire::{STREAM_BYTES, StreamReader};
use http_body::Frame;
use hyper::body::Incoming;

use super::attempt::{COPIES, has_ended};
use crate::listen::Held;

/// A body on its way to an agent.
pub(super) struct Tee {
    body: Incoming,
    /// What has come so far; `None` if it is too much to be read.
    copy: Option<Vec<u8>>,
    /// The request; `None` once nothing is held for it.
    held: Option<Arc<Held>>,
    /// What reads a stream while it comes.
    stream: Option<StreamReader>,
    /// Whether the answer of a stream has come.
    is_over: bool,
    /// Who reads it in the end.
    reader: Option<Box<Reader>>,
}

/// Gets all that came and, of a stream, what has read it.
type Reader = dyn FnOnce(Bytes, Option<StreamReader>) + Send;

impl Tee {
    /// Passes this body on. `reader` gets it if all of it came, or of a stream all of its answer: a client that has
    /// that may go away.
    pub(super) fn new(
        body: Incoming,
        held: Arc<Held>,
        stream: Option<StreamReader>,
        reader: impl FnOnce(Bytes, Option<StreamReader>) + Send + 'static,
    ) -> Self {
        let (copy, held, reader) = (Some(Vec::new()), Some(held), Some(Box::new(reader) as Box<Reader>));
        let mut tee = Self { body, copy, held, stream, is_over: false, reader };
        // The server never polls a body that is empty.
        if tee.body.is_end_stream() {
            tee.ends();
        }
        tee
    }

    fn ends(&mut self) {
        if let (Some(reader), Some(copy)) = (self.reader.take(), self.copy.take()) {
            reader(copy.into(), self.stream.take());
            self.held = None;
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
            // What follows the end of an answer is no part of it. A body whose length its head says cannot end before.
            Poll::Ready(Some(Err(_))) if self.is_over && self.body.size_hint().exact().is_none() => {
                Poll::Ready(None)
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(io::Error::other(error)))),
            Poll::Ready(Some(Ok(frame))) => {
                let it = self.as_mut().get_mut();
                if let (Some(data), Some(copy), Some(held)) = (frame.data_ref(), &mut it.copy, &it.held) {
                    if copy.len() + data.len() <= STREAM_BYTES && held.takes(COPIES * data.len()) {
                        copy.extend_from_slice(data);
                        if let Some(stream) = &mut it.stream {
                            stream.feed(data);
                        }
                    } else {
                        (it.copy, it.held, it.stream, it.reader) = (None, None, None, None);
                    }
                }
                // Where the length is known, the body is not polled again after its last piece.
                it.is_over |= it.stream.as_ref().is_some_and(has_ended);
                if it.body.is_end_stream() || it.is_over {
                    it.ends();
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
