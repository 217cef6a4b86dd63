//! The dialects, and what each does with a view and a completion.

use super::legal::Illegal;
use super::reading::Unreadable;
use super::seen::Seen;
use super::stream::{Partial, StreamReader};
use super::{anthropic, openai};
use crate::completion::Completion;
use crate::offer::Offer;
use crate::view::View;

/// A provider's way to write requests and responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    /// OpenAI chat completions.
    OpenAi,
    /// Anthropic messages.
    Anthropic,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 2] = [Self::OpenAi, Self::Anthropic];

    /// The request that shows `view` to `model`, as JSON text.
    #[must_use]
    pub fn request(self, view: &View, model: &str) -> String {
        match self {
            Self::OpenAi => serde_json::to_string(&openai::Request::of(view, model)),
            Self::Anthropic => serde_json::to_string(&anthropic::Request::of(view, model)),
        }
        .expect("a request has string keys only")
    }

    /// The same request, for an answer that arrives as a stream: [`stream`](Self::stream) takes it.
    #[must_use]
    pub fn stream_request(self, view: &View, model: &str) -> String {
        match self {
            Self::OpenAi => serde_json::to_string(&openai::Request::of(view, model).streamed()),
            Self::Anthropic => serde_json::to_string(&anthropic::Request::of(view, model).streamed()),
        }
        .expect("a request has string keys only")
    }

    /// What a request shows to the model. The offer says what a call of each tool can change, which no
    /// request carries.
    ///
    /// # Errors
    /// JSON that is no request of this dialect.
    pub fn seen(self, request: &str, offer: &Offer) -> Result<Seen, Unreadable> {
        match self {
            Self::OpenAi => openai::Request::parse(request)?.read(offer),
            Self::Anthropic => anthropic::Request::parse(request)?.read(offer),
        }
    }

    /// Whether a provider would take the request: `Ok(Err(…))` names the first rule that it breaks.
    ///
    /// # Errors
    /// JSON that is no request of this dialect.
    pub fn legal(self, request: &str) -> Result<Result<(), Illegal>, Unreadable> {
        match self {
            Self::OpenAi => openai::Request::parse(request).map(|it| it.legal()),
            Self::Anthropic => anthropic::Request::parse(request).map(|it| it.legal()),
        }
    }

    /// A completion as a response of `model`, as JSON text; `id` is the response's own.
    #[must_use]
    pub fn response(self, completion: &Completion, id: &str, model: &str) -> String {
        match self {
            Self::OpenAi => serde_json::to_string(&openai::Response::of(completion, id, model)),
            Self::Anthropic => serde_json::to_string(&anthropic::Response::of(completion, id, model)),
        }
        .expect("a response has string keys only")
    }

    /// The completion that a response holds.
    ///
    /// # Errors
    /// JSON that is no response of this dialect: a transport failure, as far as the loop is concerned.
    pub fn completion(self, response: &str, offer: &Offer) -> Result<Completion, Unreadable> {
        match self {
            Self::OpenAi => openai::Response::parse(response)?.read(offer),
            Self::Anthropic => anthropic::Response::parse(response)?.read(offer),
        }
    }

    /// Takes an answer as it arrives, and gives the completion.
    #[must_use]
    pub fn stream(self) -> StreamReader {
        StreamReader::new(match self {
            Self::OpenAi => Partial::OpenAi(Box::default()),
            Self::Anthropic => Partial::Anthropic(anthropic::Partial::default()),
        })
    }
}
