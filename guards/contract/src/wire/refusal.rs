//! Why a server returned no completion, and whether asking again can help.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::reading::Unreadable;
use crate::attempt::AttemptCause;

/// The maximum number of bytes in one answer, and in one line of its stream: far more than any model writes.
pub const STREAM_BYTES: usize = 64 << 20;

/// Why a server returned no completion: it refused the request, or its answer cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The status of the refusal, or what happened to the connection.
    pub cause: AttemptCause,
    /// What the provider said, or what was wrong with the answer: one line, of at most 200 characters.
    pub message: Arc<str>,
    /// What can help.
    pub remedy: Remedy,
}

/// What can help after a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remedy {
    /// The same request, sent later.
    Again,
    /// A shorter request: this one does not fit into the model's context.
    Shorten,
    /// Nothing that a client can do by itself: the request, the key or the server is wrong.
    Nothing,
}

/// The content of a provider's error. No member is guaranteed to be present or to have a fixed type.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    message: Option<Box<RawValue>>,
    /// In place of a message from servers built with FastAPI.
    detail: Option<Box<RawValue>>,
    #[serde(rename = "type")]
    kind: Option<Box<RawValue>>,
    code: Option<Box<RawValue>>,
}

/// Names of errors for a request that does not fit into the context: OpenAI and Groq
/// (<https://github.com/OpenHands/OpenHands/issues/1902>), llama.cpp
/// (<https://github.com/ggml-org/llama.cpp/pull/15780>).
const OVERFLOW_NAMES: [&str; 2] = ["context_length_exceeded", "exceed_context_size_error"];

/// What servers say where they do not name the error, in small letters.
const OVERFLOW_TEXTS: [&str; 12] = [
    // Anthropic: https://github.com/anthropics/claude-code/issues/12186
    "prompt is too long",
    // Anthropic, with a limit on the answer that exceeds it: https://github.com/docker/docker-agent/issues/569
    "exceed context limit",
    // Anthropic by way of Bedrock: https://github.com/coder/mux/issues/1702
    "input is too long for requested model",
    // OpenAI, OpenRouter, vLLM: https://github.com/vllm-project/vllm/issues/20409
    "maximum context length",
    // OpenAI's newer models: https://github.com/anomalyco/opencode/issues/6071
    "exceeds the context window",
    // Gemini: https://github.com/google-gemini/gemini-cli/issues/6678
    "exceeds the maximum number of tokens allowed",
    // llama.cpp, before an answer and within it: https://github.com/ggml-org/llama.cpp/issues/19774
    "exceeds the available context size",
    "context size has been exceeded",
    // llama-cpp-python: https://github.com/abetlen/llama-cpp-python/issues/416
    "exceed context window",
    // LM Studio: https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2205
    "greater than the context length",
    // Cerebras: https://github.com/cline/cline/issues/5140
    "reduce the length of the messages",
    // xAI: https://github.com/chenyme/grok2api/issues/693
    "maximum prompt length",
];

/// Names of errors that stay until somebody pays, although their status is the one of a rate limit.
const UNPAID: [&str; 2] = ["insufficient_quota", "billing_error"];

impl Refusal {
    /// The connection broke off before the answer was complete.
    #[must_use]
    pub fn lost(message: &str) -> Self {
        Self { cause: AttemptCause::Disconnected, message: line(message).into(), remedy: Remedy::Again }
    }

    /// What arrived is not an answer, and the same request would bring it again.
    #[must_use]
    pub fn wrong(message: &str) -> Self {
        Self { remedy: Remedy::Nothing, ..Self::lost(message) }
    }

    /// The stream ended before the answer did.
    pub(in crate::wire) fn cut() -> Self {
        Self::lost("the stream ended before the answer did")
    }

    pub(in crate::wire) fn too_long() -> Self {
        Self::wrong(&format!("expected a stream of at most {STREAM_BYTES} bytes, found a longer one"))
    }

    pub(in crate::wire) fn not_utf8() -> Self {
        Self::wrong("expected UTF-8 in the stream, found other bytes")
    }

    /// The provider's error in place of an answer, or of the rest of one: an object, or a text.
    pub(in crate::wire) fn of_error(error: &RawValue) -> Self {
        Self::of_reply(error, None, None)
    }

    /// The provider's error in a reply with this status; without one, the status that the error corresponds to.
    pub(in crate::wire) fn of_reply(error: &RawValue, status: Option<u16>, retry_after: Option<u64>) -> Self {
        let said: Said = serde_json::from_str(error.get()).unwrap_or_default();
        let word = |it: &Option<Box<RawValue>>| it.as_deref().filter(|it| it.get() != "null").map(text_of);
        let (code, kind) = (word(&said.code), word(&said.kind));
        let names: Vec<&str> = [&code, &kind].into_iter().flatten().map(String::as_str).collect();
        let status = status.or_else(|| names.iter().find_map(|name| usual_status(name))).unwrap_or(500);
        let message = word(&said.message).or_else(|| word(&said.detail));
        let message = message.or_else(|| kind.clone()).or_else(|| code.clone());
        Self::refused(status, retry_after, &message.unwrap_or_else(|| text_of(error)), &names)
    }

    /// The server refused with this status and these words, which name no error.
    pub(in crate::wire) fn of_status(code: u16, retry_after: Option<u64>, message: &str) -> Self {
        Self::refused(code, retry_after, message, &[])
    }

    fn refused(code: u16, retry_after: Option<u64>, message: &str, names: &[&str]) -> Self {
        let small = message.to_lowercase();
        let is_overflow = names.iter().any(|name| OVERFLOW_NAMES.contains(name))
            || OVERFLOW_TEXTS.iter().any(|text| small.contains(text));
        let remedy = if is_overflow {
            Remedy::Shorten
        } else if names.iter().any(|name| UNPAID.contains(name)) {
            Remedy::Nothing
        } else {
            remedy(code)
        };
        Self { cause: AttemptCause::Status { code, retry_after }, message: line(message).into(), remedy }
    }
}

impl From<Unreadable> for Refusal {
    fn from(unreadable: Unreadable) -> Self {
        Self::wrong(&format!("an event of the stream cannot be read: {unreadable}"))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.cause)?;
        if self.message.is_empty() { Ok(()) } else { write!(f, ": {}", self.message) }
    }
}

impl std::error::Error for Refusal {}

/// What can help after a refusal with this status.
fn remedy(status: u16) -> Remedy {
    match status {
        408 | 425 | 429 | 500.. => Remedy::Again,
        413 => Remedy::Shorten,
        _ => Remedy::Nothing,
    }
}

/// The text of a string, or any other value as it was sent.
fn text_of(raw: &RawValue) -> String {
    serde_json::from_str(raw.get()).unwrap_or_else(|_| raw.get().to_owned())
}

/// A text in one line, without what a terminal would obey, and cut where it is long.
fn line(text: &str) -> String {
    const CHARS: usize = 200;
    let plain = text.split(|it: char| it.is_whitespace() || it.is_control()).filter(|word| !word.is_empty());
    let mut line = String::new();
    for word in plain {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if let Some((end, _)) = line.char_indices().nth(CHARS) {
            line.truncate(end);
            line.push('…');
            break;
        }
    }
    line
}

/// The status that providers send with an error of this name or number when it comes before the stream begins.
fn usual_status(name: &str) -> Option<u16> {
    Some(match name {
        "invalid_request_error" | "context_length_exceeded" | "exceed_context_size_error" => 400,
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
