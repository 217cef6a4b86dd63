//! Gemini's own form (`generateContent`, `streamGenerateContent`). Its OpenAI-compatible endpoint speaks the dialect
//! [`openai`](super::openai) instead.
//!
//! | part of an answer | becomes |
//! |---|---|
//! | `text` | text; thinking if `thought` is set |
//! | `functionCall` | a call; its `args` as they were sent, `{}` where there are none |
//! | anything else (`executableCode`, `inlineData`, …) | nothing: the provider ran or made it |
//!
//! `STOP` is also the reason of an answer with calls, so such an answer ends with [`FinishReason::ToolCall`].
//!
//! The model, and whether the answer is to be a stream, are in the path of a request and not in the request. A result
//! names its tool, and has its text in `output`, or in `error` if the call failed. A signature is read and written of
//! thinking alone; of a call it is part of nothing that Balk keeps, and newer models refuse calls without it. A turn
//! that [`Dialect::spliced`](super::Dialect::spliced) puts into a request has one that says that the model did not make
//! it; in an answer that is [amended](super::Dialect::amended), those of the provider stay.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::asked::{Choice, Described, Head, Tools};
use super::asking::Asking;
use super::content::null_is_default;
use super::edit::Edit;
use super::legal::Illegal;
use super::mark;
use super::place::Place;
use super::reading::{self, Unreadable};
use super::seen::Seen;
use super::splice::Spot;
use crate::completion::{Completion, FinishReason, Part, Usage};
use crate::offer::Offer;
use crate::view::{Message, View};

use offered::{Declaration, Group};
use part::{Piece, Role, Said};
use turns::Turns;

mod added;
pub(super) mod amended;
mod events;
mod legal;
mod offered;
mod part;
mod response;
mod spliced;
mod stream;
mod turns;

pub use response::Response;
pub(super) use stream::Partial;

