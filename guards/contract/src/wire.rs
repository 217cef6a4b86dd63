//! The wire: a view as a provider's request, a completion as a provider's response, and both back again.
//!
//! A scripted actor behind HTTP must decide as it does in process. So whatever a [`View`] shows travels in
//! every dialect and comes back as the same [`Seen`], byte for byte where it is text. What differs between
//! the dialects is settled here:
//!
//! - Thinking, finish reason, usage and the error flag of a result are not part of what is seen
//!   ([`Message::neutral`]). An Anthropic request carries signed thinking and `is_error` all the same;
//!   OpenAI chat has no place for either. Thinking without a signature is in no request: Anthropic refuses it.
//! - Instructions to the model (the system prompt) are not part of a view, and are skipped on reading.
//! - Several texts of one completion are an array of text parts in OpenAI chat, and a single one a string.
//! - Anthropic takes an object as arguments. Arguments that are none, or have white space around them,
//!   travel as an object with one marked member and are unwrapped on reading; arguments that happen to be
//!   such an object are wrapped once more. Ids and an opening by the assistant are marked in the same way.
//! - An object travels as raw JSON: key order, repeated keys, numbers of any length and inner white space
//!   survive. They do not survive a detour over [`serde_json::Value`]; keep the text where that matters.
//!
//! Members that a dialect has and this module does not know are ignored on reading. To add some to a request
//! (a temperature, a system prompt), put the request in a struct of your own under `#[serde(flatten)]`.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;

use crate::completion::Completion;
use crate::offer::Offer;
use crate::view::{Message, View};

pub mod anthropic;
mod content;
mod legal;
pub mod openai;

pub use legal::{Illegal, Rule};

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
}

/// What a request shows to the model: equal for the same view in every dialect, and in process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The messages, in their neutral form.
    pub messages: Vec<Message>,
    /// The names of the tools offered now.
    pub tools: Vec<Arc<str>>,
}

impl Seen {
    /// What a view shows, without the detour over a request.
    #[must_use]
    pub fn of(view: &View) -> Self {
        Self {
            messages: view.messages().iter().map(Message::neutral).collect(),
            tools: view.tools().map(|tool| tool.name.clone()).collect(),
        }
    }
}

/// JSON that is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Where, as a path: `choices[0].message.tool_calls[1].id`; `.` is the whole.
    pub place: String,
    /// What was expected there, and what was found.
    pub reason: String,
}

impl Unreadable {
    fn new(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { place: place.into(), reason: reason.into() }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

impl std::error::Error for Unreadable {}

/// Reads JSON text, and names the place where it is not what `T` needs.
fn parse<'de, T: Deserialize<'de>>(json: &'de str) -> Result<T, Unreadable> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let read = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| Unreadable::new(error.path().to_string(), error.inner().to_string()))?;
    deserializer.end().map_err(|error| Unreadable::new(".", error.to_string()))?;
    Ok(read)
}
