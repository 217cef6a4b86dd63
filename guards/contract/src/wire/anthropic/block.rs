//! Blocks: the parts of a request and of an answer.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::own;
use crate::completion::{Completion, FinishReason, Part, RawCall, ToolCall, Usage, is_blank};
use crate::offer::{Offer, Tool};
use crate::view::Message;
use crate::wire::asked::Described;
use crate::wire::content::{self, Content};
use crate::wire::mark;
use crate::wire::place::Place;
use crate::wire::reading::Unreadable;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Said {
    pub(super) role: Role,
    pub(super) content: Content<Block>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    User,
    Assistant,
}

/// A block of any type, with the members of all types that are read here. Not an internally tagged enum: serde would
/// buffer it, and raw JSON does not survive the buffer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Block {
    #[serde(rename = "type")]
    pub(super) kind: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinking: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) signature: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) data: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_use_id: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<Content<Block>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_error: Option<bool>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Offered {
    /// [`OWN`] for the client's own tools, and so where there is none.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    kind: Option<Arc<str>>,
    /// Missing in a set of tools (`mcp_toolset`), which Anthropic runs itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<Arc<str>>,
    /// Missing in a tool that Anthropic runs itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) input_schema: Option<Box<RawValue>>,
}

/// The type of a client's own tools.
const OWN: &str = "custom";

impl Said {
    pub(super) fn new(role: Role, blocks: Vec<Block>) -> Self {
        Self { role, content: Content::Parts(blocks) }
    }

    /// The blocks; a plain string is one text block.
    pub(super) fn blocks(&self) -> Cow<'_, [Block]> {
        self.content.blocks()
    }
}

impl Content<Block> {
    pub(super) fn blocks(&self) -> Cow<'_, [Block]> {
        match self {
            Self::Text(text) => Cow::Owned(vec![Block::text(text)]),
            Self::Parts(parts) => Cow::Borrowed(parts),
        }
    }
}

/// The completion in the blocks at `place`. Blocks other than text, thinking and tool use belong to tools that the
/// provider runs itself, and are skipped.
pub(super) fn read_blocks(
    blocks: &[Block],
    place: Place<'_>,
    finish: FinishReason,
    usage: Usage,
    offer: &Offer,
) -> Result<Completion, Unreadable> {
    let mut parts = Vec::new();
    let mut calls = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        match &*block.kind {
            "text" => parts.extend(block.text.clone().map(Part::Text)),
            "thinking" => parts.push(Part::Thinking {
                text: block.thinking.clone().unwrap_or_default(),
                signature: block.signature.clone().filter(|it| !it.is_empty()),
            }),
            "redacted_thinking" => parts.push(own::redacted(block.data.as_deref().unwrap_or_default())),
            "tool_use" => calls.push(block.raw_call(place.nth(at))?),
            _ => {}
        }
    }
    Ok(Completion::new(parts, calls, finish, usage, offer))
}

impl Block {
    /// The blocks of a message in a request.
    pub(super) fn of(message: &Message) -> (Role, Vec<Self>) {
        match message {
            Message::User(text) => (Role::User, vec![Self::text(text)]),
            Message::Assistant(completion) => (Role::Assistant, Self::of_turn(completion)),
            Message::Result { id, text, is_error } => (Role::User, vec![Self::result(id, text, *is_error)]),
        }
    }

    pub(super) fn text(text: &Arc<str>) -> Self {
        Self { kind: "text".into(), text: Some(text.clone()), ..Self::default() }
    }

    pub(super) fn thinking(text: &Arc<str>, signature: &Arc<str>) -> Self {
        match own::unredact(text, signature) {
            Some(data) => {
                Self { kind: "redacted_thinking".into(), data: Some(data.into()), ..Self::default() }
            }
            None => Self {
                kind: "thinking".into(),
                thinking: Some(text.clone()),
                signature: Some(signature.clone()),
                ..Self::default()
            },
        }
    }

    pub(super) fn call(call: &ToolCall) -> Self {
        Self {
            kind: "tool_use".into(),
            id: Some(own::id(&call.id)),
            name: Some(call.tool.clone()),
            input: Some(mark::object(&call.arguments)),
            ..Self::default()
        }
    }

    pub(super) fn result(id: &Arc<str>, text: &Arc<str>, is_error: bool) -> Self {
        Self {
            kind: "tool_result".into(),
            tool_use_id: Some(own::id(id)),
            // Anthropic accepts a result without content, but no empty text.
            content: Some(Content::Text(text.clone())).filter(|_| !text.is_empty()),
            is_error: is_error.then_some(true),
            ..Self::default()
        }
    }

