//! OpenAI Responses.
//!
//! A conversation is a list of items: messages, calls, results, reasoning. Neighbouring items of the model are one
//! message of it. Reasoning is not sent back, because OpenAI takes it only under the id that it gave. No item says
//! that a call failed. A request that follows an earlier response (`previous_response_id`) has only what is new.
//!
//! A response has no word for why the model stopped, unless it is incomplete: one with calls stopped for them, any
//! other one came to its end. `error` as the reason of an incomplete response is Balk's own word. A tool of a
//! `namespace` is called by its name and that of the namespace, a `custom` tool with text in place of JSON.

use std::ops::Not;
use std::sync::Arc;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use serde_json::value::RawValue;

use super::asked::{Described, Head, Tools};
use super::asking::Asking;
use super::content::{self, Content, null_is_default};
use super::edit::Edit;
use super::legal::Illegal;
use super::names::{Called, Names};
use super::openai::choice;
use super::place::Place;
use super::reading::{self, Unreadable};
use super::seen::Seen;
use super::splice::Spot;
use crate::completion::is_blank;
use crate::offer::{Offer, Tool};
use crate::view::{Message, View};

use item::{Item, Items, Role};
use turn::Turn;

pub(super) mod amended;
mod events;
mod item;
mod legal;
mod merged;
mod response;
mod spliced;
mod stream;
mod turn;

pub use merged::merged;
pub use response::Response;
pub(super) use stream::Partial;

/// A request for a response.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    /// Missing where a template of OpenAI's own (`prompt`) names it.
    #[serde(default)]
    model: Option<Arc<str>>,
    #[serde(default, skip_serializing)]
    prompt: Option<IgnoredAny>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instructions: Option<Content<Item>>,
    #[serde(default)]
    input: Items,
    #[serde(default, skip_serializing)]
    previous_response_id: Option<Arc<str>>,
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Offered>,
    #[serde(default, skip_serializing)]
    tool_choice: Option<Content<choice::Object>>,
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Not::not")]
    stream: bool,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    temperature: Option<Number>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Offered {
    #[serde(rename = "type")]
    kind: Arc<str>,
    /// Missing in a tool that OpenAI runs itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parameters: Option<Box<RawValue>>,
    /// OpenAI would otherwise demand a schema of its strict form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
    /// The tools of a namespace.
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Self>,
}

impl Request {
    /// The request that shows `view` to a model, with all that was said before.
    #[must_use]
    pub fn of(view: &View, asking: &Asking) -> Self {
        let names = Names::default();
        let items = view.messages().iter().flat_map(|it| Item::of(it, &names));
        Self {
            model: Some(asking.model.clone()),
            prompt: None,
            instructions: asking.system().cloned().map(Content::Text),
            input: Items(Content::Parts(items.collect())),
            previous_response_id: None,
            tools: view.tools().map(Offered::of).collect(),
            tool_choice: None,
            stream: asking.stream,
            max_output_tokens: asking.max_tokens,
            temperature: asking.temperature.clone(),
        }
    }

    /// Reads JSON text.
    ///
    /// # Errors
    /// The text is not JSON, or lacks what a request needs; the error names the place.
    pub fn parse(json: &str) -> Result<Self, Unreadable> {
        let request: Self = reading::parse(json)?;
        if request.model.is_none() && request.prompt.is_none() {
            return Err(Unreadable::new(".", "missing field `model`"));
        }
        Ok(request)
    }

    /// The model asked for; empty if only OpenAI knows it.
    #[must_use]
    pub fn model(&self) -> &str {
        self.model.as_deref().unwrap_or_default()
    }

    /// Whether OpenAI would accept it.
    ///
    /// # Errors
    /// The first rule that it breaks, and where.
    pub fn legal(&self) -> Result<(), Illegal> {
        let names = self.tools.iter().map(|it| it.name.as_ref());
        legal::check(&self.input.all(), names, self.previous_response_id.is_some())
    }

    /// What it shows to the model. The effects of tools come from the offer, because no request carries them.
    ///
    /// # Errors
    /// A call has no name, no id, or no string as arguments.
    pub fn read(&self, offer: &Offer) -> Result<Seen, Unreadable> {
        Ok(Seen::shown(&self.messages(offer, &Names::default())?, self.tools()))
    }

    /// Its messages. A part that is not text (an image, a file) becomes its type in brackets. Items of other types
    /// belong to tools that the provider runs itself, or point to what it keeps; they are skipped.
    ///
    /// # Errors
    /// A call has no name, no id, or no string as arguments.
    pub(super) fn messages(&self, offer: &Offer, names: &Names) -> Result<Vec<Message>, Unreadable> {
        Ok(self.placed(offer, names)?.into_iter().map(|(_, message)| message).collect())
    }

