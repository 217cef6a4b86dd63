//! The response to a request.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::block::{Block, read_blocks};
use crate::completion::{Completion, FinishReason, Usage};
use crate::offer::Offer;
use crate::wire::answering::Answering;
use crate::wire::content::{Content, null_is_default};
use crate::wire::place::Place;
use crate::wire::reading::{self, Unreadable};

/// A response.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Response {
    #[serde(default, deserialize_with = "null_is_default")]
    id: Arc<str>,
    #[serde(rename = "type", default, skip_deserializing)]
    kind: &'static str,
    #[serde(default, skip_deserializing)]
    role: &'static str,
    #[serde(default, deserialize_with = "null_is_default")]
    model: Arc<str>,
    pub(super) content: Content<Block>,
    #[serde(default)]
    pub(super) stop_reason: Option<Cow<'static, str>>,
    #[serde(default)]
    stop_sequence: Option<Arc<str>>,
    #[serde(default, deserialize_with = "null_is_default")]
    usage: Tokens,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Tokens {
    #[serde(default, deserialize_with = "null_is_default")]
    input_tokens: u64,
    #[serde(default, deserialize_with = "null_is_default")]
    cache_creation_input_tokens: u64,
    #[serde(default, deserialize_with = "null_is_default")]
    cache_read_input_tokens: u64,
    #[serde(default, deserialize_with = "null_is_default")]
    output_tokens: u64,
}

/// The tokens of an answer, at the end of its stream.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Counted {
    output_tokens: u64,
}

impl Response {
    /// It as its stream begins, when only the tokens of the request are known.
    pub(super) fn opening(&self) -> Self {
        Self {
            id: self.id.clone(),
            model: self.model.clone(),
            ..Self::streamed(Vec::new(), None, Tokens { output_tokens: 0, ..self.usage })
        }
    }

    /// The tokens of the answer.
    pub(super) fn counted(&self) -> Counted {
        Counted { output_tokens: self.usage.output_tokens }
    }

    /// A completion as a response.
    #[must_use]
    pub fn of(completion: &Completion, answering: &Answering) -> Self {
        Self {
            id: answering.id.clone(),
            model: answering.model.clone(),
            ..Self::streamed(
                Block::of_answer(&answering.names.named(completion)),
                stop_name(completion.finish).map(Into::into),
                Tokens {
                    input_tokens: completion.usage.input_tokens,
                    output_tokens: completion.usage.output_tokens,
                    ..Tokens::default()
                },
            )
        }
    }

    /// What arrived in events.
    pub(super) fn streamed(
        blocks: Vec<Block>,
        stop_reason: Option<Cow<'static, str>>,
        usage: Tokens,
    ) -> Self {
        Self {
            id: "".into(),
            kind: "message",
            role: "assistant",
            model: "".into(),
            content: Content::Parts(blocks),
            stop_reason,
            stop_sequence: None,
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

    /// The completion. Tokens read from a cache or written to it count as tokens of the request, as in other
    /// dialects; missing counts are 0.
    ///
    /// # Errors
    /// A call has no name, no id, or no object as input.
    pub fn read(&self, offer: &Offer) -> Result<Completion, Unreadable> {
        let Tokens { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } =
            self.usage;
        let usage = Usage {
            input_tokens: input_tokens
                .saturating_add(cache_creation_input_tokens)
                .saturating_add(cache_read_input_tokens),
            output_tokens,
        };
        let finish = self.stop_reason.as_deref().map_or(FinishReason::NotGiven, finish_reason);
        read_blocks(&self.content.blocks(), Place::new("content"), finish, usage, offer)
    }
}

impl Tokens {
    /// The greater count of each kind: every count of a stream is one of everything so far, and some servers leave
    /// one out at the beginning or at the end.
    pub(super) fn or_more(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.max(other.input_tokens),
            cache_creation_input_tokens: self
                .cache_creation_input_tokens
                .max(other.cache_creation_input_tokens),
            cache_read_input_tokens: self.cache_read_input_tokens.max(other.cache_read_input_tokens),
            output_tokens: self.output_tokens.max(other.output_tokens),
        }
    }
}

fn stop_name(finish: FinishReason) -> Option<&'static str> {
    match finish {
        FinishReason::Stop => Some("end_turn"),
        FinishReason::Length => Some("max_tokens"),
        FinishReason::ToolCall => Some("tool_use"),
        FinishReason::ContentFilter => Some("refusal"),
        // Anthropic sends an error instead of a response; this word is Balk's own.
        FinishReason::Error => Some("error"),
        FinishReason::NotGiven => None,
    }
}

/// `pause_turn` and undocumented words do not say why the model stopped.
fn finish_reason(name: &str) -> FinishReason {
    match name {
        "end_turn" | "stop_sequence" => FinishReason::Stop,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "tool_use" => FinishReason::ToolCall,
        "refusal" => FinishReason::ContentFilter,
        "error" => FinishReason::Error,
        _ => FinishReason::NotGiven,
    }
}