/// A request for a completion.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    contents: Vec<Said>,
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Group>,
    #[serde(default, alias = "tool_config", skip_serializing)]
    tool_config: Option<ToolConfig>,
    #[serde(default, alias = "system_instruction", skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Instruction>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    generation_config: Option<Settings>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Instruction {
    #[serde(default, deserialize_with = "null_is_default")]
    parts: Vec<Piece>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolConfig {
    #[serde(default, alias = "function_calling_config", deserialize_with = "null_is_default")]
    function_calling_config: Calling,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Calling {
    #[serde(deserialize_with = "null_is_default")]
    mode: Arc<str>,
    #[serde(alias = "allowed_function_names", deserialize_with = "null_is_default")]
    allowed_function_names: Vec<Arc<str>>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Settings {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
}

impl Request {
    /// The request that shows `view` to a model. The results of one turn are one turn, as Gemini demands.
    #[must_use]
    pub fn of(view: &View, asking: &Asking) -> Self {
        let mut contents: Vec<Said> = Vec::new();
        if view.messages().first().is_some_and(mark::needs_opening) {
            contents.push(Said { role: Role::User, parts: vec![Piece::text(&mark::OPENING.into())] });
        }
        let mut names = BTreeMap::new();
        let mut answers = false;
        for message in view.messages() {
            if let Message::Assistant(completion) = message {
                names.extend(completion.calls.iter().map(|call| (call.id.clone(), call.tool.clone())));
            }
            let (role, parts) = Piece::of(message, &names);
            let is_result = matches!(message, Message::Result { .. });
            match contents.last_mut() {
                Some(last) if is_result && answers => last.parts.extend(parts),
                Some(_) | None => contents.push(Said { role, parts }),
            }
            answers = is_result;
        }
        let declarations: Vec<Declaration> = view.tools().map(Declaration::of).collect();
        let group = Group { function_declarations: declarations, hosted: Vec::new() };
        let settings = Settings {
            max_output_tokens: asking.max_tokens,
            temperature: asking.temperature.clone(),
            seed: asking.seed,
        };
        Self {
            contents,
            tools: if group.function_declarations.is_empty() { Vec::new() } else { vec![group] },
            tool_config: None,
            system_instruction: asking.system().map(|text| Instruction { parts: vec![Piece::text(text)] }),
            generation_config: Some(settings).filter(|it| *it != Settings::NONE),
        }
    }

    /// Reads JSON text.
    ///
    /// # Errors
    /// The text is not JSON, or lacks what a request needs; the error names the place.
    pub fn parse(json: &str) -> Result<Self, Unreadable> {
        reading::parse(json)
    }

    /// Whether Gemini would accept it.
    ///
    /// # Errors
    /// The first rule that it breaks, and where.
    pub fn legal(&self) -> Result<(), Illegal> {
        legal::check(&self.contents, &self.tools)
    }

    /// What it shows to the model. The effects of tools come from the offer, because no request carries them.
    ///
    /// # Errors
    /// The arguments of a call are not an object.
    pub fn read(&self, offer: &Offer) -> Result<Seen, Unreadable> {
        Ok(Seen::shown(&self.messages(offer)?, self.tools()))
    }

    /// Its messages. A part that is neither text nor a result becomes its kind in brackets. A call without an id gets
    /// one of its position. A result without an id, or in a turn whose calls have none, answers the first open call of
    /// its tool.
    ///
    /// # Errors
    /// The arguments of a call are not an object.
    pub(super) fn messages(&self, offer: &Offer) -> Result<Vec<Message>, Unreadable> {
        Ok(self.placed(offer)?.into_iter().map(|(_, message)| message).collect())
    }

    /// The request `text`, which this is, with these changes to its messages.
    ///
    /// # Errors
    /// The arguments of a call are not an object, or an edit is for a message that does not exist or is another's.
    pub(super) fn spliced(&self, text: &str, edits: &[Edit]) -> Result<String, Unreadable> {
        let Tools { offer, names } = self.head().tools();
        spliced::request(text, &self.contents, &self.placed(&offer)?, &names, edits)
    }

    /// Its messages, and where they are.
    fn placed(&self, offer: &Offer) -> Result<Vec<(Spot, Message)>, Unreadable> {
        let mut messages = Vec::with_capacity(self.contents.len());
        let mut turns = Turns::default();
        for (at, said) in self.contents.iter().enumerate() {
            match said.role {
                Role::User | Role::Function => {
                    let first = said.parts.first().and_then(|it| it.text.as_deref());
                    let opening = at == 0 && first == Some(mark::OPENING);
                    let parts = said.parts.iter().enumerate().skip(usize::from(opening));
                    messages.extend(parts.map(|(part, it)| (Spot::part(at, part), turns.of_user(it))));
                }
                Role::Model => {
                    let calls =
                        turns.of_model(&said.parts, Place::new("contents").nth(at).member("parts"))?;
                    let parts: Vec<Part> = said.parts.iter().filter_map(Piece::part).collect();
                    let (finish, usage) = (FinishReason::NotGiven, Usage::default());
                    let completion = Completion::new(parts, calls, finish, usage, offer);
                    if completion.has_text() || !completion.calls.is_empty() {
                        messages.push((Spot::whole(at), Message::Assistant(completion.into())));
                    }
                }
            }
        }
        Ok(messages)
    }

    /// The names of the tools on offer.
    pub(super) fn tools(&self) -> impl Iterator<Item = &Arc<str>> {
        self.tools.iter().flat_map(|it| &it.function_declarations).map(|it| &it.name)
    }

    /// What it says beside its messages.
    pub(super) fn head(&self) -> Head {
        let system = self.system_instruction.iter().flat_map(|it| &it.parts);
        let tools = self.tools.iter().flat_map(|group| {
            let described = |it: &Declaration| {
                Described::function(&it.name, it.description.as_ref(), it.schema().map(|it| it.get()))
            };
            let functions = group.function_declarations.iter().map(described);
            functions.chain(group.hosted.iter().map(|name| Described::hosted(name)))
        });
        Head {
            system: system.filter_map(|it| it.text.clone()).collect(),
            tools: tools.collect(),
            choice: self
                .tool_config
                .as_ref()
                .map(|it| it.function_calling_config.choice())
                .unwrap_or_default(),
            ..Head::default()
        }
    }
}

impl Settings {
    const NONE: Self = Self { max_output_tokens: None, temperature: None, seed: None };
}

impl Calling {
    fn choice(&self) -> Choice {
        let only = &self.allowed_function_names;
        match &*self.mode {
            "NONE" => Choice::Forbidden,
            "ANY" if only.is_empty() => Choice::Required,
            "ANY" => Choice::Named(only.clone()),
            _ if only.is_empty() => Choice::Free,
            _ => Choice::Allowed(only.clone()),
        }
    }
}
