//! The body of a request, read within its bounds.

use std::future::poll_fn;
use std::pin::Pin;
use std::str::Utf8Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::{Body, HttpBody};
use balk_guards::wire::{Dialect, Failure, FailureKind};

use super::limits::Limits;

/// The bytes of one among those of all: of requests that are not answered yet, or of conversations that are kept.
#[derive(Debug)]
pub(crate) struct Held {
    all: Arc<AtomicUsize>,
    most: usize,
    bytes: AtomicUsize,
}

impl Held {
    /// Nothing yet, among all these, which may have so many bytes.
    pub(crate) fn new(all: &Arc<AtomicUsize>, most: usize) -> Self {
        Self { all: all.clone(), most, bytes: AtomicUsize::new(0) }
    }

    /// Whether there is room for so many more.
    pub(crate) fn takes(&self, more: usize) -> bool {
        self.bytes.fetch_add(more, Ordering::Relaxed);
        self.all.fetch_add(more, Ordering::Relaxed) + more <= self.most
    }

    /// It has so many from now on.
    pub(crate) fn becomes(&self, bytes: usize) {
        let before = self.bytes.swap(bytes, Ordering::Relaxed);
        // Less is more that wraps around.
        self.all.fetch_add(bytes.wrapping_sub(before), Ordering::Relaxed);
    }

    /// The most bytes of all.
    pub(crate) fn most(&self) -> usize {
        self.most
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.all.fetch_sub(*self.bytes.get_mut(), Ordering::Relaxed);
    }
}

/// Reads a body that is text.
///
/// # Errors
/// As [`bytes`], or it is no UTF-8.
pub(crate) async fn read(
    body: Body,
    dialect: Dialect,
    limits: Limits,
    held: &Held,
) -> Result<String, Failure> {
    let bytes = bytes(body, dialect, limits, held).await?;
    String::from_utf8(bytes)
        .map_err(|it| Failure::of(dialect, FailureKind::Invalid, &not_text(&it.utf8_error())))
}

/// Why a body is no text.
pub(crate) fn not_text(error: &Utf8Error) -> String {
    format!("byte {} of the body is not UTF-8", error.valid_up_to())
}

/// Reads a body.
///
/// # Errors
/// It is too long, too slow or broken, or there is no room for it; in the shape of this dialect.
pub(crate) async fn bytes(
    body: Body,
    dialect: Dialect,
    limits: Limits,
    held: &Held,
) -> Result<Vec<u8>, Failure> {
    let failed = |kind, message: &str| Failure::of(dialect, kind, message);
    match tokio::time::timeout(limits.read, whole(body, limits.body, held)).await {
        Ok(Whole::Is(bytes)) => Ok(bytes),
        Ok(Whole::NoRoom) => {
            let message =
                format!("all requests at once have more than {} bytes: send it later", limits.bodies);
            Err(failed(FailureKind::Overloaded, &message))
        }
        Ok(Whole::TooLong) => {
            let message = format!("expected a body of at most {} bytes", limits.body);
            Err(failed(FailureKind::TooLarge, &message))
        }
        Ok(Whole::Broken) => Err(failed(FailureKind::Invalid, "expected a body that is whole")),
        Err(_) => {
            let message = format!("the body took longer than {} ms", limits.read.as_millis());
            Err(Failure { status: 408, ..failed(FailureKind::Timeout, &message) })
        }
    }
}

/// Room for a body of the length that its head says, if that is no lie to make room for.
pub(crate) fn room_for(body: &impl HttpBody) -> Vec<u8> {
    const BELIEVED: usize = 256 << 10;
    let said = usize::try_from(body.size_hint().lower()).unwrap_or(BELIEVED);
    Vec::with_capacity(said.min(BELIEVED))
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
async fn whole(mut body: Body, most: usize, held: &Held) -> Whole {
    let (mut bytes, mut length) = (room_for(&body), 0);
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
