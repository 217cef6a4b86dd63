//! OpenAI chat completions, not streamed.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::content::{Content, null_is_default};
use super::{Illegal, Seen, Unreadable};
use crate::completion::{Completion, FinishReason, Part, RawCall, ToolCall, Usage, is_blank};
use crate::offer::{Offer, Tool};
use crate::view::{Message, View};

mod legal;
mod response;

pub use response::Response;

/// A request for a completion.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    model: Arc<str>,
    messages: Vec<Said>,
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Offered>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Said {
    role: Role,
    /// Rendered as `null` beside calls without text, as OpenAI itself does.
    #[serde(default)]
    content: Option<Content<Piece>>,
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<Arc<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Role {
    System,
    Developer,
    User,
    Assistant,
    Tool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Piece {
    #[serde(rename = "type")]
    kind: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Arc<str>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Call {
    /// Empty where a provider gives none; the view then makes one up.
    #[serde(default, deserialize_with = "null_is_default")]
    id: Arc<str>,
    #[serde(rename = "type", default = "function")]
    kind: Cow<'static, str>,
    function: Function,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Function {
    name: Arc<str>,
    /// Any JSON, so that a request in which it is no string can be told which rule it breaks.
    arguments: Box<RawValue>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Offered {
    #[serde(rename = "type", default = "function")]
    kind: Cow<'static, str>,
    /// Missing in a tool of another type, which is not ours to call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    function: Option<OfferedFunction>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct OfferedFunction {
    name: Arc<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parameters: Option<Box<RawValue>>,
}

fn function() -> Cow<'static, str> {
    "function".into()
}

impl Request {
    /// The request that shows `view` to `model`.
    #[must_use]
    pub fn of(view: &View, model: &str) -> Self {
        Self {
            model: model.into(),
            messages: view.messages().iter().map(Said::of).collect(),
            tools: view.tools().map(Offered::of).collect(),
        }
    }

    /// Reads JSON text.
    ///
    /// # Errors
    /// Text that is no JSON, or lacks what a request needs; with the place.
    pub fn parse(json: &str) -> Result<Self, Unreadable> {
        super::parse(json)
    }

    /// The model asked for.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Whether OpenAI would take it.
    ///
    /// # Errors
    /// The first rule that it breaks, and where.
    pub fn legal(&self) -> Result<(), Illegal> {
        legal::check(self)
    }

    /// What it shows to the model. A part that is not text (an image, a file) is seen as its type in
    /// brackets. The offer says what a call of each tool can change, which no request carries.
    ///
    /// # Errors
    /// A call whose arguments are no string.
    pub fn read(&self, offer: &Offer) -> Result<Seen, Unreadable> {
        let mut messages = Vec::with_capacity(self.messages.len());
        for (at, said) in self.messages.iter().enumerate() {
            match said.role {
                Role::System | Role::Developer => {}
                Role::User => messages.extend(said.texts().into_iter().map(Message::User)),
                Role::Assistant => {
                    let completion = Completion::new(
                        said.texts().into_iter().map(Part::Text),
                        raw_calls(&said.tool_calls, &format!("messages[{at}]"))?,
                        FinishReason::NotGiven,
                        Usage::default(),
                        offer,
                    );
                    if completion.has_text() || !completion.calls.is_empty() {
                        messages.push(Message::Assistant(Arc::new(completion)));
                    }
                }
                Role::Tool => messages.push(Message::Result {
                    id: said.tool_call_id.clone().unwrap_or_default(),
                    text: super::content::one_text(&said.texts()),
                    is_error: false,
                }),
            }
        }
        let tools = self.tools.iter().filter_map(|it| Some(it.function.as_ref()?.name.clone())).collect();
        Ok(Seen { messages, tools })
    }
}

impl Said {
    fn of(message: &Message) -> Self {
        let said = |role, content| Self { role, content, tool_calls: Vec::new(), tool_call_id: None };
        match message {
            Message::User(text) => said(Role::User, Some(Content::Text(text.clone()))),
            Message::Assistant(completion) => Self {
                tool_calls: completion.calls.iter().map(|call| Call::of(call)).collect(),
                ..said(Role::Assistant, content_of(completion))
            },
            Message::Result { id, text, is_error: _ } => {
                Self { tool_call_id: Some(id.clone()), ..said(Role::Tool, Some(Content::Text(text.clone()))) }
            }
        }
    }

    fn texts(&self) -> Vec<Arc<str>> {
        texts_of(self.content.as_ref())
    }
}

/// One text is a string; several are parts, so that they come back as several.
fn content_of(completion: &Completion) -> Option<Content<Piece>> {
    let texts: Vec<Arc<str>> = completion.texts().cloned().collect();
    match texts.as_slice() {
        [] => None,
        [text] => Some(Content::Text(text.clone())),
        many => Some(Content::Parts(
            many.iter().map(|text| Piece { kind: "text".into(), text: Some(text.clone()) }).collect(),
        )),
    }
}

fn texts_of(content: Option<&Content<Piece>>) -> Vec<Arc<str>> {
    match content {
        None => Vec::new(),
        Some(Content::Text(text)) => vec![text.clone()],
        Some(Content::Parts(parts)) => parts
            .iter()
            .map(|part| part.text.clone().unwrap_or_else(|| format!("[{}]", part.kind).into()))
            .collect(),
    }
}

fn raw_calls(calls: &[Call], place: &str) -> Result<Vec<RawCall>, Unreadable> {
    let raw = |(at, call): (usize, &Call)| {
        let arguments = call.function.text().ok_or_else(|| {
            Unreadable::new(
                format!("{place}.tool_calls[{at}].function.arguments"),
                format!(
                    "expected a string, found {}",
                    super::content::excerpt(call.function.arguments.get())
                ),
            )
        })?;
        Ok(RawCall { id: call.id.clone(), tool: call.function.name.clone(), arguments: arguments.into() })
    };
    calls.iter().enumerate().map(raw).collect()
}

impl Call {
    fn of(call: &ToolCall) -> Self {
        let arguments = to_raw_value(&*call.arguments).expect("a string is JSON");
        Self {
            id: call.id.clone(),
            kind: function(),
            function: Function { name: call.tool.clone(), arguments },
        }
    }
}

impl Function {
    /// The arguments, where they are a string.
    fn text(&self) -> Option<String> {
        serde_json::from_str(self.arguments.get()).ok()
    }
}

impl Offered {
    fn of(tool: &Tool) -> Self {
        let function = OfferedFunction {
            name: tool.name.clone(),
            description: Some(tool.description.clone()).filter(|text| !is_blank(text)),
            parameters: Some(super::content::schema(tool)),
        };
        Self { kind: "function".into(), function: Some(function) }
    }
}
