//! The response to a request.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::part::Piece;
use crate::completion::{Completion, FinishReason, RawCall, Usage};
use crate::offer::Offer;
use crate::wire::answering::Answering;
use crate::wire::content::null_is_default;
use crate::wire::place::Place;
use crate::wire::reading::{self, Unreadable};

/// A response, or a piece of one; the first of its candidates counts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Response {
    #[serde(deserialize_with = "null_is_default")]
    pub(super) candidates: Vec<Candidate>,
    #[serde(skip_serializing)]
    prompt_feedback: Option<Feedback>,
    #[serde(deserialize_with = "null_is_default")]
    pub(super) usage_metadata: Tokens,
    #[serde(deserialize_with = "null_is_default")]
    pub(super) model_version: Arc<str>,
    #[serde(deserialize_with = "null_is_default")]
    pub(super) response_id: Arc<str>,
    /// In place of the rest of a stream.
    #[serde(skip_serializing)]
    pub(super) error: Option<Box<RawValue>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Candidate {
    #[serde(deserialize_with = "null_is_default")]
    pub(super) content: Content,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) finish_reason: Option<Cow<'static, str>>,
    pub(super) index: u64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Content {
    #[serde(deserialize_with = "null_is_default")]
    pub(super) parts: Vec<Piece>,
    /// Always the model; not read, because some servers leave it out.
    #[serde(skip_deserializing)]
    role: AnswerRole,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
enum AnswerRole {
    #[default]
    Model,
}

/// Why the prompt was not answered.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    #[serde(default)]
    block_reason: Option<Box<str>>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Tokens {
    #[serde(deserialize_with = "null_is_default")]
    prompt_token_count: u64,
    #[serde(deserialize_with = "null_is_default")]
    candidates_token_count: u64,
    #[serde(deserialize_with = "null_is_default", skip_serializing)]
    thoughts_token_count: u64,
    #[serde(skip_deserializing)]
    total_token_count: u64,
}

impl Response {
    /// A completion as a response.
    #[must_use]
    pub fn of(completion: &Completion, answering: &Answering) -> Self {
        let Usage { input_tokens, output_tokens } = completion.usage;
        let parts = Piece::of_answer(&answering.names.named(completion));
        let finish_reason = Some(finish_name(completion.finish).into());
        Self {
            candidates: vec![Candidate::of(parts, finish_reason)],
            usage_metadata: Tokens {
                prompt_token_count: input_tokens,
                candidates_token_count: output_tokens,
                ..Tokens::default()
            }
            .summed(),
            model_version: answering.model.clone(),
            response_id: answering.id.clone(),
            ..Self::default()
        }
    }

    /// Reads JSON text: a response, or the array of pieces that a stream without `alt=sse` is.
    ///
    /// # Errors
    /// The text is not JSON, or lacks what a response needs; the error names the place.
    pub fn parse(json: &str) -> Result<Self, Unreadable> {
        if !json.trim_start().starts_with('[') {
            return reading::parse(json);
        }
        let mut whole = Self::default();
        for piece in reading::parse_list::<Self>(json)? {
            whole.add(piece);
        }
        Ok(whole.joined())
    }

    /// The completion in the first candidate. Tokens of thinking count as tokens of the answer; missing counts are 0.
    /// Where the prompt was blocked, the completion is empty and withheld ([`FinishReason::ContentFilter`]).
    ///
    /// # Errors
    /// There is no candidate and no reason why, or the arguments of a call are not an object.
    pub fn read(&self, offer: &Offer) -> Result<Completion, Unreadable> {
        let Tokens { prompt_token_count, candidates_token_count, thoughts_token_count, .. } =
            self.usage_metadata;
        let usage = Usage {
            input_tokens: prompt_token_count,
            output_tokens: candidates_token_count.saturating_add(thoughts_token_count),
        };
        let Some(candidate) = self.candidates.first() else {
            if self.is_blocked() {
                return Ok(Completion::new([], [], FinishReason::ContentFilter, usage, offer));
            }
            return Err(Unreadable::new("candidates", "expected at least one candidate, found none"));
        };
        let pieces = &candidate.content.parts;
        let calls = raw_calls(pieces)?;
        let given = candidate.finish_reason.as_deref().map_or(FinishReason::NotGiven, finish_reason);
        let calls_tools = given == FinishReason::Stop && !calls.is_empty();
        let finish = if calls_tools { FinishReason::ToolCall } else { given };
        Ok(Completion::new(pieces.iter().filter_map(Piece::part), calls, finish, usage, offer))
    }

    /// Whether every call has an object as arguments.
    pub(super) fn check(&self) -> Result<(), Unreadable> {
        raw_calls(self.pieces()).map(drop)
    }

    /// It with these parts of it, in a stream. The tokens of the answer and why it stopped come with the last ones.
    pub(super) fn piece(&self, parts: Vec<Piece>, is_last: bool) -> Self {
        let end = self.candidates.first().and_then(|it| it.finish_reason.clone());
        let all = self.usage_metadata;
        let so_far = Tokens { prompt_token_count: all.prompt_token_count, ..Tokens::default() };
        Self {
            candidates: vec![Candidate::of(parts, end.filter(|_| is_last))],
            usage_metadata: if is_last { all } else { so_far.summed() },
            ..self.clone()
        }
    }

    fn is_blocked(&self) -> bool {
        self.prompt_feedback.as_ref().is_some_and(|it| it.block_reason.is_some())
    }

    /// Whether the model has stopped, or never began.
    pub(super) fn is_whole(&self) -> bool {
        let stopped = self.candidates.first().is_some_and(|it| it.finish_reason.is_some());
        stopped || (self.candidates.is_empty() && self.is_blocked())
    }

    /// The parts of the first candidate.
    pub(super) fn pieces(&self) -> &[Piece] {
        self.candidates.first().map_or(&[], |it| &it.content.parts)
    }

    /// Adds the next piece of a stream. Counts are of everything so far, and some pieces have none.
    pub(super) fn add(&mut self, piece: Self) {
        let (ours, theirs) = (&mut self.usage_metadata, piece.usage_metadata);
        ours.prompt_token_count = ours.prompt_token_count.max(theirs.prompt_token_count);
        ours.candidates_token_count = ours.candidates_token_count.max(theirs.candidates_token_count);
        ours.thoughts_token_count = ours.thoughts_token_count.max(theirs.thoughts_token_count);
        self.prompt_feedback = piece.prompt_feedback.or(self.prompt_feedback.take());
        for added in piece.candidates.into_iter().filter(|it| it.index == 0) {
            match self.candidates.first_mut() {
                Some(candidate) => {
                    candidate.content.parts.extend(added.content.parts);
                    candidate.finish_reason = added.finish_reason.or(candidate.finish_reason.take());
                }
                None => self.candidates.push(added),
            }
        }
    }

    /// The same, with texts that came in several pieces as one. A signature ends a thought.
    pub(super) fn joined(mut self) -> Self {
        for candidate in &mut self.candidates {
            let mut joined: Vec<Piece> = Vec::new();
            let mut text = String::new();
            for piece in std::mem::take(&mut candidate.content.parts) {
                let Some(more) = piece.text.as_deref() else {
                    joined.push(piece);
                    continue;
                };
                let last = joined.last_mut().filter(|last| {
                    last.text.is_some() && last.thought == piece.thought && last.thought_signature.is_none()
                });
                match last {
                    Some(last) => {
                        text.push_str(more);
                        last.thought_signature = piece.thought_signature;
                    }
                    None => {
                        seal(&mut joined, &mut text);
                        text.push_str(more);
                        joined.push(piece);
                    }
                }
            }
            seal(&mut joined, &mut text);
            candidate.content.parts = joined;
        }
        self
    }

    /// The same, as if the provider had failed after what arrived.
    pub(super) fn broken(mut self) -> Self {
        if self.candidates.is_empty() {
            self.candidates.push(Candidate::default());
        }
        self.candidates[0].finish_reason = Some(finish_name(FinishReason::Error).into());
        self
    }
}

impl Tokens {
    fn summed(self) -> Self {
        let total_token_count = self.prompt_token_count.saturating_add(self.candidates_token_count);
        Self { total_token_count, ..self }
    }
}

impl Candidate {
    fn of(parts: Vec<Piece>, finish_reason: Option<Cow<'static, str>>) -> Self {
        Self { content: Content { parts, role: AnswerRole::Model }, finish_reason, index: 0 }
    }
}

/// Gives the last text its whole value.
fn seal(joined: &mut [Piece], text: &mut String) {
    if let Some(last) = joined.iter_mut().rfind(|it| it.text.is_some())
        && !text.is_empty()
    {
        last.text = Some(text.as_str().into());
    }
    text.clear();
}

fn raw_calls(pieces: &[Piece]) -> Result<Vec<RawCall>, Unreadable> {
    let call = |(at, piece): (usize, &Piece)| {
        let call = piece.function_call.as_ref()?;
        let content = Place::new("candidates").nth(0);
        let content = content.member("content");
        let parts = content.member("parts").nth(at);
        Some(call.raw(&call.id, parts.member("functionCall")))
    };
    pieces.iter().enumerate().filter_map(call).collect()
}

fn finish_name(finish: FinishReason) -> &'static str {
    match finish {
        FinishReason::Stop | FinishReason::ToolCall => "STOP",
        FinishReason::Length => "MAX_TOKENS",
        FinishReason::ContentFilter => "SAFETY",
        // Gemini sends an error instead of a response; this word is Balk's own.
        FinishReason::Error => "ERROR",
        // Without any word, a stream would not have ended.
        FinishReason::NotGiven => "FINISH_REASON_UNSPECIFIED",
    }
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
        "ERROR" => FinishReason::Error,
        _ => FinishReason::NotGiven,
    }
}
