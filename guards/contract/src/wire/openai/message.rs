//! The parts of a chat request.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::completion::{Completion, RawCall, ToolCall, is_blank};
use crate::offer::Tool;
use crate::view::Message;
use crate::wire::asked::Described;
use crate::wire::content::{self, Content, null_is_default};
use crate::wire::place::Place;
use crate::wire::reading::Unreadable;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Said {
    pub(super) role: Role,
    /// Written as `null` next to calls without text, as OpenAI itself does.
    #[serde(default)]
    pub(super) content: Option<Content<Piece>>,
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<Call>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tool_call_id: Option<Arc<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    System,
    Developer,
    User,
    Assistant,
    Tool,
    /// The result of a call of the old form, which is not read either.
    Function,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Piece {
    #[serde(rename = "type")]
    pub(super) kind: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<Arc<str>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Call {
    /// Empty if a provider gives none; the view then generates one.
    #[serde(default, deserialize_with = "null_is_default")]
    pub(super) id: Arc<str>,
    #[serde(rename = "type", default = "function")]
    pub(super) kind: Cow<'static, str>,
    /// Missing in a call of another type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) function: Option<Function>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Function {
    pub(super) name: Arc<str>,
    /// Any JSON, so that the check can name the broken rule if it is not a string.
    pub(super) arguments: Box<RawValue>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Offered {
    #[serde(rename = "type", default = "function")]
    pub(super) kind: Cow<'static, str>,
    /// Missing in a tool of another type, which the loop does not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) function: Option<OfferedFunction>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct OfferedFunction {
    pub(super) name: Arc<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) parameters: Option<Box<RawValue>>,
}

pub(super) fn function() -> Cow<'static, str> {
    "function".into()
}

impl Said {
    pub(super) fn instructions(text: &Arc<str>) -> Self {
        Self::text(Role::System, text)
    }

    pub(super) fn of(message: &Message) -> Self {
        match message {
            Message::User(text) => Self::text(Role::User, text),
            Message::Assistant(completion) => Self {
                tool_calls: completion.calls.iter().map(|call| Call::of(call)).collect(),
                ..Self::new(Role::Assistant, content_of(completion))
            },
            Message::Result { id, text, is_error: _ } => {
                Self { tool_call_id: Some(id.clone()), ..Self::text(Role::Tool, text) }
            }
        }
    }

    fn text(role: Role, text: &Arc<str>) -> Self {
        Self::new(role, Some(Content::Text(text.clone())))
    }

    fn new(role: Role, content: Option<Content<Piece>>) -> Self {
        Self { role, content, tool_calls: Vec::new(), tool_call_id: None }
    }

    pub(super) fn texts(&self) -> Vec<Arc<str>> {
        texts_of(self.content.as_ref())
    }

    /// The calls of a message in a request. Those of another type, which the loop does not run, are skipped.
    pub(super) fn raw_calls(&self, place: Place<'_>) -> Result<Vec<RawCall>, Unreadable> {
        let calls = self.tool_calls.iter().enumerate().filter(|(_, it)| it.is_of_function());
        calls.map(|(at, call)| call.raw_call(place.member("tool_calls").nth(at))).collect()
    }
}

/// One text becomes a string; several become parts, so that reading returns several.
pub(super) fn content_of(completion: &Completion) -> Option<Content<Piece>> {
    let texts: Vec<Arc<str>> = completion.texts().cloned().collect();
    match texts.as_slice() {
        [] => None,
        [text] => Some(Content::Text(text.clone())),
        many => Some(Content::Parts(
            many.iter().map(|text| Piece { kind: "text".into(), text: Some(text.clone()) }).collect(),
        )),
    }
}

pub(super) fn texts_of(content: Option<&Content<Piece>>) -> Vec<Arc<str>> {
    match content {
        None => Vec::new(),
        Some(Content::Text(text)) => vec![text.clone()],
        Some(Content::Parts(parts)) => parts
            .iter()
            .map(|part| part.text.clone().unwrap_or_else(|| format!("[{}]", part.kind).into()))
            .collect(),
    }
}

/// All calls of an answer, each of which has to be one of a function.
pub(super) fn raw_calls(calls: &[Call], place: Place<'_>) -> Result<Vec<RawCall>, Unreadable> {
    let raw = |(at, call): (usize, &Call)| call.raw_call(place.member("tool_calls").nth(at));
    calls.iter().enumerate().map(raw).collect()
}

impl Call {
    pub(super) fn of(call: &ToolCall) -> Self {
        Self::new(&call.id, &call.tool, &call.arguments)
    }

    pub(super) fn of_raw(call: &RawCall) -> Self {
        Self::new(&call.id, &call.tool, &call.arguments)
    }

    fn new(id: &Arc<str>, name: &Arc<str>, arguments: &str) -> Self {
        let arguments = to_raw_value(arguments).expect("a string is JSON");
        Self { id: id.clone(), kind: function(), function: Some(Function { name: name.clone(), arguments }) }
    }

    /// Whether it is a call of a function, or is meant to be one.
    pub(super) fn is_of_function(&self) -> bool {
        self.function.is_some() || self.kind == "function"
    }

    pub(super) fn raw_call(&self, place: Place<'_>) -> Result<RawCall, Unreadable> {
        let function = self.function.as_ref();
        let function = function.ok_or_else(|| Unreadable::new(place, "missing field `function`"))?;
        function.raw_call(&self.id, place.member("function"))
    }
}

impl Function {
    /// The arguments, if they are a string.
    pub(super) fn text(&self) -> Option<String> {
        serde_json::from_str(self.arguments.get()).ok()
    }

    /// The call of this function.
    pub(super) fn raw_call(&self, id: &str, place: Place<'_>) -> Result<RawCall, Unreadable> {
        let arguments = self.text().ok_or_else(|| {
            let found = content::excerpt(self.arguments.get());
            Unreadable::new(place.member("arguments"), format!("expected a string, found {found}"))
        })?;
        Ok(RawCall { id: id.into(), tool: self.name.clone(), arguments: arguments.into() })
    }
}

impl Offered {
    pub(super) fn of(tool: &Tool) -> Self {
        let function = OfferedFunction {
            name: tool.name.clone(),
            description: Some(tool.description.clone()).filter(|text| !is_blank(text)),
            parameters: Some(content::schema(tool)),
        };
        Self { kind: "function".into(), function: Some(function) }
    }

    pub(super) fn described(&self) -> Described {
        match &self.function {
            Some(OfferedFunction { name, description, parameters }) => {
                Described::function(name, description.as_ref(), parameters.as_deref().map(RawValue::get))
            }
            None => Described::hosted(&self.kind),
        }
    }
}
