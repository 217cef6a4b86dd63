//! OpenAI chat completions.

use std::ops::Not;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::asked::{Head, Tools};
use super::asking::Asking;
use super::content::{self, Content, null_is_default};
use super::edit::Edit;
use super::legal::Illegal;
use super::place::Place;
use super::reading::{self, Unreadable};
use super::seen::Seen;
use super::splice::Spot;
use crate::completion::{Completion, FinishReason, Part, Usage};
use crate::offer::Offer;
use crate::view::{Message, View};

use message::{Offered, Role, Said};

pub(super) mod amended;
pub(super) mod choice;
mod chunks;
mod legal;
mod message;
mod response;
mod spliced;
mod stream;

pub use response::Response;
pub(super) use stream::Partial;

/// A request for a completion.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    model: Arc<str>,
    messages: Vec<Said>,
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Offered>,
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Not::not")]
    stream: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(default, skip_serializing)]
    tool_choice: Option<Content<choice::Object>>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    temperature: Option<Number>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct StreamOptions {
    #[serde(default, deserialize_with = "null_is_default")]
    include_usage: bool,
}

impl Request {
    /// The request that shows `view` to a model. The last chunk of a streamed answer has the token counts.
    #[must_use]
    pub fn of(view: &View, asking: &Asking) -> Self {
        let system = asking.system().map(Said::instructions);
        Self {
            model: asking.model.clone(),
            messages: system.into_iter().chain(view.messages().iter().map(Said::of)).collect(),
            tools: view.tools().map(Offered::of).collect(),
            stream: asking.stream,
            stream_options: asking.stream.then_some(StreamOptions { include_usage: true }),
            tool_choice: None,
            max_tokens: asking.max_tokens.filter(|_| !asking.max_completion_tokens),
            max_completion_tokens: asking.max_tokens.filter(|_| asking.max_completion_tokens),
            temperature: asking.temperature.clone(),
            seed: asking.seed,
        }
    }

    /// Reads JSON text.
    ///
    /// # Errors
    /// The text is not JSON, or lacks what a request needs; the error names the place.
    pub fn parse(json: &str) -> Result<Self, Unreadable> {
        reading::parse(json)
    }

    /// The model asked for.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Whether OpenAI would accept it.
    ///
    /// # Errors
    /// The first rule that it breaks, and where.
    pub fn legal(&self) -> Result<(), Illegal> {
        legal::check(&self.messages, &self.tools)
    }

    /// What it shows to the model. The effects of tools come from the offer, because no request carries them.
    ///
    /// # Errors
    /// The arguments of a call are not a string.
    pub fn read(&self, offer: &Offer) -> Result<Seen, Unreadable> {
        Ok(Seen::shown(&self.messages(offer)?, self.tools()))
    }

    /// Its messages, without instructions. A part that is not text (an image, a file) becomes its type in brackets.
    ///
    /// # Errors
    /// The arguments of a call are not a string.
    pub(super) fn messages(&self, offer: &Offer) -> Result<Vec<Message>, Unreadable> {
        Ok(self.placed(offer)?.into_iter().map(|(_, message)| message).collect())
    }

    /// The request `text`, which this is, with these changes to its messages.
    ///
    /// # Errors
    /// The arguments of a call are not a string, or an edit is for a message that does not exist or is another's.
    pub(super) fn spliced(&self, text: &str, edits: &[Edit]) -> Result<String, Unreadable> {
        let Tools { offer, names } = self.head().tools();
        spliced::request(text, &self.messages, &self.placed(&offer)?, &names, edits)
    }

    /// Its messages, and where they are.
    fn placed(&self, offer: &Offer) -> Result<Vec<(Spot, Message)>, Unreadable> {
        let mut messages = Vec::with_capacity(self.messages.len());
        for (at, said) in self.messages.iter().enumerate() {
            match said.role {
                Role::System | Role::Developer | Role::Function => {}
                Role::User => {
                    let part = |(part, text)| (Spot::part(at, part), Message::User(text));
                    messages.extend(said.texts().into_iter().enumerate().map(part));
                }
                Role::Assistant => {
                    let completion = Completion::new(
                        said.texts().into_iter().map(Part::Text),
                        said.raw_calls(Place::new("messages").nth(at))?,
                        FinishReason::NotGiven,
                        Usage::default(),
                        offer,
                    );
                    if completion.has_text() || !completion.calls.is_empty() {
                        messages.push((Spot::whole(at), Message::Assistant(Arc::new(completion))));
                    }
                }
                Role::Tool => {
                    let id = said.tool_call_id.clone().unwrap_or_default();
                    let text = content::one_text(&said.texts());
                    messages.push((Spot::whole(at), Message::Result { id, text, is_error: false }));
                }
            }
        }
        Ok(messages)
    }

    /// The names of the functions on offer.
    pub(super) fn tools(&self) -> impl Iterator<Item = &Arc<str>> {
        self.tools.iter().filter_map(|it| Some(&it.function.as_ref()?.name))
    }

    /// What it says beside its messages.
    pub(super) fn head(&self) -> Head {
        let is_system = |it: &&Said| match it.role {
            Role::System | Role::Developer => true,
            Role::User | Role::Assistant | Role::Tool | Role::Function => false,
        };
        Head {
            model: self.model.clone(),
            system: self.messages.iter().filter(is_system).flat_map(Said::texts).collect(),
            tools: self.tools.iter().map(Offered::described).collect(),
            choice: choice::of(self.tool_choice.as_ref()),
            stream: self.stream,
            include_usage: self.stream_options.is_some_and(|it| it.include_usage),
            previous: None,
        }
    }
}