    /// The blocks of a completion in a request: signed thinking, text, calls. Thinking and text keep the model's
    /// order, because Anthropic compares it; but if the first block is not thinking, all thinking moves to the front.
    pub(super) fn of_turn(completion: &Completion) -> Vec<Self> {
        let mut blocks = Vec::with_capacity(completion.parts.len() + completion.calls.len());
        for part in &completion.parts {
            match part {
                Part::Text(text) => blocks.push(Self::text(text)),
                Part::Thinking { text, signature: Some(signature) } => {
                    blocks.push(Self::thinking(text, signature));
                }
                Part::Thinking { signature: None, .. } => {}
            }
        }
        if !blocks.first().is_some_and(Self::is_thinking) {
            blocks.sort_by_key(|block| !block.is_thinking());
        }
        blocks.extend(completion.calls.iter().map(|call| Self::call(call)));
        blocks
    }

    /// The blocks of a completion in a response, in its own order. Thinking without a signature gets an empty one, as
    /// compatible providers do.
    pub(super) fn of_answer(completion: &Completion) -> Vec<Self> {
        let part = |part: &Part| match part {
            Part::Text(text) => Self::text(text),
            Part::Thinking { text, signature } => {
                Self::thinking(text, &signature.clone().unwrap_or_default())
            }
        };
        let calls = completion.calls.iter().map(|call| Self::call(call));
        completion.parts.iter().map(part).chain(calls).collect()
    }

    pub(super) fn is_thinking(&self) -> bool {
        matches!(&*self.kind, "thinking" | "redacted_thinking")
    }

    pub(super) fn is_text(&self, text: &str) -> bool {
        self.kind == "text" && self.text.as_deref() == Some(text)
    }

    pub(super) fn raw_call(&self, place: Place<'_>) -> Result<RawCall, Unreadable> {
        let lacks = |member: &'static str, expected: &str, found: String| {
            Unreadable::new(place.member(member), format!("expected {expected}, found {found}"))
        };
        let nothing = || "nothing".to_owned();
        let id = self.id.as_deref().ok_or_else(|| lacks("id", "a string", nothing()))?;
        let tool = self.name.clone().ok_or_else(|| lacks("name", "a string", nothing()))?;
        let input = self.input.as_deref().ok_or_else(|| lacks("input", "an object", nothing()))?;
        if !content::is_object(input) {
            return Err(lacks("input", "an object", content::excerpt(input.get())));
        }
        Ok(RawCall { id: own::read_id(id), tool, arguments: mark::read_object(input.get()) })
    }

    /// A block of a user's message.
    pub(super) fn to_message(&self) -> Message {
        match &*self.kind {
            "tool_result" => Message::Result {
                id: own::read_id(self.tool_use_id.as_deref().unwrap_or_default()),
                text: self.result_text(),
                is_error: self.is_error.unwrap_or(false),
            },
            _ => Message::User(self.shown()),
        }
    }

    pub(super) fn result_text(&self) -> Arc<str> {
        match &self.content {
            None => "".into(),
            Some(Content::Text(text)) => text.clone(),
            Some(Content::Parts(parts)) => {
                content::one_text(&parts.iter().map(Self::shown).collect::<Vec<_>>())
            }
        }
    }

    /// The text, or the type in brackets if there is none.
    pub(super) fn shown(&self) -> Arc<str> {
        self.text.clone().unwrap_or_else(|| format!("[{}]", self.kind).into())
    }
}

impl Offered {
    pub(super) fn of(tool: &Tool) -> Self {
        Self {
            kind: None,
            name: Some(tool.name.clone()),
            description: Some(tool.description.clone()).filter(|text| !is_blank(text)),
            input_schema: Some(content::schema(tool)),
        }
    }

    /// Whether it is a tool of the client's own without a name, which is none.
    pub(super) fn lacks_name(&self) -> bool {
        self.name.is_none() && self.kind.as_deref().is_none_or(|it| it == OWN)
    }

    /// A tool of another type has its schema in its documentation, and Anthropic runs some of these itself.
    pub(super) fn described(&self) -> Described {
        let Some(name) = &self.name else { return Described::hosted(self.kind.as_deref().unwrap_or(OWN)) };
        let schema = self.input_schema.as_deref().map(RawValue::get);
        let by_provider = self.kind.as_deref().is_some_and(|kind| {
            let kinds = ["web_search_", "web_fetch_", "code_execution_", "tool_search_tool_"];
            kinds.iter().any(|it| kind.starts_with(it))
        });
        Described { by_provider, ..Described::function(name, self.description.as_ref(), schema) }
    }
}
