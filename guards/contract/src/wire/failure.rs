//! What a server says in place of an answer, in its provider's own shape.

use std::sync::Arc;

use serde::Serialize;

use super::dialect::Dialect;
use super::event::Event;

/// Why a server gives no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureKind {
    /// The request is wrong.
    Invalid,
    /// The key is missing or wrong.
    Key,
    /// The account has no money left.
    Unpaid,
    /// The key does not allow it.
    Forbidden,
    /// There is no such model or path.
    Missing,
    /// The request has too many bytes.
    TooLarge,
    /// The request has more tokens than the model's context. Anthropic and Gemini say so in the message alone: `prompt
    /// is too long: …` and `The input token count … exceeds the maximum number of tokens allowed …`.
    TooLong,
    /// Too many requests or tokens for now.
    RateLimit,
    /// The server failed.
    Failed,
    /// The server took too long.
    Timeout,
    /// The server has too much to do.
    Overloaded,
}

/// An error of a provider: the body of a refusal, or an event within a stream. [`Dialect::answer`] reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Why.
    pub kind: FailureKind,
    /// The HTTP status.
    pub status: u16,
    /// What is said to people.
    pub message: Arc<str>,
    /// Milliseconds to wait before the next request. It is a member of Gemini's errors, and a header elsewhere.
    pub retry_after: Option<u64>,
    /// The id of the request: `request_id` in Anthropic's errors.
    pub request_id: Option<Arc<str>>,
}

/// `{"error": …}` of OpenAI.
#[derive(Serialize)]
struct OpenAi<'a> {
    message: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    param: (),
    code: Option<&'static str>,
}

/// An event of OpenAI Responses.
#[derive(Serialize)]
struct Responses<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    code: &'static str,
    message: &'a str,
    param: (),
    sequence_number: usize,
}

/// The error of Anthropic.
#[derive(Serialize)]
struct Anthropic<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    error: Named<'a>,
    request_id: Option<&'a str>,
}

#[derive(Serialize)]
struct Named<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    message: &'a str,
}

/// `{"error": …}` of Gemini.
#[derive(Serialize)]
struct Gemini<'a> {
    code: u16,
    message: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<[RetryInfo; 1]>,
}

#[derive(Serialize)]
struct RetryInfo {
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "retryDelay")]
    retry_delay: String,
}

#[derive(Serialize)]
struct Envelope<T> {
    error: T,
}

impl Failure {
    /// A failure with the status that the provider gives it.
    #[must_use]
    pub fn of(dialect: Dialect, kind: FailureKind, message: &str) -> Self {
        let status = kind.status(dialect);
        Self { kind, status, message: message.into(), retry_after: None, request_id: None }
    }

    /// The body of the refusal, as JSON text.
    #[must_use]
    pub fn body(&self, dialect: Dialect) -> String {
        self.event(dialect, None).data
    }

    /// The event in place of the rest of a stream; `at` is its index, which OpenAI Responses number.
    #[must_use]
    pub fn in_stream(&self, dialect: Dialect, at: usize) -> Event {
        self.event(dialect, Some(at))
    }

    fn event(&self, dialect: Dialect, at: Option<usize>) -> Event {
        let Self { kind, status, message, retry_after, request_id } = self;
        let (name, code) = kind.openai();
        match dialect {
            Dialect::Responses if at.is_some() => {
                let (sequence_number, code) = (at.unwrap_or_default(), code.unwrap_or(name));
                let said = Responses { kind: "error", code, message, param: (), sequence_number };
                Event::of(Some("error"), &said)
            }
            Dialect::OpenAi | Dialect::Responses => {
                Event::of(None, &Envelope { error: OpenAi { message, kind: name, param: (), code } })
            }
            Dialect::Anthropic => {
                let error = Named { kind: kind.anthropic(), message };
                let request_id = request_id.as_deref();
                Event::of(Some("error"), &Anthropic { kind: "error", error, request_id })
            }
            Dialect::Gemini => {
                let details = retry_after.map(|ms| {
                    let retry_delay = format!("{}.{:03}s", ms / 1000, ms % 1000);
                    [RetryInfo { kind: "type.googleapis.com/google.rpc.RetryInfo", retry_delay }]
                });
                let error = Gemini { code: *status, message, status: kind.gemini(), details };
                Event::of(None, &Envelope { error })
            }
        }
    }
}

impl FailureKind {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::Invalid,
        Self::Key,
        Self::Unpaid,
        Self::Forbidden,
        Self::Missing,
        Self::TooLarge,
        Self::TooLong,
        Self::RateLimit,
        Self::Failed,
        Self::Timeout,
        Self::Overloaded,
    ];

    /// The HTTP status that the provider sends with it.
    #[must_use]
    pub fn status(self, dialect: Dialect) -> u16 {
        let by_provider = |openai, anthropic, gemini| match dialect {
            Dialect::OpenAi | Dialect::Responses => openai,
            Dialect::Anthropic => anthropic,
            Dialect::Gemini => gemini,
        };
        match self {
            Self::Invalid | Self::TooLong => 400,
            Self::Key => 401,
            Self::Unpaid => by_provider(429, 402, 400),
            Self::Forbidden => 403,
            Self::Missing => 404,
            Self::TooLarge => by_provider(413, 413, 400),
            Self::RateLimit => 429,
            Self::Failed => 500,
            Self::Timeout => 504,
            Self::Overloaded => by_provider(503, 529, 503),
        }
    }

    /// `type` and `code`.
    fn openai(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Invalid | Self::Forbidden | Self::TooLarge => ("invalid_request_error", None),
            Self::Key => ("invalid_request_error", Some("invalid_api_key")),
            Self::Unpaid => ("insufficient_quota", Some("insufficient_quota")),
            Self::Missing => ("invalid_request_error", Some("model_not_found")),
            Self::TooLong => ("invalid_request_error", Some("context_length_exceeded")),
            Self::RateLimit => ("requests", Some("rate_limit_exceeded")),
            Self::Failed | Self::Timeout | Self::Overloaded => ("server_error", None),
        }
    }

    /// `error.type`.
    fn anthropic(self) -> &'static str {
        match self {
            Self::Invalid | Self::TooLong => "invalid_request_error",
            Self::Key => "authentication_error",
            Self::Unpaid => "billing_error",
            Self::Forbidden => "permission_error",
            Self::Missing => "not_found_error",
            Self::TooLarge => "request_too_large",
            Self::RateLimit => "rate_limit_error",
            Self::Failed => "api_error",
            Self::Timeout => "timeout_error",
            Self::Overloaded => "overloaded_error",
        }
    }

    /// `error.status`.
    fn gemini(self) -> &'static str {
        match self {
            Self::Invalid | Self::TooLarge | Self::TooLong => "INVALID_ARGUMENT",
            Self::Key => "UNAUTHENTICATED",
            Self::Unpaid => "FAILED_PRECONDITION",
            Self::Forbidden => "PERMISSION_DENIED",
            Self::Missing => "NOT_FOUND",
            Self::RateLimit => "RESOURCE_EXHAUSTED",
            Self::Failed => "INTERNAL",
            Self::Timeout => "DEADLINE_EXCEEDED",
            Self::Overloaded => "UNAVAILABLE",
        }
    }
}
