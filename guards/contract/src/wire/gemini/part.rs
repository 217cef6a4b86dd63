//! The parts of a request and of an answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::completion::{Completion, Part, RawCall, ToolCall};
use crate::view::Message;
use crate::wire::content::{self, null_is_default};
use crate::wire::mark;
use crate::wire::place::Place;
use crate::wire::reading::Unreadable;

/// A turn; without a role it is the user's.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Said {
    #[serde(deserialize_with = "null_is_default")]
    pub(super) role: Role,
    #[serde(deserialize_with = "null_is_default")]
    pub(super) parts: Vec<Piece>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    #[default]
    User,
    Model,
    /// The user's side with results, as older clients say it.
    Function,
}

/// A part of any kind, with the members of all kinds that are read here.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Piece {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<Arc<str>>,
    #[serde(deserialize_with = "null_is_default", skip_serializing_if = "std::ops::Not::not")]
    pub(super) thought: bool,
    #[serde(alias = "thought_signature", skip_serializing_if = "Option::is_none")]
    pub(super) thought_signature: Option<Arc<str>>,
    #[serde(alias = "function_call", skip_serializing_if = "Option::is_none")]
    pub(super) function_call: Option<Call>,
    #[serde(alias = "function_response", skip_serializing_if = "Option::is_none")]
    pub(super) function_response: Option<Answer>,
    #[serde(alias = "inline_data", skip_serializing)]
    inline_data: Option<IgnoredAny>,
    #[serde(alias = "file_data", skip_serializing)]
    file_data: Option<IgnoredAny>,
    #[serde(alias = "executable_code", skip_serializing)]
    executable_code: Option<IgnoredAny>,
    #[serde(alias = "code_execution_result", skip_serializing)]
    code_execution_result: Option<IgnoredAny>,
}

/// A call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Call {
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "str::is_empty")]
    pub(super) id: Arc<str>,
    pub(super) name: Arc<str>,
    #[serde(default)]
    args: Option<Box<RawValue>>,
}

/// The result of a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "str::is_empty")]
    pub(super) id: Arc<str>,
    pub(super) name: Arc<str>,
    #[serde(default)]
    response: Option<Box<RawValue>>,
}

/// A result's object with one member, whose name says whether the call failed.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Output(Arc<str>),
    Result(Arc<str>),
    /// Text or, from some clients, an object.
    Error(Box<RawValue>),
}

impl Piece {
    /// The parts of a message in a request. `names` has the tool of each call so far.
    pub(super) fn of(message: &Message, names: &BTreeMap<Arc<str>, Arc<str>>) -> (Role, Vec<Self>) {
        match message {
            Message::User(text) => (Role::User, vec![Self::text(text)]),
            Message::Assistant(completion) => {
                let calls = completion.calls.iter().map(|call| Self::call(call));
                (Role::Model, completion.texts().map(Self::text).chain(calls).collect())
            }
            Message::Result { id, text, is_error } => {
                let name = names.get(id).unwrap_or(id);
                (Role::User, vec![Self::result(id, name, text, *is_error)])
            }
        }
    }

    pub(super) fn text(text: &Arc<str>) -> Self {
        Self { text: Some(text.clone()), ..Self::default() }
    }

    /// Text, or thinking with its signature.
    pub(super) fn said(text: &Arc<str>, thought: bool, signature: Option<Arc<str>>) -> Self {
        Self { thought, thought_signature: signature, ..Self::text(text) }
    }

    pub(super) fn call(call: &ToolCall) -> Self {
        let args = Some(mark::object(&call.arguments));
        let call = Call { id: call.id.clone(), name: call.tool.clone(), args };
        Self { function_call: Some(call), ..Self::default() }
    }

    pub(super) fn result(id: &Arc<str>, name: &Arc<str>, text: &Arc<str>, is_error: bool) -> Self {
        let outcome = if is_error {
            Outcome::Error(to_raw_value(text).expect("a string is JSON"))
        } else {
            Outcome::Output(text.clone())
        };
        let response = Some(to_raw_value(&outcome).expect("a string is JSON"));
        let answer = Answer { id: id.clone(), name: name.clone(), response };
        Self { function_response: Some(answer), ..Self::default() }
    }

    /// A completion in a response, in its own order.
    pub(super) fn of_answer(completion: &Completion) -> Vec<Self> {
        let part = |part: &Part| match part {
            Part::Text(text) => Self::text(text),
            Part::Thinking { text, signature } => Self::said(text, true, signature.clone()),
        };
        let calls = completion.calls.iter().map(|call| Self::call(call));
        completion.parts.iter().map(part).chain(calls).collect()
    }

    /// Whether it is a call with an id.
    pub(super) fn has_id(&self) -> bool {
        self.function_call.as_ref().is_some_and(|it| !it.id.is_empty())
    }

    /// Leaves out the id.
    pub(super) fn forget_id(&mut self) {
        let call = self.function_call.as_mut().map(|it| &mut it.id);
        for id in call.into_iter().chain(self.function_response.as_mut().map(|it| &mut it.id)) {
            *id = "".into();
        }
    }

    /// Text or thinking; only thinking keeps its signature.
    pub(super) fn part(&self) -> Option<Part> {
        let text = self.text.clone()?;
        Some(if self.thought {
            Part::Thinking { text, signature: self.thought_signature.clone() }
        } else {
            Part::Text(text)
        })
    }

    /// The text, or the kind in brackets if there is none.
    pub(super) fn shown(&self) -> Arc<str> {
        let kinds = [
            ("inlineData", &self.inline_data),
            ("fileData", &self.file_data),
            ("executableCode", &self.executable_code),
            ("codeExecutionResult", &self.code_execution_result),
        ];
        let kind = kinds.iter().find(|(_, it)| it.is_some()).map_or("part", |(kind, _)| kind);
        self.text.clone().unwrap_or_else(|| format!("[{kind}]").into())
    }
}

impl Call {
    /// The call; `{}` where it has no arguments.
    pub(super) fn raw(&self, id: &Arc<str>, place: Place<'_>) -> Result<RawCall, Unreadable> {
        let arguments = match self.args() {
            Ok(args) => mark::read_object(args.map_or("{}", RawValue::get)),
            Err(args) => {
                let found = content::excerpt(args.get());
                let reason = format!("expected an object, found {found}");
                return Err(Unreadable::new(place.member("args"), reason));
            }
        };
        Ok(RawCall { id: id.clone(), tool: self.name.clone(), arguments })
    }

    /// The arguments; an error if they are not an object.
    pub(super) fn args(&self) -> Result<Option<&RawValue>, &RawValue> {
        match self.args.as_deref() {
            Some(args) if !content::is_object(args) => Err(args),
            args => Ok(args),
        }
    }
}

impl Answer {
    /// The text, and whether the call failed. An object with other members than one text is text as it was sent.
    pub(super) fn said(&self) -> (Arc<str>, bool) {
        let Some(response) = &self.response else { return ("".into(), false) };
        match serde_json::from_str(response.get()) {
            Ok(Outcome::Output(text) | Outcome::Result(text)) => (text, false),
            Ok(Outcome::Error(why)) => {
                let text: Option<String> = serde_json::from_str(why.get()).ok();
                (text.map_or_else(|| why.get().into(), Into::into), true)
            }
            Err(_) => (response.get().into(), false),
        }
    }
}
