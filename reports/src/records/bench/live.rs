//! What a live record has beside its cells: a real model took the actor's place.

use balk_contract::record::Drawn;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::records::counts::counts;
use crate::records::shell::quoted;

/// How the model of a live record was asked. Where it was asked is in `meta.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedLive {
    /// The format of the requests: `openai` or `anthropic`.
    pub api: String,
    /// The model, as requests name it.
    pub model: String,
    /// The instructions before the task.
    pub system: String,
    /// Settings of every request, as they were sent (`max_tokens`, `temperature`), and of every trial (`max_turns`).
    pub sampling: Vec<Drawn>,
    /// Whether it was only asked what it does after messages that came to scripted models (`balk live --messages`).
    /// Then no trial is played, and `reactions.json` has the counts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub messages: bool,
}

/// The setting that bounds the completions of a trial.
pub const MAX_TURNS: &str = "max_turns";

counts! {
    /// What the trials of a cell took from the model, and how they ended.
    Live {
        /// Trials that ended at a bound, without their goal, and the user was not told.
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

impl PlannedLive {
    /// The value of a setting.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.sampling.iter().find(|it| it.name == name).map(|it| &*it.value)
    }

    /// The most completions of a trial, where its scenario allows more.
    #[must_use]
    pub fn max_turns(&self) -> Option<u32> {
        self.setting(MAX_TURNS)?.parse().ok()
    }

    /// The options of `balk live` that ask the same model in the same way; settings that are the default are left out.
    pub(super) fn options(&self) -> String {
        let mut options = format!("--endpoint URL --model {}", quoted(&self.model));
        if self.api != "openai" {
            options.push_str(&format!(" --api {}", quoted(&self.api)));
        }
        for Drawn { name, value } in &self.sampling {
            let option = name.replace('_', "-");
            match (&*option, &**value) {
                ("max-tokens", "1024") => {}
                ("stream" | "max-completion-tokens", "true") => options.push_str(&format!(" --{option}")),
                _ => options.push_str(&format!(" --{option} {}", quoted(value))),
            }
        }
        if self.messages {
            options.push_str(" --messages");
        }
        options
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