    /// The request `text`, which this is, with these changes to its messages.
    ///
    /// # Errors
    /// A call has no name, no id, or no string as arguments, or an edit is for a message that does not exist or is
    /// another's.
    pub(super) fn spliced(&self, text: &str, edits: &[Edit]) -> Result<String, Unreadable> {
        let Tools { offer, names } = self.head().tools();
        spliced::request(text, &self.input.all(), &self.placed(&offer, &names)?, &names, edits)
    }

    /// Its messages, and where they are.
    fn placed(&self, offer: &Offer, names: &Names) -> Result<Vec<(Spot, Message)>, Unreadable> {
        let mut messages = Vec::new();
        let mut turn = Turn::default();
        for (at, item) in self.input.all().iter().enumerate() {
            let place = Place::new("input").nth(at);
            match (item.kind(), item.role) {
                ("message", Some(Role::Assistant)) => {
                    turn.reach(at);
                    turn.message(item);
                }
                ("message", Some(Role::User)) => {
                    messages.extend(turn.end(offer));
                    let part = |(part, text)| (Spot::part(at, part), Message::User(text));
                    messages.extend(item.texts().into_iter().enumerate().map(part));
                }
                ("message", Some(Role::System | Role::Developer)) => {}
                ("message", None) => {
                    return Err(Unreadable::new(place.member("role"), "expected a role, found nothing"));
                }
                ("function_call_output" | "custom_tool_call_output", _) => {
                    messages.extend(turn.end(offer));
                    let id = item.call_id.clone().unwrap_or_default();
                    let text = item.output.as_ref().map_or_else(|| "".into(), item::one_text);
                    messages.push((Spot::whole(at), Message::Result { id, text, is_error: false }));
                }
                _ => {
                    turn.reach(at);
                    turn.item(item, place, names)?;
                }
            }
        }
        messages.extend(turn.end(offer));
        Ok(messages)
    }

    /// The names of the functions on offer.
    pub(super) fn tools(&self) -> impl Iterator<Item = &Arc<str>> {
        self.tools.iter().filter(|it| &*it.kind == "function").filter_map(|it| it.name.as_ref())
    }

    /// What it says beside its messages.
    pub(super) fn head(&self) -> Head {
        let mut system: Vec<Arc<str>> = match &self.instructions {
            None => Vec::new(),
            Some(Content::Text(text)) => vec![text.clone()],
            Some(Content::Parts(items)) => items.iter().flat_map(Item::texts).collect(),
        };
        for item in self.input.all().iter().filter(|it| it.kind() == "message") {
            match item.role {
                Some(Role::System | Role::Developer) => system.extend(item.texts()),
                Some(Role::User | Role::Assistant) | None => {}
            }
        }
        let mut tools = Vec::new();
        for offered in &self.tools {
            offered.describe(None, &mut tools);
        }
        Head {
            model: self.model.clone().unwrap_or_default(),
            system,
            tools,
            choice: choice::of(self.tool_choice.as_ref()),
            stream: self.stream,
            include_usage: false,
            previous: self.previous_response_id.clone(),
        }
    }
}

impl Offered {
    fn of(tool: &Tool) -> Self {
        Self {
            kind: "function".into(),
            name: Some(tool.name.clone()),
            description: Some(tool.description.clone()).filter(|text| !is_blank(text)),
            parameters: Some(content::schema(tool)),
            strict: Some(false),
            tools: Vec::new(),
        }
    }

    /// Adds the tools that this is: several, if it is a namespace.
    fn describe(&self, namespace: Option<&Arc<str>>, tools: &mut Vec<Described>) {
        match (&*self.kind, &self.name) {
            ("namespace", name) => {
                for offered in &self.tools {
                    offered.describe(name.as_ref(), tools);
                }
            }
            ("function" | "custom", Some(name)) => {
                let is_custom = &*self.kind == "custom";
                let schema = self.parameters.as_deref().map(RawValue::get);
                let schema = if is_custom { Some(r#"{"type":"string"}"#) } else { schema };
                tools.push(Described {
                    called: Called { name: name.clone(), namespace: namespace.cloned(), is_custom },
                    ..Described::function(name, self.description.as_ref(), schema)
                });
            }
            (kind, _) => tools.push(Described::hosted(kind)),
        }
    }
}
