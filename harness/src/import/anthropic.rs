//! Anthropic messages: requests as they are sent, perhaps with the response to them.
//!
//! | block | becomes |
//! |---|---|
//! | `text` | text of the model, or a message of the user |
//! | `thinking` | thinking |
//! | `tool_use` | a call; its `input` as it was sent |
//! | `tool_result` | the result of the call with its `tool_use_id`; failed or fine if `is_error` is there |
//! | anything else (images, tools that the provider runs) | nothing: no guard reads it |

use std::borrow::Cow;
use std::sync::Arc;

use balk_guards::Status;
use balk_guards::wire::Dialect;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::content::{Blocks, Text, Word, arguments, lines_of, text_of};
use super::offered::{Entry, tools};
use super::parse::{parse, value};
use super::recording::{Joiner, Made, Of, Recording};
use super::sink::Sink;
use super::spent;
use super::streamed;
use super::strict::Object;

#[derive(Deserialize)]
struct Log<'a> {
    id: Option<Text>,
    model: Option<Text>,
    #[serde(borrow)]
    system: Option<Content<'a>>,
    tools: Option<Vec<Object<Entry>>>,
    #[serde(borrow)]
    messages: Option<Vec<Object<Message<'a>>>>,
    #[serde(borrow)]
    request: Option<Object<Request<'a>>>,
    #[serde(borrow)]
    response: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Request<'a> {
    model: Option<Text>,
    #[serde(borrow)]
    system: Option<Content<'a>>,
    tools: Option<Vec<Object<Entry>>>,
    #[serde(borrow)]
    messages: Vec<Object<Message<'a>>>,
}

/// A text, or blocks.
pub(super) type Content<'a> = Blocks<Block<'a>>;

/// A message of either side.
#[derive(Deserialize)]
pub(super) struct Message<'a> {
    pub(super) role: Role,
    #[serde(borrow)]
    pub(super) content: Content<'a>,
}

/// Who speaks.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    System,
    User,
    Assistant,
}

/// A part of a message.
#[derive(Deserialize)]
pub(super) struct Block<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Word<'a>,
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    thinking: Option<Cow<'a, str>>,
    id: Option<Text>,
    name: Option<Text>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    tool_use_id: Option<Text>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    is_error: Option<bool>,
}

impl Block<'_> {
    /// Whether it is what a tool answered.
    pub(super) fn is_result(&self) -> bool {
        self.kind.0 == "tool_result"
    }

    /// The text of it, if it is one that the other side reads.
    pub(super) fn words(&self) -> Option<&str> {
        self.text.as_deref().filter(|_| matches!(&*self.kind.0, "text" | ""))
    }
}

/// A part of what a tool answered.
#[derive(Deserialize)]
struct Inner<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Word<'a>>,
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
}

/// Reads one object: a request, or a pair of `request` and `response`.
///
/// # Errors
/// It is no such log, or a result is without a call.
pub(super) fn object(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let Log { id, model, system, tools: listed, messages, request, response } = parse(text)?;
    let mut joiner = Joiner::default();
    let (request, list) = match (messages, request) {
        (Some(messages), _) => (Request { model, system, tools: listed, messages }, "messages"),
        (None, Some(Object(request))) => {
            (Request { model: model.or(request.model), ..request }, "request.messages")
        }
        (None, None) => {
            return Err(BadLine::shape("line".into(), "expected `messages` or `request`, found neither"));
        }
    };
    if let Some(system) = request.system.and_then(|system| texts(&system)) {
        joiner.system(system);
    }
    for (at, Object(message)) in request.messages.into_iter().enumerate() {
        take(&mut joiner, message, |block| format!("{list}[{at}].content{block}"))?;
    }
    if let Some(response) = response.filter(|it| it.get() != "null") {
        answered(&mut joiner, response)?;
    }
    let text = |text: Option<Text>| text.map(|Text(text)| text).unwrap_or_default();
    let head = Recording {
        id: text(id),
        model: text(request.model),
        tools: tools(request.tools),
        ..Recording::default()
    };
    sink.recording(joiner.into(head));
    Ok(())
}

/// Reads a list of messages.
///
/// # Errors
/// It is no such list, or a result is without a call.
pub(super) fn list(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let mut joiner = Joiner::default();
    for (at, Object(message)) in value::<Vec<Object<Message>>>(text)?.into_iter().enumerate() {
        take(&mut joiner, message, |block| format!("[{at}].content{block}"))?;
    }
    sink.recording(joiner.finish());
    Ok(())
}

/// What a response has beside its message.
#[derive(Deserialize)]
struct Cost<'a> {
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

