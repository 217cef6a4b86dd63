//! The response to a chat request.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::message::{Call, Function, Piece, raw_calls, texts_of};
use crate::completion::{Completion, FinishReason, Part, RawCall, Usage, is_blank};
use crate::offer::Offer;
use crate::wire::answering::Answering;
use crate::wire::content::{Content, null_is_default};
use crate::wire::place::Place;
use crate::wire::reading::{self, Unreadable};

/// A response; the first of its choices counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Response {
    #[serde(default, deserialize_with = "null_is_default")]
    pub(super) id: Arc<str>,
    #[serde(default, deserialize_with = "null_is_default")]
    object: Cow<'static, str>,
    #[serde(default, skip_deserializing)]
    pub(super) created: u64,
    #[serde(default, deserialize_with = "null_is_default")]
    pub(super) model: Arc<str>,
    pub(super) choices: Vec<Choice>,
    #[serde(default)]
    pub(super) usage: Option<Tokens>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Choice {
    #[serde(default)]
    index: u64,
    pub(super) message: Answer,
    #[serde(default)]
    pub(super) finish_reason: Option<Cow<'static, str>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    #[serde(default, skip_deserializing)]
    role: AnswerRole,
    #[serde(default)]
    pub(super) content: Option<Content<Piece>>,
    /// The model's text when it refuses to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refusal: Option<Arc<str>>,
    /// Thinking, as several compatible providers send it; OpenAI itself does not reveal it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_content: Option<Arc<str>>,
    /// The same, under the name that other providers use.
    #[serde(default, skip_serializing)]
    reasoning: Option<Arc<str>>,
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<Call>,
    /// The one call of servers that still send it in the old form, without an id.
    #[serde(default, skip_serializing)]
    function_call: Option<Function>,
}

/// What arrived in chunks.
pub(super) struct Whole<'a> {
    pub(super) text: &'a str,
    pub(super) refusal: &'a str,
    pub(super) reasoning_content: &'a str,
    pub(super) reasoning: &'a str,
    pub(super) calls: Vec<RawCall>,
    pub(super) finish: Option<Cow<'static, str>>,
    pub(super) usage: Option<Tokens>,
}

/// Always the assistant; not read, because some servers leave it out.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
enum AnswerRole {
    #[default]
    Assistant,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Tokens {
    #[serde(default, deserialize_with = "null_is_default")]
    prompt_tokens: u64,
    #[serde(default, deserialize_with = "null_is_default")]
    completion_tokens: u64,
    #[serde(default, skip_deserializing)]
    total_tokens: u64,
}

impl Response {
    /// A completion as a response. Thinking goes into `reasoning_content`, in one text.
    #[must_use]
    pub fn of(completion: &Completion, answering: &Answering) -> Self {
        let completion = &*answering.names.named(completion);
        let Usage { input_tokens, output_tokens } = completion.usage;
        let message = Answer {
            role: AnswerRole::Assistant,
            content: joined(completion),
            refusal: None,
            reasoning_content: thinking_of(completion),
            reasoning: None,
            tool_calls: completion.calls.iter().map(|call| Call::of(call)).collect(),
            function_call: None,
        };
        let usage = Tokens {
            prompt_tokens: input_tokens,
            completion_tokens: output_tokens,
            total_tokens: input_tokens.saturating_add(output_tokens),
        };
        Self {
            id: answering.id.clone(),
            created: answering.created,
            model: answering.model.clone(),
            ..Self::new(message, finish_name(completion.finish).map(Into::into), Some(usage))
        }
    }

    /// What arrived in chunks, as it would have been sent in one piece.
    pub(super) fn streamed(whole: Whole<'_>) -> Self {
        let text = |text: &str| Some(text.into()).filter(|_| !text.is_empty());
        let message = Answer {
            role: AnswerRole::Assistant,
            content: text(whole.text).map(Content::Text),
            refusal: text(whole.refusal),
            reasoning_content: text(whole.reasoning_content),
            reasoning: text(whole.reasoning),
            tool_calls: whole.calls.iter().map(Call::of_raw).collect(),
            function_call: None,
        };
        Self::new(message, whole.finish, whole.usage)
    }

