//! Why a stream returned no completion.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::attempt::AttemptCause;
use crate::wire::content;
use crate::wire::reading::Unreadable;

/// The maximum number of bytes in one answer, and in one line of its stream: far more than any model writes.
pub const STREAM_BYTES: usize = 64 << 20;

/// Why a stream returned no completion.
#[derive(Clone, Debug)]
pub(in crate::wire) struct Fault {
    pub(in crate::wire) cause: AttemptCause,
    pub(in crate::wire) message: String,
}

/// The content of an error event. No member is guaranteed to be present or to have a fixed type.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    message: Option<Box<RawValue>>,
    #[serde(rename = "type")]
    kind: Option<Box<RawValue>>,
    code: Option<Box<RawValue>>,
}

impl Fault {
    fn broken_off(message: String) -> Self {
        Self { cause: AttemptCause::Disconnected, message }
    }

    /// The stream ended before the answer did.
    pub(in crate::wire) fn cut() -> Self {
        Self::broken_off("the stream ended before the answer did".to_owned())
    }

    pub(in crate::wire) fn too_long() -> Self {
        Self::broken_off(format!("expected a stream of at most {STREAM_BYTES} bytes, found a longer one"))
    }

    pub(in crate::wire) fn not_utf8() -> Self {
        Self::broken_off("expected UTF-8 in the stream, found other bytes".to_owned())
    }

    /// The provider's error in place of the rest of an answer: an object, or a text.
    pub(in crate::wire) fn of_error(error: &RawValue) -> Self {
        let said: Said = serde_json::from_str(error.get()).unwrap_or_default();
        let word = |it: &Option<Box<RawValue>>| it.as_deref().map(text_of);
        let (code, kind) = (word(&said.code), word(&said.kind));
        let status = [&code, &kind].into_iter().flatten().find_map(|name| status(name)).unwrap_or(500);
        Self {
            cause: AttemptCause::Status { code: status, retry_after: None },
            message: word(&said.message).or(kind).or(code).unwrap_or_else(|| text_of(error)),
        }
    }
}

impl From<Unreadable> for Fault {
    fn from(unreadable: Unreadable) -> Self {
        Self::broken_off(format!("an event of the stream cannot be read: {unreadable}"))
    }
}

/// The text of a string, or the beginning of any other value.
fn text_of(raw: &RawValue) -> String {
    serde_json::from_str(raw.get()).unwrap_or_else(|_| content::excerpt(raw.get()).replace('`', ""))
}

/// The status that providers send with an error of this name or number when it comes before the stream begins.
fn status(name: &str) -> Option<u16> {
    Some(match name {
        "invalid_request_error" | "context_length_exceeded" => 400,
        "authentication_error" | "invalid_api_key" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" | "model_not_found" => 404,
        "request_too_large" => 413,
        "rate_limit_error" | "rate_limit_exceeded" | "insufficient_quota" => 429,
        "api_error" | "server_error" => 500,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        number => return number.parse().ok().filter(|code| (400..600).contains(code)),
    })
}
