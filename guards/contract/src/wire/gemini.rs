//! Gemini's native responses (`generateContent`), read only.
//!
//! A host that speaks this dialect sends its own requests; what came back is read here, so that a `functionCall` part
//! counts as the call that it is (spec N1). Gemini's OpenAI-compatible endpoint needs none of this: it answers in the
//! dialect [`openai`](super::openai).
//!
//! | part | becomes |
//! |---|---|
//! | `text` | text; thinking if `thought` is set |
//! | `functionCall` | a call; its `args` as they were sent, `{}` where there are none |
//! | anything else (`executableCode`, `inlineData`, …) | nothing: the provider ran or made it |
//!
//! `STOP` is also the reason of an answer with calls, so such an answer ends with [`FinishReason::ToolCall`].

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::null_is_default;
use super::reading::{self, Unreadable};
use crate::completion::{Completion, FinishReason, Part, RawCall, Usage};
use crate::offer::Offer;

/// A response.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Response {
    #[serde(default, deserialize_with = "null_is_default")]
    candidates: Vec<Candidate>,
    #[serde(default)]
    prompt_feedback: Option<Feedback>,
    #[serde(default, deserialize_with = "null_is_default")]
    usage_metadata: Tokens,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    #[serde(default, deserialize_with = "null_is_default")]
    content: Content,
    #[serde(default)]
    finish_reason: Option<Box<str>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Content {
    #[serde(default, deserialize_with = "null_is_default")]
    parts: Vec<Piece>,
}

/// A part has one of these members.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Piece {
    #[serde(default)]
    text: Option<Arc<str>>,
    #[serde(default, deserialize_with = "null_is_default")]
    thought: bool,
    #[serde(default)]
    function_call: Option<Call>,
}

#[derive(Clone, Debug, Deserialize)]
struct Call {
    #[serde(default, deserialize_with = "null_is_default")]
    id: Arc<str>,
    name: Arc<str>,
    #[serde(default)]
    args: Option<Box<RawValue>>,
}

/// Why the prompt was not answered.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    #[serde(default)]
    block_reason: Option<Box<str>>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tokens {
    #[serde(default, deserialize_with = "null_is_default")]
    prompt_token_count: u64,
    #[serde(default, deserialize_with = "null_is_default")]
    candidates_token_count: u64,
    #[serde(default, deserialize_with = "null_is_default")]
    thoughts_token_count: u64,
}

impl Response {
    /// Reads JSON text.
    ///
    /// # Errors
    /// The text is not JSON, or lacks what a response needs; the error names the place.
    pub fn parse(json: &str) -> Result<Self, Unreadable> {
        reading::parse(json)
    }

    /// The completion in the first candidate. Tokens of thinking count as tokens of the answer; missing counts are 0.
    /// Where the prompt was blocked, the completion is empty and withheld ([`FinishReason::ContentFilter`]).
    ///
    /// # Errors
    /// There is no candidate and no reason why.
    pub fn read(&self, offer: &Offer) -> Result<Completion, Unreadable> {
        let Tokens { prompt_token_count, candidates_token_count, thoughts_token_count } = self.usage_metadata;
        let usage = Usage {
            input_tokens: prompt_token_count,
            output_tokens: candidates_token_count.saturating_add(thoughts_token_count),
        };
        let Some(candidate) = self.candidates.first() else {
            let blocked = self.prompt_feedback.as_ref().and_then(|it| it.block_reason.as_ref());
            return match blocked {
                Some(_) => Ok(Completion::new([], [], FinishReason::ContentFilter, usage, offer)),
                None => Err(Unreadable::new("candidates", "expected at least one candidate, found none")),
            };
        };
        let pieces = &candidate.content.parts;
        let parts = pieces.iter().filter_map(|piece| {
            let text = piece.text.clone()?;
            Some(if piece.thought { Part::Thinking { text, signature: None } } else { Part::Text(text) })
        });
        let calls: Vec<RawCall> = pieces.iter().filter_map(|it| it.function_call.as_ref()).map(raw).collect();
        let given = candidate.finish_reason.as_deref().map_or(FinishReason::NotGiven, finish_reason);
        let calls_tools = given == FinishReason::Stop && !calls.is_empty();
        let finish = if calls_tools { FinishReason::ToolCall } else { given };
        Ok(Completion::new(parts, calls, finish, usage, offer))
    }
}

fn raw(call: &Call) -> RawCall {
    let arguments = call.args.as_ref().map_or("{}", |args| args.get());
    RawCall { id: call.id.clone(), tool: call.name.clone(), arguments: arguments.into() }
}

/// `OTHER`, `MALFORMED_FUNCTION_CALL` and undocumented words do not say why the model stopped. After a malformed call
/// nothing is left, so the answer is empty.
fn finish_reason(name: &str) -> FinishReason {
    match name {
        "STOP" => FinishReason::Stop,
        "MAX_TOKENS" => FinishReason::Length,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE" => {
            FinishReason::ContentFilter
        }
        _ => FinishReason::NotGiven,
    }
}