/// Takes a response: whole, or as the text of its events.
fn answered(joiner: &mut Joiner, response: &RawValue) -> Result<(), BadLine> {
    let text = response.get();
    if text.starts_with('"') {
        let events = value::<Cow<str>>(text).map_err(|bad| bad.below("response"))?;
        return streamed::take(joiner, Dialect::Anthropic, &events, || "response".to_owned());
    }
    let message = parse(text).map_err(|bad| bad.below("response"))?;
    take(joiner, message, |block| format!("response.content{block}"))?;
    let Cost { usage } = parse(text).map_err(|bad| bad.below("response"))?;
    joiner.used(spent::usage(usage));
    Ok(())
}

/// Takes one message; `place` says where a block of it is.
///
/// # Errors
/// A block lacks what its type needs, or is a result without a call.
pub(super) fn take(
    joiner: &mut Joiner,
    message: Message,
    place: impl Fn(&str) -> String,
) -> Result<(), BadLine> {
    match (message.role, message.content) {
        (Role::System, content) => joiner.system(texts(&content).unwrap_or_default()),
        (Role::User, Blocks::Text(text)) => joiner.user(text),
        (Role::User, Blocks::List(blocks)) => user(joiner, blocks, place)?,
        (Role::Assistant, content) => {
            let (thinking, text, calls) = said(content, place)?;
            joiner.assistant(thinking, text, calls);
        }
    }
    Ok(())
}

/// Thinking, text and calls of the model.
type Said = (Option<Arc<str>>, Option<Arc<str>>, Vec<Made>);

/// What the model said.
///
/// # Errors
/// A call without a name.
pub(super) fn said(content: Blocks<Block>, place: impl Fn(&str) -> String) -> Result<Said, BadLine> {
    let blocks = match content {
        Blocks::Text(text) => return Ok((None, Some(text), Vec::new())),
        Blocks::List(blocks) => blocks,
    };
    let mut calls = Vec::new();
    for (at, block) in blocks.iter().enumerate().filter(|(_, block)| block.kind.0 == "tool_use") {
        let name = block.name.clone().ok_or_else(|| {
            BadLine::shape(place(&format!("[{at}].name")), "expected the name of a tool, found none")
        })?;
        let id = block.id.clone().map(|Text(id)| id);
        calls.push(Made { id, tool: name.0, arguments: arguments(block.input) });
    }
    let thinking = lines_of(blocks.iter().filter_map(|block| block.thinking.as_deref()));
    Ok((thinking, texts(&Blocks::List(blocks)), calls))
}

/// Results come first, as the API demands; the texts beside them are one message of the user.
fn user(joiner: &mut Joiner, blocks: Vec<Block>, place: impl Fn(&str) -> String) -> Result<(), BadLine> {
    let mut is_answer = false;
    for (at, block) in blocks.iter().enumerate().filter(|(_, block)| block.is_result()) {
        is_answer = true;
        let place = |member| place(&format!("[{at}].{member}"));
        let id = block
            .tool_use_id
            .clone()
            .ok_or_else(|| BadLine::shape(place("tool_use_id"), "expected the id of a call, found none"))?;
        let status = match block.is_error {
            Some(true) => Status::Error,
            Some(false) => Status::Ok,
            None => Status::Unknown,
        };
        let text = match block.content {
            Some(content) => answer(content).map_err(|bad| bad.below(&place("content")))?,
            None => "".into(),
        };
        joiner.result(Of::Id(id.0), status, text, || place("tool_use_id"))?;
    }
    let text = texts(&Blocks::List(blocks));
    // Without text, it is what else the user showed. Blank text beside results is no message.
    if !is_answer || text.is_some() {
        joiner.user(text.unwrap_or_default());
    }
    Ok(())
}

/// The text of what a tool answered: a string, or a list of parts.
fn answer(content: &RawValue) -> Result<Arc<str>, BadLine> {
    Ok(match content.get().as_bytes()[0] {
        b'n' => "".into(),
        _ => match value::<Blocks<Inner>>(content.get())? {
            Blocks::Text(text) => text,
            // Values without a type are no parts of the API: they are the answer as the tool wrote it.
            Blocks::List(parts) if parts.iter().any(|part| part.kind.is_none() && part.text.is_none()) => {
                text_of(content)
            }
            Blocks::List(parts) => {
                lines_of(parts.iter().filter_map(|part| part.text.as_deref())).unwrap_or_default()
            }
        },
    })
}

/// The texts of a content that are for the eye.
fn texts(content: &Blocks<Block>) -> Option<Arc<str>> {
    match content {
        Blocks::Text(text) => Some(text.clone()),
        Blocks::List(blocks) => lines_of(blocks.iter().filter_map(Block::words)),
    }
}