    fn new(message: Answer, finish_reason: Option<Cow<'static, str>>, usage: Option<Tokens>) -> Self {
        Self {
            id: "".into(),
            object: "chat.completion".into(),
            created: 0,
            model: "".into(),
            choices: vec![Choice { index: 0, message, finish_reason }],
            usage,
        }
    }

    /// Reads JSON text.
    ///
    /// # Errors
    /// The text is not JSON, or lacks what a response needs; the error names the place.
    pub fn parse(json: &str) -> Result<Self, Unreadable> {
        reading::parse(json)
    }

    /// The completion in the first choice. A refusal is text that the user sees, and counts as withheld
    /// ([`FinishReason::ContentFilter`]). Missing token counts are 0.
    ///
    /// # Errors
    /// There is no choice, or the arguments of a call are not a string.
    pub fn read(&self, offer: &Offer) -> Result<Completion, Unreadable> {
        let choice = self
            .choices
            .first()
            .ok_or_else(|| Unreadable::new("choices", "expected at least one choice, found none"))?;
        let message = &choice.message;
        let refusal = message.refusal.iter().filter(|text| !is_blank(text));
        let finish = if refusal.clone().next().is_some() {
            FinishReason::ContentFilter
        } else {
            choice.finish_reason.as_deref().map_or(FinishReason::NotGiven, finish_reason)
        };
        let usage = self.usage.map_or_else(Usage::default, |tokens| Usage {
            input_tokens: tokens.prompt_tokens,
            output_tokens: tokens.completion_tokens,
        });
        let thinking = message
            .reasoning_content
            .iter()
            .chain(&message.reasoning)
            .find(|text| !is_blank(text))
            .map(|text| Part::Thinking { text: text.clone(), signature: None });
        let texts = texts_of(message.content.as_ref()).into_iter().chain(refusal.cloned()).map(Part::Text);
        let choice = Place::new("choices").nth(0);
        let place = choice.member("message");
        let mut calls = raw_calls(&message.tool_calls, place)?;
        if let Some(function) = &message.function_call {
            calls.push(function.raw_call("", place.member("function_call"))?);
        }
        Ok(Completion::new(thinking.into_iter().chain(texts), calls, finish, usage, offer))
    }
}

fn thinking_of(completion: &Completion) -> Option<Arc<str>> {
    let thoughts: Vec<&str> = completion
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Thinking { text, .. } => Some(&**text),
        })
        .filter(|text| !is_blank(text))
        .collect();
    (!thoughts.is_empty()).then(|| thoughts.join("\n\n").into())
}

/// The texts of an answer as one, as a stream of it is read: clients take a list of texts in requests alone.
fn joined(completion: &Completion) -> Option<Content<Piece>> {
    let texts: Vec<&str> = completion.texts().map(|it| &**it).collect();
    (!texts.is_empty()).then(|| Content::Text(texts.concat().into()))
}

fn finish_name(finish: FinishReason) -> Option<&'static str> {
    match finish {
        FinishReason::Stop => Some("stop"),
        FinishReason::Length => Some("length"),
        FinishReason::ToolCall => Some("tool_calls"),
        FinishReason::ContentFilter => Some("content_filter"),
        FinishReason::Error => Some("error"),
        FinishReason::NotGiven => None,
    }
}

/// An undocumented word says nothing about the cause. Routers in front of providers use `error`.
fn finish_reason(name: &str) -> FinishReason {
    match name {
        "stop" => FinishReason::Stop,
        "length" => FinishReason::Length,
        "tool_calls" | "function_call" => FinishReason::ToolCall,
        "content_filter" => FinishReason::ContentFilter,
        "error" => FinishReason::Error,
        _ => FinishReason::NotGiven,
    }
}
