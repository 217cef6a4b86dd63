//! The dialects, and how each handles a view and a completion.

use super::amended::Amendment;
use super::answering::Answering;
use super::asked::{Asked, Tools};
use super::asking::Asking;
use super::edit::Edit;
use super::event::Event;
use super::legal::Illegal;
use super::reading::Unreadable;
use super::refusal::Refusal;
use super::reply::{Form, Reply};
use super::seen::Seen;
use super::stream::raw::{Raw, events};
use super::stream::{Partial, StreamReader};
use super::{anthropic, gemini, openai, responses};
use crate::completion::Completion;
use crate::offer::Offer;
use crate::view::View;

/// A provider's format of requests and responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    /// OpenAI chat completions.
    OpenAi,
    /// OpenAI Responses.
    Responses,
    /// Anthropic messages.
    Anthropic,
    /// Gemini's own form, `generateContent`.
    Gemini,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Responses, Self::Anthropic, Self::Gemini];

    /// The request that shows `view` to a model, as JSON text.
    #[must_use]
    pub fn request(self, view: &View, asking: &Asking) -> String {
        match self {
            Self::OpenAi => serde_json::to_string(&openai::Request::of(view, asking)),
            Self::Responses => serde_json::to_string(&responses::Request::of(view, asking)),
            Self::Anthropic => serde_json::to_string(&anthropic::Request::of(view, asking)),
            Self::Gemini => serde_json::to_string(&gemini::Request::of(view, asking)),
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
            Self::Responses => responses::Request::parse(request)?.read(offer),
            Self::Anthropic => anthropic::Request::parse(request)?.read(offer),
            Self::Gemini => gemini::Request::parse(request)?.read(offer),
        }
    }

    /// The request, as a server needs it.
    ///
    /// # Errors
    /// The JSON is not a request of this dialect.
    pub fn asked(self, request: &str) -> Result<Asked, Unreadable> {
        self.asked_with(request, None)
    }

    /// The request with these tools, and without a look at the provider's rules; else with its own tools.
    pub(super) fn asked_with(self, request: &str, tools: Option<Tools>) -> Result<Asked, Unreadable> {
        match self {
            Self::OpenAi => {
                let request = openai::Request::parse(request)?;
                let legal = || request.legal();
                Asked::of(request.head(), tools, legal, |it| request.messages(&it.offer))
            }
            Self::Responses => {
                let request = responses::Request::parse(request)?;
                let legal = || request.legal();
                Asked::of(request.head(), tools, legal, |it| request.messages(&it.offer, &it.names))
            }
            Self::Anthropic => {
                let request = anthropic::Request::parse(request)?;
                let legal = || request.legal();
                Asked::of(request.head(), tools, legal, |it| request.messages(&it.offer))
            }
            Self::Gemini => {
                let request = gemini::Request::parse(request)?;
                let legal = || request.legal();
                Asked::of(request.head(), tools, legal, |it| request.messages(&it.offer))
            }
        }
    }

    /// Whether a provider would accept the request: `Ok(Err(…))` names the first rule that it breaks.
    ///
    /// # Errors
    /// The JSON is not a request of this dialect.
    pub fn legal(self, request: &str) -> Result<Result<(), Illegal>, Unreadable> {
        match self {
            Self::OpenAi => openai::Request::parse(request).map(|it| it.legal()),
            Self::Responses => responses::Request::parse(request).map(|it| it.legal()),
            Self::Anthropic => anthropic::Request::parse(request).map(|it| it.legal()),
            Self::Gemini => gemini::Request::parse(request).map(|it| it.legal()),
        }
    }

    /// The request with these changes to its messages, as JSON text. What no edit touches stays byte for byte: all
    /// members beside the list of messages, and in that list every element that gets nothing in it. Where an element
    /// has several messages (results and texts in Anthropic's messages and in Gemini's contents), its other blocks and
    /// members stay as they are when a message comes between them.
    ///
    /// New messages are written as [`request`](Self::request) writes them, with the names that the request's tools
    /// have there. If the request met the provider's rules, and the edits make sense (no two messages of the assistant
    /// in a row, a result for every call after it), the new one does as well. For Gemini, calls and results have ids if
    /// those of the request do. Without, the ids in `edits` are those that [`asked`](Self::asked) gives, and a new
    /// result comes behind one that answers an earlier call of the same tool, because the order alone says which call
    /// a result answers.
    ///
    /// # Errors
    /// The JSON is not a request of this dialect, or an edit is for a message that does not exist, is not the
    /// assistant's, or is already replaced or extended by another edit.
    pub fn spliced(self, request: &str, edits: &[Edit]) -> Result<String, Unreadable> {
        match self {
            Self::OpenAi => openai::Request::parse(request)?.spliced(request, edits),
            Self::Responses => responses::Request::parse(request)?.spliced(request, edits),
            Self::Anthropic => anthropic::Request::parse(request)?.spliced(request, edits),
            Self::Gemini => gemini::Request::parse(request)?.spliced(request, edits),
        }
    }

    /// A completion as a response, as JSON text.
    #[must_use]
    pub fn response(self, completion: &Completion, answering: &Answering) -> String {
        match self {
            Self::OpenAi => serde_json::to_string(&openai::Response::of(completion, answering)),
            Self::Responses => serde_json::to_string(&responses::Response::of(completion, answering)),
            Self::Anthropic => serde_json::to_string(&anthropic::Response::of(completion, answering)),
            Self::Gemini => serde_json::to_string(&gemini::Response::of(completion, answering)),
        }
        .expect("a response has string keys only")
    }

    /// A completion as the events of a streamed response, in order. [`stream`](Self::stream) reads them.
    #[must_use]
    pub fn events(self, completion: &Completion, answering: &Answering) -> Vec<Event> {
        match self {
            Self::OpenAi => openai::Response::of(completion, answering).events(answering),
            Self::Responses => responses::Response::of(completion, answering).events(answering),
            Self::Anthropic => anthropic::Response::of(completion, answering).events(answering),
            Self::Gemini => gemini::Response::of(completion, answering).events(answering),
        }
    }

    /// The completion in a response.
    ///
    /// # Errors
    /// The JSON is not a response of this dialect. For the loop, this is a transport failure.
    pub fn completion(self, response: &str, offer: &Offer) -> Result<Completion, Unreadable> {
        match self {
            Self::OpenAi => openai::Response::parse(response)?.read(offer),
            Self::Responses => responses::Response::parse(response)?.read(offer),
            Self::Anthropic => anthropic::Response::parse(response)?.read(offer),
            Self::Gemini => gemini::Response::parse(response)?.read(offer),
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
        self.read(reply.form, &reply.body, offer)
    }

    /// The completion in the body of an answer.
    fn read(self, form: Form, body: &str, offer: &Offer) -> Result<Completion, Refusal> {
        match form {
            Form::Whole => self
                .completion(body, offer)
                .map_err(|it| Refusal::wrong(&format!("the answer cannot be read: {it}"))),
            Form::Stream => {
                let mut reader = self.stream();
                reader.feed(body.as_bytes());
                reader.finish(offer).map_err(|broken| broken.refusal())
            }
        }
    }

    /// The answer `body` with these changes. Every item, block, part or call of it that is not changed stays byte for
    /// byte, with all its members; in a stream, every event of these does, except for its indices and numbers, which
    /// are continuous again.
    ///
    /// `None` if that cannot be done, because the answer has another form than its provider's own, because its client
    /// has too much of it, or because what is asked for has no place in it. What is returned was read again, and says
    /// all that was asked for.
    #[must_use]
    pub fn amended(
        self,
        form: Form,
        body: &str,
        change: &Amendment,
        answering: &Answering,
    ) -> Option<String> {
        let read = |body: &str| self.read(form, body, &Offer::default()).ok();
        let before = read(body)?;
        let amended = match form {
            Form::Whole => match self {
                Self::OpenAi => openai::amended::whole(body, change, answering),
                Self::Responses => responses::amended::whole(body, change, answering),
                Self::Anthropic => anthropic::amended::whole(body, change, answering),
                Self::Gemini => gemini::amended::whole(body, change, answering),
            },
            Form::Stream => {
                let events: Vec<Raw<'_>> = events(body).collect();
                match self {
                    Self::OpenAi => openai::amended::stream(&events, change, answering),
                    Self::Responses => responses::amended::stream(&events, change, answering),
                    Self::Anthropic => anthropic::amended::stream(&events, change, answering),
                    Self::Gemini => gemini::amended::stream(&events, change, answering),
                }
            }
        }?;
        let stays = |sent: &[u8]| amended.as_bytes().starts_with(sent);
        let stays = form == Form::Whole || body.as_bytes().get(..change.sent).is_some_and(stays);
        let is_done = stays && change.is_done(&before, &read(&amended)?, &answering.names);
        is_done.then_some(amended)
    }

    /// A reader that takes an answer as it arrives and returns the completion.
    #[must_use]
    pub fn stream(self) -> StreamReader {
        StreamReader::new(match self {
            Self::OpenAi => Partial::OpenAi(Box::default()),
            Self::Responses => Partial::Responses(Box::default()),
            Self::Anthropic => Partial::Anthropic(anthropic::Partial::default()),
            Self::Gemini => Partial::Gemini(gemini::Partial::default()),
        })
    }
}
