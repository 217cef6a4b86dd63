//! What a server sent back for a request, and what it says if it is not an answer.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::content;
use super::refusal::Refusal;
use super::stream::raw::event_data;
use crate::attempt::AttemptCause;
use crate::completion::is_blank;

/// What a server sent back for a request, as it arrived. [`Dialect::answer`](super::Dialect::answer) reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// Milliseconds to wait before the next request, as [`retry_after`] reads them from the headers.
    pub retry_after: Option<u64>,
    /// Whether the body is one JSON text or a stream.
    pub form: Form,
    /// The body.
    pub body: Arc<str>,
}

/// The form of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// One JSON text.
    Whole,
    /// Server-sent events.
    Stream,
}

impl Form {
    /// The form of a body of this content type; `None` for another type. Some servers leave it out.
    #[must_use]
    pub fn of(content_type: &str) -> Option<Self> {
        let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match &*kind {
            "text/event-stream" => Some(Self::Stream),
            "" | "application/json" | "text/json" => Some(Self::Whole),
            other => other.ends_with("+json").then_some(Self::Whole),
        }
    }
}

/// The members of a body that say that it is an error.
#[derive(Deserialize)]
struct Envelope {
    #[serde(rename = "type", default)]
    kind: Option<Box<RawValue>>,
    #[serde(default)]
    object: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<Box<RawValue>>,
}

impl Reply {
    /// Whether the status is one of success.
    fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Why it has no completion, as far as that can be told without the dialect.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        let Self { status, retry_after, form, body } = self;
        let error = self.error();
        match *status {
            200..300 => match (error, form) {
                (Some(error), _) => Some(Refusal::of_reply(&error, None, *retry_after)),
                (None, Form::Whole) => not_json(body),
                (None, Form::Stream) => None,
            },
            400..600 => Some(match error {
                Some(error) => Refusal::of_reply(&error, Some(*status), *retry_after),
                None => Refusal::of_status(*status, *retry_after, body),
            }),
            _ => Some(Refusal {
                cause: AttemptCause::Connect,
                ..Refusal::wrong(&format!("expected an answer, found status {status}"))
            }),
        }
    }

    /// The provider's error: `{"error": …}`, `{"type": "error", …}` (Anthropic), `{"object": "error", …}` (vLLM), or
    /// any other object with a status of refusal. A stream that began well tells its errors itself.
    fn error(&self) -> Option<Box<RawValue>> {
        let text: Cow<'_, str> = match self.form {
            Form::Whole => (&*self.body).into(),
            Form::Stream if self.is_success() => return None,
            Form::Stream => event_data(&self.body).next()?.into(),
        };
        let text = &*text;
        // Gemini sends an array of one where its stream would have been an array.
        let array: Option<Vec<Box<RawValue>>> = serde_json::from_str(text).ok();
        let text = array.as_ref().and_then(|it| it.first()).map_or(text, |it| it.get());
        let Envelope { kind, object, error } = serde_json::from_str(text).ok()?;
        let is_error = |it: Option<Box<RawValue>>| it.is_some_and(|it| it.get() == "\"error\"");
        let error = error.filter(|it| it.get() != "null");
        let whole = || serde_json::from_str(text).ok();
        error.or_else(|| (!self.is_success() || is_error(kind) || is_error(object)).then(whole).flatten())
    }
}

/// What is wrong with a body that is not JSON.
fn not_json(body: &str) -> Option<Refusal> {
    if is_blank(body) {
        return Some(Refusal::lost("expected an answer, found an empty body"));
    }
    let ended = |text: &str| serde_json::from_str::<IgnoredAny>(text).map_or_else(|it| it.is_eof(), |_| true);
    serde_json::from_str::<IgnoredAny>(body).err()?;
    // The parser calls `1e` a wrong number, be it at the end of the text: a digit shows whether only the rest is lost.
    Some(if ended(body) || ended(&format!("{body}0")) {
        Refusal::lost(&format!("the answer breaks off after {} bytes", body.len()))
    } else {
        Refusal::wrong(&format!("expected JSON, found {}", content::excerpt(body.trim_start())))
    })
}

/// Milliseconds to wait before the next request, from the headers `retry-after-ms` and `retry-after`; the former is
/// more exact, and OpenAI sends it. A date in their place needs a clock to be read, so it is `None` here.
#[must_use]
pub fn retry_after(ms: Option<&str>, seconds: Option<&str>) -> Option<u64> {
    ms.and_then(|text| thousandths(text, 1)).or_else(|| thousandths(seconds?, 1000))
}

/// `text` times `scale`, rounded up: digits with or without a fraction, of which three are read.
fn thousandths(text: &str, scale: u64) -> Option<u64> {
    let text = text.trim();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = |text: &str| text.bytes().all(|it| it.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let part: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let whole: u64 = whole.parse().ok()?;
    whole.checked_mul(scale)?.checked_add((part * scale).div_ceil(1000))
}
