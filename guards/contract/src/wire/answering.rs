//! What a server says about an answer, beside the completion.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::names::Names;

/// What a response or its stream says beside the completion. Nothing here reads a clock or draws a number, so ids and
/// times come from the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answering {
    /// The id of the response. The ids of items in OpenAI Responses are made of it.
    pub id: Arc<str>,
    /// The model that answers.
    pub model: Arc<str>,
    /// Seconds since 1970: `created` of OpenAI chat, `created_at` of OpenAI Responses.
    pub created: u64,
    /// The response that this one follows: `previous_response_id` of OpenAI Responses.
    pub previous: Option<Arc<str>>,
    /// Whether a stream of OpenAI chat ends with the token counts (`stream_options.include_usage`); all other streams
    /// always have them.
    pub include_usage: bool,
    /// How the client calls its tools.
    pub names: Arc<Names>,
    /// The maximum number of characters of a text in one event of a stream.
    pub piece: NonZeroUsize,
}

impl Answering {
    /// An answer of this model under this id, with all else as in a request that asks for nothing special.
    #[must_use]
    pub fn of(id: &str, model: &str) -> Self {
        Self {
            id: id.into(),
            model: model.into(),
            created: 0,
            previous: None,
            include_usage: false,
            names: Arc::default(),
            piece: NonZeroUsize::new(64).expect("64 is not 0"),
        }
    }
}
