//! The dialects, and how each handles a view and a completion.

use super::asking::Asking;
use super::legal::Illegal;
use super::reading::Unreadable;
use super::refusal::Refusal;
use super::reply::{Form, Reply};
use super::seen::Seen;
use super::stream::{Partial, StreamReader};
use super::{anthropic, openai};
use crate::completion::Completion;
use crate::offer::Offer;
use crate::view::View;

/// A provider's format of requests and responses.
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

    /// The request that shows `view` to a model, as JSON text.
    #[must_use]
    pub fn request(self, view: &View, asking: &Asking) -> String {
        match self {
            Self::OpenAi => serde_json::to_string(&openai::Request::of(view, asking)),
            Self::Anthropic => serde_json::to_string(&anthropic::Request::of(view, asking)),
        }
        .expect("a request has string keys only")
    }

    /// What a request shows to the model. The effects of tools come from the offer, because no request carries them.
    ///
    /// # Errors
    /// The JSON is not a request of this dialect.
    pub fn seen(self, request: &str, offer: &Offer) -> Result<Seen, Unreadable> {
        match self {
            Self::OpenAi => openai::Request::parse(request)?.read(offer),
            Self::Anthropic => anthropic::Request::parse(request)?.read(offer),
        }
    }

    /// Whether a provider would accept the request: `Ok(Err(…))` names the first rule that it breaks.
    ///
    /// # Errors
    /// The JSON is not a request of this dialect.
    pub fn legal(self, request: &str) -> Result<Result<(), Illegal>, Unreadable> {
        match self {
            Self::OpenAi => openai::Request::parse(request).map(|it| it.legal()),
            Self::Anthropic => anthropic::Request::parse(request).map(|it| it.legal()),
        }
    }

    /// A completion as a response of `model`, as JSON text; `id` is the id of the response.
    #[must_use]
    pub fn response(self, completion: &Completion, id: &str, model: &str) -> String {
        match self {
            Self::OpenAi => serde_json::to_string(&openai::Response::of(completion, id, model)),
            Self::Anthropic => serde_json::to_string(&anthropic::Response::of(completion, id, model)),
        }
        .expect("a response has string keys only")
    }

    /// The completion in a response.
    ///
    /// # Errors
    /// The JSON is not a response of this dialect. For the loop, this is a transport failure.
    pub fn completion(self, response: &str, offer: &Offer) -> Result<Completion, Unreadable> {
        match self {
            Self::OpenAi => openai::Response::parse(response)?.read(offer),
            Self::Anthropic => anthropic::Response::parse(response)?.read(offer),
        }
    }

    /// The completion in what a server sent back, whole or as a stream.
    ///
    /// # Errors
    /// The server refused, or what it sent is not an answer of this dialect. None of that is the model's doing.
    pub fn answer(self, reply: &Reply, offer: &Offer) -> Result<Completion, Refusal> {
        if let Some(refusal) = reply.refusal() {
            return Err(refusal);
        }
        match reply.form {
            Form::Whole => self
                .completion(&reply.body, offer)
                .map_err(|it| Refusal::wrong(&format!("the answer cannot be read: {it}"))),
            Form::Stream => {
                let mut reader = self.stream();
                reader.feed(reply.body.as_bytes());
                reader.finish(offer).map_err(|broken| broken.refusal())
            }
        }
    }

    /// A reader that takes an answer as it arrives and returns the completion.
    #[must_use]
    pub fn stream(self) -> StreamReader {
        StreamReader::new(match self {
            Self::OpenAi => Partial::OpenAi(Box::default()),
            Self::Anthropic => Partial::Anthropic(anthropic::Partial::default()),
        })
    }
}
