//! Conversations in Gemini's own form (`contents` of `parts`), as entries (spec N1).
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
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use balk_guards::{
    Completion, FinishReason, Offer, Part, RawCall, Speaker, Status, Usage, UserMessage, is_blank,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::join::Joiner;
use super::strict::Object;

/// What one side said.
#[derive(Deserialize)]
pub(super) struct Content {
    #[serde(default)]
    role: Role,
    parts: Option<Vec<Object<Piece>>>,
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
struct Piece {
    text: Option<Arc<str>>,
    thought: Option<bool>,
    function_call: Option<Object<Call>>,
    function_response: Option<Object<Response>>,
}

#[derive(Deserialize)]
struct Call {
    id: Option<Arc<str>>,
    name: Arc<str>,
    args: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Response {
    id: Option<Arc<str>>,
    name: Arc<str>,
    response: Box<RawValue>,
}

/// The names of the called tools, in order.
pub(super) fn names(contents: &[Object<Content>]) -> impl Iterator<Item = &Arc<str>> {
    let pieces = contents.iter().flat_map(|Object(content)| content.parts.iter().flatten());
    pieces.filter_map(|Object(piece)| piece.function_call.as_ref().map(|Object(call)| &call.name))
}

/// Takes contents in order. Calls without an id get one: their place.
#[derive(Default)]
pub(super) struct Contents {
    /// The calls without an id that no result came for, in order, by the name in the recording.
    open: BTreeMap<Arc<str>, VecDeque<Arc<str>>>,
    /// The last call without an id, by that name.
    last: BTreeMap<Arc<str>, Arc<str>>,
}

impl Contents {
    pub(super) fn take(
        &mut self,
        joiner: &mut Joiner,
        at: usize,
        content: Content,
        offer: &Offer,
    ) -> Result<(), BadLine> {
        let pieces = content.parts.into_iter().flatten().map(|Object(piece)| piece);
        match content.role {
            // As in `messages`, a system prompt is not something that happened.
            Role::System => Ok(()),
            Role::Model => {
                self.model(joiner, at, pieces, offer);
                Ok(())
            }
            Role::User => self.user(joiner, at, pieces),
        }
    }

    fn model(&mut self, joiner: &mut Joiner, at: usize, pieces: impl Iterator<Item = Piece>, offer: &Offer) {
        self.open.clear();
        let (mut parts, mut calls) = (Vec::new(), Vec::new());
        for (n, piece) in pieces.enumerate() {
            let is_thought = piece.thought == Some(true);
            parts.extend(piece.text.map(|text| match is_thought {
                true => Part::Thinking { text, signature: None },
                false => Part::Text(text),
            }));
            calls.extend(piece.function_call.map(|Object(call)| self.call(format!("{at}.{n}"), call, offer)));
        }
        joiner.assistant(at, Completion::new(parts, calls, FinishReason::NotGiven, Usage::default(), offer));
    }

    fn call(&mut self, place: String, call: Call, offer: &Offer) -> RawCall {
        let Call { id, name, args } = call;
        let id = id.filter(|id| !id.is_empty()).unwrap_or_else(|| {
            let id: Arc<str> = place.into();
            self.open.entry(name.clone()).or_default().push_back(id.clone());
            self.last.insert(name.clone(), id.clone());
            id
        });
        let arguments = args.map_or("{}".into(), |args| args.get().into());
        let tool = offer.by_original(&name).map_or(name, |tool| tool.name.clone());
        RawCall { id, tool, arguments }
    }

    fn user(
        &mut self,
        joiner: &mut Joiner,
        at: usize,
        pieces: impl Iterator<Item = Piece>,
    ) -> Result<(), BadLine> {
        let mut said = Vec::new();
        let mut is_answer = false;
        for (n, piece) in pieces.enumerate() {
            said.extend(piece.text);
            let Some(Object(Response { id, name, response })) = piece.function_response else { continue };
            is_answer = true;
            let place = || format!("contents[{at}].parts[{n}].functionResponse");
            let (status, text) = output(&response)
                .ok_or_else(|| BadLine::shape(format!("{}.response", place()), "expected an object"))?;
            let id = id.filter(|id| joiner.has_call(id)).or_else(|| self.of_name(&name));
            joiner.result(at, id.as_ref().unwrap_or(&name), status, text, place)?;
        }
        let text = said.join("\n");
        // Without text, it is what else the user showed. Blank text beside results is no message.
        if !is_answer || !is_blank(&text) {
            joiner.user(at, UserMessage { from: Speaker::User, text: text.into() });
        }
        Ok(())
    }

    /// The id of the call without one that a result of `name` belongs to; of one that has its result, if none waits.
    fn of_name(&mut self, name: &str) -> Option<Arc<str>> {
        let waiting = self.open.get_mut(name).and_then(VecDeque::pop_front);
        waiting.or_else(|| self.last.get(name).cloned())
    }
}

/// What a tool answered: its one member (`output`, `error`, …), or all of several. `None` if it is no object.
fn output(response: &RawValue) -> Option<(Status, Arc<str>)> {
    let mut members: BTreeMap<String, &RawValue> = serde_json::from_str(response.get()).ok()?;
    members.retain(|_, value| value.get() != "null");
    let is_error = members.get("error").is_some_and(|it| !matches!(it.get(), "false" | "\"\"" | "{}"));
    let text = match members.first_key_value() {
        Some((_, value)) if members.len() == 1 => text_of(value),
        Some(_) => response.get().into(),
        None => "".into(),
    };
    Some((if is_error { Status::Error } else { Status::Unknown }, text.into()))
}

/// A string as its text, and any other value as it was sent.
fn text_of(value: &RawValue) -> Cow<'_, str> {
    serde_json::from_str::<String>(value.get()).map_or(Cow::Borrowed(value.get()), Cow::Owned)
}

#[cfg(test)]
mod tests;
