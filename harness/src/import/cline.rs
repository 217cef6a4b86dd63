//! Histories of Cline and Roo Code: Anthropic messages, with a time each.
//!
//! | file | of |
//! |---|---|
//! | `tasks/ID/api_conversation_history.json`: a list of messages | Cline, Roo Code |
//! | `session.messages.json`: `messages` of a `sessionId` | the SDK of Cline |
//!
//! Blocks of the API are read as [`anthropic`] does. Older histories have the calls in the text, as XML. Such a call is
//! taken where both ends agree: the next message names the tool in `[NAME …] Result:`, and the last element with this
//! name in the answer is the call. Its children are the arguments. Everything else is text.

use std::sync::Arc;

use balk_guards::Status;
use serde::Deserialize;
use serde_json::Map;
use serde_json::value::RawValue;

use super::anthropic::{self, Content, Message, Role};
use super::bad::BadLine;
use super::content::{Blocks, Text};
use super::parse::{parse, value};
use super::recording::{Joiner, Made, Of, Recording};
use super::sink::Sink;
use super::spent::{moment, usage};
use super::strict::Object;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Session<'a> {
    session_id: Option<Text>,
    #[serde(rename = "system_prompt")]
    system_prompt: Option<Text>,
    #[serde(borrow)]
    messages: Vec<Object<Entry<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    role: Role,
    #[serde(borrow)]
    content: Content<'a>,
    model_info: Option<Object<Model>>,
    #[serde(borrow)]
    ts: Option<&'a RawValue>,
    #[serde(borrow)]
    metrics: Option<&'a RawValue>,
}

/// The model of an answer: `id` in Cline's SDK, `modelId` in its extension.
#[derive(Deserialize)]
struct Model {
    id: Option<Text>,
    #[serde(rename = "modelId")]
    model_id: Option<Text>,
}

/// Reads a session of the SDK.
///
/// # Errors
/// It is none, or a result is without a call.
pub(super) fn session(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let Session { session_id, system_prompt, messages } = parse(text)?;
    let mut joiner = Joiner::default();
    if let Some(Text(text)) = system_prompt {
        joiner.system(text);
    }
    let model = take(&mut joiner, messages, "messages")?;
    let id = session_id.map(|Text(id)| id).unwrap_or_default();
    sink.recording(joiner.into(Recording { id, model, ..Recording::default() }));
    Ok(())
}

/// Reads a history: a list of messages.
///
/// # Errors
/// It is none, or a result is without a call.
pub(super) fn history(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let mut joiner = Joiner::default();
    let model = take(&mut joiner, value(text)?, "")?;
    sink.recording(joiner.into(Recording { model, ..Recording::default() }));
    Ok(())
}

fn take(joiner: &mut Joiner, entries: Vec<Object<Entry>>, list: &str) -> Result<Arc<str>, BadLine> {
    let mut model: Arc<str> = "".into();
    let mut entries = entries.into_iter().map(|Object(entry)| entry).enumerate().peekable();
    while let Some((at, entry)) = entries.next() {
        let Entry { role, content, model_info, ts, metrics } = entry;
        joiner.at(moment(ts));
        if let Some(Text(id)) = model_info.and_then(|Object(it)| it.id.or(it.model_id)) {
            model = id;
        }
        let place = |block: &str| format!("{list}[{at}].content{block}");
        let answered = match (role, entries.peek()) {
            (Role::Assistant, Some((_, next))) if next.role == Role::User => named(&next.content),
            (Role::Assistant | Role::User | Role::System, _) => None,
        };
        let Some(tool) = answered else {
            anthropic::take(joiner, Message { role, content }, place)?;
            if role == Role::Assistant {
                joiner.used(usage(metrics));
            }
            continue;
        };
        let (thinking, text, mut calls) = anthropic::said(content, place)?;
        let call = text.as_deref().filter(|_| calls.is_empty()).and_then(|text| xml(text, &tool));
        let Some((before, arguments)) = call else {
            joiner.assistant(thinking, text, calls);
            continue;
        };
        calls.push(Made { id: None, tool: tool.into(), arguments: arguments.into() });
        joiner.assistant(thinking, Some(before.into()).filter(|it: &Arc<str>| !it.is_empty()), calls);
        if let Some((_, Entry { content, .. })) = entries.next() {
            results(joiner, content)?;
        }
    }
    Ok(model)
}

/// The tool that the first text of a message names as the one it has the result of.
fn named(content: &Content) -> Option<String> {
    let first = match content {
        Blocks::Text(text) => Some(&**text),
        Blocks::List(blocks) => blocks.iter().find_map(anthropic::Block::words),
    };
    header(first?).map(|(tool, _)| tool.to_owned())
}

/// The tool in `[NAME …] Result:`, and what comes after that.
fn header(text: &str) -> Option<(&str, &str)> {
    let (inside, after) = text.strip_prefix('[')?.split_once("] Result:")?;
    if inside.contains('\n') {
        return None;
    }
    let tool = inside.split(' ').next()?;
    (!tool.is_empty()).then_some((tool, after))
}

/// The last element with this name: what comes before it, and its children as an object of JSON.
fn xml(text: &str, tool: &str) -> Option<(String, String)> {
    let (open, close) = (format!("<{tool}>"), format!("</{tool}>"));
    let start = text.rfind(&open)?;
    let inside = &text[start + open.len()..];
    let mut rest = &inside[..inside.find(&close)?];
    let mut arguments = Map::new();
    while let Some((_, after)) = rest.split_once('<') {
        let (name, after) = after.split_once('>')?;
        let (value, after) = after.split_once(&format!("</{name}>"))?;
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = value.strip_suffix('\n').unwrap_or(value);
        arguments.insert(name.to_owned(), value.into());
        rest = after;
    }
    let before = text[..start].trim_end().to_owned();
    Some((before, serde_json::to_string(&arguments).expect("all keys are strings")))
}

/// Takes the message with the result of a call in XML: a header, the result behind it or in the next block, and
/// perhaps more that the program says.
fn results(joiner: &mut Joiner, content: Content) -> Result<(), BadLine> {
    let texts: Vec<&str> = match &content {
        Blocks::Text(text) => vec![text],
        Blocks::List(blocks) => blocks.iter().filter_map(anthropic::Block::words).collect(),
    };
    let mut rest = texts.into_iter();
    let after = rest.next().and_then(header).map_or("", |(_, after)| after.trim());
    let text = match after {
        "" => rest.next().map_or("", str::trim),
        after => after,
    };
    joiner.result(Of::Next, Status::Unknown, text.into(), String::new)?;
    let said: Vec<&str> = rest.filter(|it| !it.trim().is_empty()).collect();
    if !said.is_empty() {
        joiner.user(said.join("\n").into());
    }
    Ok(())
}
