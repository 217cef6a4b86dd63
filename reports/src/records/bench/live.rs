//! What a live record has beside its cells: a real model took the actor's place.

use balk_contract::record::Drawn;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::records::counts::counts;

/// How the model of a live record was asked. Where it was asked is in `meta.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedLive {
    /// The format of the requests: `openai` or `anthropic`.
    pub api: String,
    /// The model, as requests name it.
    pub model: String,
    /// The instructions before the task.
    pub system: String,
    /// Settings of every request, as they were sent: `max_tokens`, `temperature`.
    pub sampling: Vec<Drawn>,
}

counts! {
    /// What the trials of a cell took from the model, and how they ended.
    Live {
        /// Trials that ended at a bound, without their goal, and nobody told the user.
        bound,
        /// Trials that ended because the messages no longer fitted into the model's context.
        overflowed,
        /// Commands of which the world only knew that it does not have them.
        unknown_commands,
        /// Completions that no earlier stack of the same unit had.
        fresh,
        /// Tokens of the requests for them.
        fresh_in,
        /// Tokens of these completions.
        fresh_out,
        /// Completions that this stack shares with an earlier one of the same unit.
        shared,
        /// Tokens of the requests for them.
        shared_in,
        /// Tokens of these completions.
        shared_out,
    }
}

impl Live {
    pub(super) fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// Tokens that the trials took.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.fresh_in + self.fresh_out
    }

    /// Tokens that were not taken again, because an earlier stack had the same completions.
    #[must_use]
    pub fn saved(&self) -> u64 {
        self.shared_in + self.shared_out
    }
}
