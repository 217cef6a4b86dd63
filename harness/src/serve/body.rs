//! The body of a response that can stop halfway.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use http_body::Frame;
use tokio::time::{Sleep, sleep};

use crate::listen::Shears;

/// What happens next in a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// These bytes are sent.
    Bytes(Bytes),
    /// The connection is cut.
    Cut,
    /// Nothing more comes, for as long as the client waits.
    Stall,
}

/// A body that sends its parts in order.
pub(super) struct Body {
    parts: VecDeque<Part>,
    shears: Shears,
    /// A break after bytes that have to be on their way before the connection is cut.
    pause: Option<Pin<Box<Sleep>>>,
    sent: bool,
}

impl Body {
    pub(super) fn new(parts: impl IntoIterator<Item = Part>, shears: Shears) -> Self {
        Self { parts: parts.into_iter().collect(), shears, pause: None, sent: false }
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let Some(pause) = &mut self.pause {
            if pause.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.pause = None;
        }
        match self.parts.front() {
            None => Poll::Ready(None),
            Some(Part::Bytes(_)) => {
                let Some(Part::Bytes(bytes)) = self.parts.pop_front() else { return Poll::Ready(None) };
                self.sent = true;
                Poll::Ready(Some(Ok(Frame::data(bytes))))
            }
            Some(Part::Cut) => {
                // What was sent leaves the buffers only while nothing more comes.
                if std::mem::take(&mut self.sent) {
                    let mut pause = Box::pin(sleep(FLUSH));
                    if pause.as_mut().poll(cx).is_pending() {
                        self.pause = Some(pause);
                        return Poll::Pending;
                    }
                }
                self.shears.cut();
                Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into())))
            }
            Some(Part::Stall) => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.parts.is_empty()
    }
}

/// How long bytes have to leave the buffers.
const FLUSH: Duration = Duration::from_millis(5);

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::Bytes(text.into())
    }
}
