//! Items: the parts of a request and of an answer.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::completion::{Completion, FinishReason, Part, ToolCall};
use crate::view::Message;
use crate::wire::content::{self, Content, null_is_default};
use crate::wire::names::{Called, Names};

/// An item of any type, with the members of all types that are read here.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Item {
    /// Empty in a message whose type is left out.
    #[serde(rename = "type", deserialize_with = "null_is_default", skip_serializing_if = "str::is_empty")]
    pub(super) kind: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<Cow<'static, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) role: Option<Role>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) summary: Option<Vec<Piece>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<Content<Piece>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) encrypted_content: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) call_id: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) namespace: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<Arc<str>>,
    /// A string in a call of a function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arguments: Option<Box<RawValue>>,
    /// A string in a call of a custom tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output: Option<Content<Piece>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    System,
    Developer,
    User,
    Assistant,
}

/// A part of a message, of a result, or of reasoning.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Piece {
    #[serde(rename = "type")]
    pub(super) kind: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<Arc<str>>,
    /// The model's text when it refuses to answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refusal: Option<Arc<str>>,
    /// Always empty, and always there beside text of the model.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    annotations: Option<[(); 0]>,
}

/// The items of a request; a string is one message of the user.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Items(pub(super) Content<Item>);

impl Default for Items {
    fn default() -> Self {
        Self(Content::Parts(Vec::new()))
    }
}

impl Items {
    pub(super) fn all(&self) -> Cow<'_, [Item]> {
        match &self.0 {
            Content::Text(text) => Cow::Owned(vec![Item::message(Role::User, Content::Text(text.clone()))]),
            Content::Parts(items) => Cow::Borrowed(items),
        }
    }
}

impl Item {
    /// A message in a request.
    pub(super) fn of(message: &Message, names: &Names) -> Vec<Self> {
        match message {
            Message::User(text) => vec![Self::message(Role::User, Content::Text(text.clone()))],
            Message::Assistant(completion) => {
                let texts: Vec<&Arc<str>> = completion.texts().collect();
                let content = match texts.as_slice() {
                    [] => None,
                    [text] => Some(Content::Text(Arc::clone(text))),
                    many => Some(Content::Parts(many.iter().map(|text| Piece::output(text)).collect())),
                };
                let said = content.map(|it| Self::message(Role::Assistant, it));
                let calls = completion.calls.iter().map(|call| Self::call(call, names));
                said.into_iter().chain(calls).collect()
            }
            Message::Result { id, text, is_error: _ } => vec![Self {
                kind: "function_call_output".into(),
                call_id: Some(id.clone()),
                output: Some(Content::Text(text.clone())),
                ..Self::default()
            }],
        }
    }

    /// The items of a completion in the response with this id, in its own order.
    pub(super) fn of_answer(completion: &Completion, id: &str, names: &Names) -> Vec<Self> {
        let part = |part: &Part| match part {
            Part::Text(text) => Self::message(Role::Assistant, Content::Parts(vec![Piece::output(text)])),
            Part::Thinking { text, signature } => Self {
                kind: "reasoning".into(),
                summary: Some(if text.is_empty() { vec![] } else { vec![Piece::of("summary_text", text)] }),
                encrypted_content: signature.clone(),
                ..Self::default()
            },
        };
        let calls = completion.calls.iter().map(|call| Self::call(call, names));
        // The limit cuts the last one.
        let count = completion.parts.len() + completion.calls.len();
        let is_cut = |at| completion.finish == FinishReason::Length && at + 1 == count;
        let numbered = |(at, item): (usize, Self)| {
            let status = Some(if is_cut(at) { "incomplete" } else { "completed" }.into());
            let (prefix, status) = match &*item.kind {
                "message" => ("msg", status),
                "reasoning" => ("rs", None),
                "custom_tool_call" => ("ctc", status),
                _ => ("fc", status),
            };
            Self { id: Some(format!("{prefix}_{id}_{at}").into()), status, ..item }
        };
        completion.parts.iter().map(part).chain(calls).enumerate().map(numbered).collect()
    }

    pub(super) fn message(role: Role, content: Content<Piece>) -> Self {
        Self { kind: "message".into(), role: Some(role), content: Some(content), ..Self::default() }
    }

    fn call(call: &ToolCall, names: &Names) -> Self {
        let text = Some(to_raw_value(&*call.arguments).expect("a string is JSON"));
        let called = names.called(&call.tool).cloned();
        let Called { name, namespace, is_custom } = called.unwrap_or_else(|| Called::function(&call.tool));
        let call = Self { call_id: Some(call.id.clone()), namespace, name: Some(name), ..Self::default() };
        if is_custom {
            Self { kind: "custom_tool_call".into(), input: text, ..call }
        } else {
            Self { kind: "function_call".into(), arguments: text, ..call }
        }
    }

    /// The type; a message may leave it out.
    pub(super) fn kind(&self) -> &str {
        if self.kind.is_empty() { "message" } else { &self.kind }
    }

    /// The texts of a message.
    pub(super) fn texts(&self) -> Vec<Arc<str>> {
        match &self.content {
            None => Vec::new(),
            Some(Content::Text(text)) => vec![text.clone()],
            Some(Content::Parts(parts)) => parts.iter().map(Piece::shown).collect(),
        }
    }

    /// Whether a message has the words of a refusal.
    pub(super) fn refuses(&self) -> bool {
        match &self.content {
            None | Some(Content::Text(_)) => false,
            Some(Content::Parts(parts)) => parts.iter().any(|it| it.refusal.is_some()),
        }
    }

    /// The thinking of a reasoning item: its summary, or else the thoughts themselves.
    pub(super) fn thinking(&self) -> String {
        let of = |pieces: &[Piece]| {
            let texts: Vec<&str> = pieces.iter().filter_map(|it| it.text.as_deref()).collect();
            texts.join("\n\n")
        };
        let summary = of(self.summary.as_deref().unwrap_or_default());
        match &self.content {
            Some(Content::Parts(thoughts)) if summary.is_empty() => of(thoughts),
            _ => summary,
        }
    }

    /// Whether it is a call of the client's.
    pub(super) fn is_call(&self) -> bool {
        matches!(self.kind(), "function_call" | "custom_tool_call")
    }

    /// Whether the provider runs it itself.
    pub(super) fn is_of_provider(&self) -> bool {
        let kinds = [
            "web_search_call",
            "file_search_call",
            "code_interpreter_call",
            "image_generation_call",
            "mcp_call",
        ];
        kinds.contains(&&*self.kind)
    }
}

impl Piece {
    pub(super) fn of(kind: &'static str, text: &Arc<str>) -> Self {
        Self { kind: kind.into(), text: Some(text.clone()), ..Self::default() }
    }

    /// Text of the model.
    pub(super) fn output(text: &Arc<str>) -> Self {
        Self { annotations: Some([]), ..Self::of("output_text", text) }
    }

    pub(super) fn refusal(text: &Arc<str>) -> Self {
        Self { kind: "refusal".into(), refusal: Some(text.clone()), ..Self::default() }
    }

    /// The text, or the type in brackets if there is none.
    fn shown(&self) -> Arc<str> {
        let text = self.text.as_ref().or(self.refusal.as_ref());
        text.cloned().unwrap_or_else(|| format!("[{}]", self.kind).into())
    }
}

/// The text of a result.
pub(super) fn one_text(output: &Content<Piece>) -> Arc<str> {
    match output {
        Content::Text(text) => text.clone(),
        Content::Parts(parts) => content::one_text(&parts.iter().map(Piece::shown).collect::<Vec<_>>()),
    }
}
