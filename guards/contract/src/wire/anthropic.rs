//! Anthropic messages.

use std::ops::Not;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::asked::{Choice, Head, Tools};
use super::asking::Asking;
use super::content::{Content, null_is_default};
use super::edit::Edit;
use super::legal::Illegal;
use super::mark;
use super::place::Place;
use super::reading::{self, Unreadable};
use super::seen::Seen;
use super::splice::Spot;
use crate::completion::{FinishReason, Usage};
use crate::offer::Offer;
use crate::view::{Message, View};

use block::{Block, Offered, Role, Said, read_blocks};

pub(super) mod amended;
mod block;
mod events;
mod legal;
mod own;
mod response;
mod spliced;
mod stream;

pub use response::Response;
pub(super) use stream::Partial;

/// A request for a completion.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    model: Arc<str>,
    #[serde(default)]
    max_tokens: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    system: Option<Content<Block>>,
    messages: Vec<Said>,
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Offered>,
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Not::not")]
    stream: bool,
    #[serde(default, skip_serializing)]
    tool_choice: Option<ToolChoice>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    temperature: Option<Number>,
}

#[derive(Clone, Debug, Deserialize)]
struct ToolChoice {
    #[serde(rename = "type")]
    kind: Arc<str>,
    #[serde(default)]
    name: Option<Arc<str>>,
}

/// The token limit for one answer where the client gives none: Anthropic requires one, and all its models accept this.
const MAX_TOKENS: u64 = 4096;

impl Request {
    /// The request that shows `view` to a model.
    #[must_use]
    pub fn of(view: &View, asking: &Asking) -> Self {
        let mut messages: Vec<Said> = Vec::new();
        if view.messages().first().is_some_and(mark::needs_opening) {
            messages.push(Said::new(Role::User, vec![Block::text(&mark::OPENING.into())]));
        }
        for message in view.messages() {
            let (role, blocks) = Block::of(message);
            match messages.last_mut() {
                Some(Said { role: last, content: Content::Parts(parts) }) if *last == role => {
                    parts.extend(blocks);
                }
                Some(_) | None => messages.push(Said::new(role, blocks)),
            }
        }
        Self {
            model: asking.model.clone(),
            max_tokens: asking.max_tokens.unwrap_or(MAX_TOKENS),
            system: asking.system().cloned().map(Content::Text),
            messages,
            tools: view.tools().map(Offered::of).collect(),
            stream: asking.stream,
            tool_choice: None,
            temperature: asking.temperature.clone(),
        }
    }

    /// Reads JSON text.
    ///
    /// # Errors
    /// The text is not JSON, or lacks what a request needs; the error names the place.
    pub fn parse(json: &str) -> Result<Self, Unreadable> {
        let request: Self = reading::parse(json)?;
        match request.tools.iter().position(Offered::lacks_name) {
            Some(at) => Err(Unreadable::new(Place::new("tools").nth(at), "missing field `name`")),
            None => Ok(request),
        }
    }

    /// The model asked for.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Whether Anthropic would accept it.
    ///
    /// # Errors
    /// The first rule that it breaks, and where.
    pub fn legal(&self) -> Result<(), Illegal> {
        legal::check(&self.messages, &self.tools)
    }

    /// What it shows to the model. The effects of tools come from the offer, because no request carries them.
    ///
    /// # Errors
    /// A call has no name, no id, or no object as input.
    pub fn read(&self, offer: &Offer) -> Result<Seen, Unreadable> {
        Ok(Seen::shown(&self.messages(offer)?, self.tools()))
    }

    /// Its messages. A block that is not text (an image, a document) becomes its type in brackets.
    ///
    /// # Errors
    /// A call has no name, no id, or no object as input.
    pub(super) fn messages(&self, offer: &Offer) -> Result<Vec<Message>, Unreadable> {
        Ok(self.placed(offer)?.into_iter().map(|(_, message)| message).collect())
    }

    /// The request `text`, which this is, with these changes to its messages.
    ///
    /// # Errors
    /// A call has no name, no id, or no object as input, or an edit is for a message that does not exist or is
    /// another's.
    pub(super) fn spliced(&self, text: &str, edits: &[Edit]) -> Result<String, Unreadable> {
        let Tools { offer, names } = self.head().tools();
        spliced::request(text, &self.messages, &self.placed(&offer)?, &names, edits)
    }

    /// Its messages, and where they are.
    fn placed(&self, offer: &Offer) -> Result<Vec<(Spot, Message)>, Unreadable> {
        let mut messages = Vec::with_capacity(self.messages.len());
        for (at, said) in self.messages.iter().enumerate() {
            let blocks = said.blocks();
            match said.role {
                Role::User => {
                    let opening = at == 0 && blocks.first().is_some_and(|it| it.is_text(mark::OPENING));
                    let part = |(part, block): (usize, &Block)| (Spot::part(at, part), block.to_message());
                    messages.extend(blocks.iter().enumerate().skip(usize::from(opening)).map(part));
                }
                Role::Assistant => {
                    let completion = read_blocks(
                        &blocks,
                        Place::new("messages").nth(at).member("content"),
                        FinishReason::NotGiven,
                        Usage::default(),
                        offer,
                    )?;
                    if completion.has_text() || !completion.calls.is_empty() {
                        messages.push((Spot::whole(at), Message::Assistant(Arc::new(completion))));
                    }
                }
            }
        }
        Ok(messages)
    }

    /// The names of the tools on offer.
    pub(super) fn tools(&self) -> impl Iterator<Item = &Arc<str>> {
        self.tools.iter().filter_map(|it| it.name.as_ref())
    }

    /// What it says beside its messages.
    pub(super) fn head(&self) -> Head {
        let system = self.system.iter().flat_map(|it| it.blocks().into_owned());
        Head {
            model: self.model.clone(),
            system: system.filter_map(|it| it.text).collect(),
            tools: self.tools.iter().map(Offered::described).collect(),
            choice: self.tool_choice.as_ref().map(ToolChoice::choice).unwrap_or_default(),
            stream: self.stream,
            ..Head::default()
        }
    }
}

impl ToolChoice {
    fn choice(&self) -> Choice {
        match &*self.kind {
            "none" => Choice::Forbidden,
            "any" => Choice::Required,
            "tool" => Choice::Named(self.name.iter().cloned().collect()),
            _ => Choice::Free,
        }
    }
}
