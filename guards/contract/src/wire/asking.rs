//! What a client asks for, beside what a view shows.

use std::sync::Arc;

use serde_json::Number;

use crate::completion::is_blank;

/// What a request says beside the view. What is `None` is not sent, so the server decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asking {
    /// The model.
    pub model: Arc<str>,
    /// Instructions to the model; a blank text is not sent.
    pub system: Option<Arc<str>>,
    /// The maximum number of tokens in the answer. Anthropic requires one; without it, 4,096 are sent. OpenAI chat
    /// gets it as `max_tokens`, which compatible servers read; Responses get it as `max_output_tokens`, Gemini as
    /// `maxOutputTokens`.
    pub max_tokens: Option<u64>,
    /// Whether OpenAI chat gets it as `max_completion_tokens`: OpenAI's reasoning models refuse the older name.
    pub max_completion_tokens: bool,
    /// How much chance decides, as it is to be written.
    pub temperature: Option<Number>,
    /// The seed of the draws; Anthropic and OpenAI Responses take none.
    pub seed: Option<u64>,
    /// Whether the answer is to come as a stream, to be read with [`Dialect::stream`](super::Dialect::stream). Gemini
    /// is told so by the path.
    pub stream: bool,
}

impl Asking {
    /// Asks this model, and leaves all else to the server.
    #[must_use]
    pub fn of(model: &str) -> Self {
        Self {
            model: model.into(),
            system: None,
            max_tokens: None,
            max_completion_tokens: false,
            temperature: None,
            seed: None,
            stream: false,
        }
    }

    /// The instructions to send.
    pub(super) fn system(&self) -> Option<&Arc<str>> {
        self.system.as_ref().filter(|text| !is_blank(text))
    }
}
