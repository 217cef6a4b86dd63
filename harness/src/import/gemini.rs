//! Conversations in Gemini's own form (`contents` of `parts`; spec N1).
//!
//! | part | becomes |
//! |---|---|
//! | `text` | text of the model, or a message of the user; thinking if `thought` is set |
//! | `functionCall` | a call; its `args` as they were sent, `{}` where there are none |
//! | `functionResponse` | the result of the call with its id, or of the first open call of its name without an id |
//! | anything else (`inlineData`, `executableCode`, …) | nothing: no guard reads it |
//!
//! A response with an `error` failed. `output` alone is no success: commands that failed are reported in it, too.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use balk_guards::{Status, is_blank};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::content::{Text, arguments, lines_of, text_of};
use super::offered::{Entry, tools};
use super::parse::{parse, value};
use super::recording::{Joiner, Made, Of, Outcome, Recording};
use super::sink::Sink;
use super::strict::Object;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Log<'a> {
    id: Option<Text>,
    model: Option<Text>,
    outcome: Option<Outcome>,
    tools: Option<Vec<Object<Entry>>>,
    #[serde(borrow)]
    system_instruction: Option<Object<Content<'a>>>,
    /// The same in the case of the library for Python.
    #[serde(rename = "system_instruction", borrow)]
    library_instruction: Option<Object<Content<'a>>>,
    #[serde(borrow)]
    contents: Vec<Object<Content<'a>>>,
}

/// What one side said.
#[derive(Deserialize)]
pub(super) struct Content<'a> {
    #[serde(default)]
    role: Role,
    #[serde(borrow)]
    parts: Option<Vec<Object<Piece<'a>>>>,
}

/// The provider takes a missing role as `user`. `function` was the role of results in its first version.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    System,
    #[default]
    #[serde(alias = "function")]
    User,
    Model,
}

/// A part has one of these members.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Piece<'a> {
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    thought: Option<bool>,
    #[serde(borrow)]
    function_call: Option<Object<Call<'a>>>,
    #[serde(borrow)]
    function_response: Option<Object<Response<'a>>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    id: Option<Text>,
    name: Text,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Response<'a> {
    id: Option<Text>,
    name: Text,
    #[serde(borrow)]
    response: &'a RawValue,
}

/// Reads one object with `contents`.
///
/// # Errors
/// It is no such log, or a result is without a call.
pub(super) fn object(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let Log { id, model, outcome, tools: listed, system_instruction, library_instruction, contents } =
        parse(text)?;
    let mut joiner = Joiner::default();
    if let Some(Object(Content { parts, .. })) = system_instruction.or(library_instruction) {
        let texts = parts.iter().flatten().filter_map(|Object(piece)| piece.text.as_deref());
        joiner.system(lines_of(texts).unwrap_or_default());
    }
    for (at, Object(content)) in contents.into_iter().enumerate() {
        take(&mut joiner, content, |part| format!("contents[{at}].parts{part}"))?;
    }
    let text = |text: Option<Text>| text.map(|Text(text)| text).unwrap_or_default();
    let outcome = outcome.unwrap_or_default();
    let head =
        Recording { id: text(id), model: text(model), outcome, tools: tools(listed), ..Recording::default() };
    sink.recording(joiner.into(head));
    Ok(())
}

/// Reads a list of contents.
///
/// # Errors
/// It is no such list, or a result is without a call.
pub(super) fn list(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let mut joiner = Joiner::default();
    for (at, Object(content)) in value::<Vec<Object<Content>>>(text)?.into_iter().enumerate() {
        take(&mut joiner, content, |part| format!("[{at}].parts{part}"))?;
    }
    sink.recording(joiner.finish());
    Ok(())
}

/// Takes one content; `place` says where a part of it is.
///
/// # Errors
/// A response is no object, or is without a call.
fn take(joiner: &mut Joiner, content: Content, place: impl Fn(&str) -> String) -> Result<(), BadLine> {
    take_known(joiner, content, Status::Unknown, place)
}

/// The same, if it is known whether the tools failed whose responses are in it and do not say so themselves.
///
/// # Errors
/// A response is no object, or is without a call.
pub(super) fn take_known(
    joiner: &mut Joiner,
    content: Content,
    known: Status,
    place: impl Fn(&str) -> String,
) -> Result<(), BadLine> {
    let pieces: Vec<Piece> = content.parts.into_iter().flatten().map(|Object(piece)| piece).collect();
    match content.role {
        Role::System => {
            joiner.system(lines_of(pieces.iter().filter_map(|it| it.text.as_deref())).unwrap_or_default());
            Ok(())
        }
        Role::Model => {
            model(joiner, pieces);
            Ok(())
        }
        Role::User => user(joiner, pieces, known, place),
    }
}

fn model(joiner: &mut Joiner, pieces: Vec<Piece>) {
    let texts = |thought: bool| {
        let own = pieces.iter().filter(move |it| (it.thought == Some(true)) == thought);
        lines_of(own.filter_map(|it| it.text.as_deref()))
    };
    let (thinking, text) = (texts(true), texts(false));
    let calls = pieces.into_iter().filter_map(|it| it.function_call);
    let calls = calls.map(|Object(Call { id, name, args })| Made {
        id: id.map(|Text(id)| id),
        tool: name.0,
        arguments: arguments(args),
    });
    joiner.assistant(thinking, text, calls.collect());
}

fn user(
    joiner: &mut Joiner,
    pieces: Vec<Piece>,
    known: Status,
    place: impl Fn(&str) -> String,
) -> Result<(), BadLine> {
    let mut said = Vec::new();
    let mut is_answer = false;
    for (at, piece) in pieces.into_iter().enumerate() {
        said.extend(piece.text);
        let Some(Object(Response { id, name, response })) = piece.function_response else { continue };
        is_answer = true;
        let place = || place(&format!("[{at}].functionResponse"));
        let (status, text) = output(response)
            .ok_or_else(|| BadLine::shape(format!("{}.response", place()), "expected an object"))?;
        let status = if status == Status::Unknown { known } else { status };
        joiner.result(Of::Tool(id.map(|Text(id)| id), name.0), status, text, place)?;
    }
    let text = said.join("\n");
    // Without text, it is what else the user showed. Blank text beside results is no message.
    if !is_answer || !is_blank(&text) {
        joiner.user(text.into());
    }
    Ok(())
}

/// What a tool answered: its one member (`output`, `error`, …), or all of several. `None` if it is no object.
pub(super) fn output(response: &RawValue) -> Option<(Status, Arc<str>)> {
    let mut members: BTreeMap<Cow<str>, &RawValue> = serde_json::from_str(response.get()).ok()?;
    members.retain(|_, value| value.get() != "null");
    let is_error = members.get("error").is_some_and(|it| !matches!(it.get(), "false" | "\"\"" | "{}"));
    let text = match members.first_key_value() {
        Some((_, value)) if members.len() == 1 => text_of(value),
        Some(_) => text_of(response),
        None => "".into(),
    };
    Some((if is_error { Status::Error } else { Status::Unknown }, text))
}
