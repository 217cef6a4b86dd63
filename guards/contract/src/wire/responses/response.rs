//! The response to a request.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::item::Item;
use super::turn::Turn;
use crate::completion::{Completion, FinishReason, Usage};
use crate::offer::Offer;
use crate::wire::answering::Answering;
use crate::wire::content::null_is_default;
use crate::wire::names::Names;
use crate::wire::place::Place;
use crate::wire::reading::{self, Unreadable};

/// A response.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Response {
    #[serde(default, deserialize_with = "null_is_default")]
    pub(super) id: Arc<str>,
    #[serde(skip_deserializing)]
    object: &'static str,
    #[serde(skip_deserializing)]
    created_at: u64,
    /// One of [`STATUSES`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<Cow<'static, str>>,
    #[serde(default)]
    pub(super) error: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) incomplete_details: Option<Incomplete>,
    #[serde(default, deserialize_with = "null_is_default")]
    model: Arc<str>,
    /// `None` in what is no response at all, such as the answer of another API.
    #[serde(default)]
    pub(super) output: Option<Vec<Item>>,
    #[serde(default)]
    pub(super) usage: Option<Tokens>,
    #[serde(skip_deserializing)]
    previous_response_id: Option<Arc<str>>,
    // What the request asked for, in a form that clients accept.
    #[serde(skip_deserializing)]
    instructions: (),
    #[serde(skip_deserializing)]
    metadata: BTreeMap<&'static str, ()>,
    #[serde(skip_deserializing)]
    parallel_tool_calls: bool,
    #[serde(skip_deserializing)]
    temperature: (),
    #[serde(skip_deserializing)]
    tool_choice: &'static str,
    #[serde(skip_deserializing)]
    tools: [(); 0],
    #[serde(skip_deserializing)]
    top_p: (),
}

/// What the API says of a response: <https://platform.openai.com/docs/api-reference/responses/object>.
const STATUSES: [&str; 6] = ["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"];

/// Why a response is incomplete.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Incomplete {
    /// `max_output_tokens` or `content_filter`.
    #[serde(default, deserialize_with = "null_is_default")]
    reason: Cow<'static, str>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Tokens {
    #[serde(default, deserialize_with = "null_is_default")]
    input_tokens: u64,
    #[serde(skip_deserializing)]
    input_tokens_details: Cached,
    #[serde(default, deserialize_with = "null_is_default")]
    output_tokens: u64,
    #[serde(skip_deserializing)]
    output_tokens_details: Reasoned,
    #[serde(skip_deserializing)]
    total_tokens: u64,
}

/// The part of the tokens of the request that was read from a cache.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Cached {
    cached_tokens: u64,
}

/// The part of the tokens of the answer that are reasoning.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Reasoned {
    reasoning_tokens: u64,
}

impl Response {
    /// A completion as a response.
    #[must_use]
    pub fn of(completion: &Completion, answering: &Answering) -> Self {
        let Usage { input_tokens, output_tokens } = completion.usage;
        let (status, reason) = status_names(completion.finish);
        Self {
            id: answering.id.clone(),
            object: "response",
            created_at: answering.created,
            status: status.map(Into::into),
            incomplete_details: reason.map(|it| Incomplete { reason: it.into() }),
            model: answering.model.clone(),
            usage: Some(Tokens {
                input_tokens,
                input_tokens_details: Cached::default(),
                output_tokens,
                output_tokens_details: Reasoned::default(),
                total_tokens: input_tokens.saturating_add(output_tokens),
            }),
            previous_response_id: answering.previous.clone(),
            ..Self::streamed(Item::of_answer(completion, &answering.id, &answering.names))
        }
    }

    /// These items, as far as they have arrived.
    pub(super) fn streamed(output: Vec<Item>) -> Self {
        let (status, reason) = status_names(FinishReason::Error);
        Self {
            id: "".into(),
            object: "response",
            created_at: 0,
            status: status.map(Into::into),
            error: None,
            incomplete_details: reason.map(|it| Incomplete { reason: it.into() }),
            model: "".into(),
            output: Some(output),
            usage: None,
            previous_response_id: None,
            instructions: (),
            metadata: BTreeMap::new(),
            parallel_tool_calls: true,
            temperature: (),
            tool_choice: "auto",
            tools: [],
            top_p: (),
        }
    }

    /// It as its stream begins.
    pub(super) fn begun(&self) -> Self {
        Self {
            status: Some("in_progress".into()),
            incomplete_details: None,
            output: Some(Vec::new()),
            usage: None,
            ..self.clone()
        }
    }

    /// Reads JSON text.
    ///
    /// # Errors
    /// The text is not JSON, or lacks what a response needs; the error names the place.
    pub fn parse(json: &str) -> Result<Self, Unreadable> {
        reading::parse(json)
    }

    /// The completion. A refusal is text that the user sees, and counts as withheld
    /// ([`FinishReason::ContentFilter`]). Missing token counts are 0.
    ///
    /// # Errors
    /// It has neither output nor a status of this API, or a call has no name, no id, or no string as arguments.
    pub fn read(&self, offer: &Offer) -> Result<Completion, Unreadable> {
        let has_status = self.status.as_deref().is_some_and(|it| STATUSES.contains(&it));
        if self.output.is_none() && !has_status {
            return Err(Unreadable::new("output", "expected items of a response, found none"));
        }
        let mut turn = Turn::default();
        for (at, item) in self.output.iter().flatten().enumerate() {
            match item.kind() {
                "message" => turn.message(item),
                _ => turn.item(item, Place::new("output").nth(at), &Names::default())?,
            }
        }
        let usage = self.usage.map_or_else(Usage::default, |tokens| Usage {
            input_tokens: tokens.input_tokens,
            output_tokens: tokens.output_tokens,
        });
        let finish = if turn.refuses { FinishReason::ContentFilter } else { self.finish(turn.calls()) };
        Ok(turn.completion(finish, usage, offer))
    }

    fn finish(&self, calls: bool) -> FinishReason {
        let reason = self.incomplete_details.as_ref().map(|it| &*it.reason);
        match (self.status.as_deref(), reason) {
            (Some("completed"), _) if calls => FinishReason::ToolCall,
            (Some("completed"), _) => FinishReason::Stop,
            (Some("incomplete"), Some("max_output_tokens")) => FinishReason::Length,
            (Some("incomplete"), Some("content_filter")) => FinishReason::ContentFilter,
            (Some("failed"), _) | (Some("incomplete"), Some("error")) => FinishReason::Error,
            _ => FinishReason::NotGiven,
        }
    }
}

/// The status, and the reason of one that is incomplete.
fn status_names(finish: FinishReason) -> (Option<&'static str>, Option<&'static str>) {
    match finish {
        FinishReason::Stop | FinishReason::ToolCall => (Some("completed"), None),
        FinishReason::Length => (Some("incomplete"), Some("max_output_tokens")),
        FinishReason::ContentFilter => (Some("incomplete"), Some("content_filter")),
        // OpenAI sends an error instead of a response; this word is Balk's own.
        FinishReason::Error => (Some("incomplete"), Some("error")),
        FinishReason::NotGiven => (None, None),
    }
}
