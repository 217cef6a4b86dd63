//! Attempts that returned no completion: what went wrong, how far they got, and what the loop did about it.
//!
//! What the loop *saw* of an attempt ([`AttemptFacts`]) is kept apart from what was merely *on offer* (the run's
//! [`Offer`](crate::Offer)): spec R1, R2.

use std::fmt;
use std::sync::Arc;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// An attempt that returned no completion.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct FailedAttempt {
    /// What went wrong.
    pub failure: AttemptFailure,
    /// What the loop did about it.
    pub response: AttemptResponse,
}

/// What went wrong with one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct AttemptFailure {
    /// The number of this attempt within the turn, from 1.
    pub attempt: u32,
    /// Why it failed.
    pub cause: AttemptCause,
    /// The message of the provider or the network; empty if there was none.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "str::is_empty"))]
    pub message: Arc<str>,
    /// How far it got.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "AttemptFacts::is_nothing"))]
    pub facts: AttemptFacts,
}

impl AttemptFailure {
    /// The failure for an empty completion.
    #[must_use]
    pub fn empty(attempt: u32) -> Self {
        Self { attempt, cause: AttemptCause::Empty, message: "".into(), facts: AttemptFacts::default() }
    }
}

/// Why an attempt failed (spec R6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum AttemptCause {
    /// The completion was empty.
    Empty,
    /// No connection was established.
    Connect,
    /// The provider took too long.
    TimedOut,
    /// The connection broke off.
    Disconnected,
    /// The provider refused, with an HTTP status.
    Status {
        /// The status: 400 to 599.
        code: u16,
        /// Ticks (ms) to wait before the next request, as the provider asked.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        retry_after: Option<u64>,
    },
}

impl AttemptCause {
    /// The cause as records spell it, without the status.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Connect => "connect",
            Self::TimedOut => "timed-out",
            Self::Disconnected => "disconnected",
            Self::Status { .. } => "status",
        }
    }
}

impl fmt::Display for AttemptCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the answer was empty"),
            Self::Connect => f.write_str("the connection failed"),
            Self::TimedOut => f.write_str("the provider took too long"),
            Self::Disconnected => f.write_str("the connection was lost"),
            Self::Status { code, .. } => write!(f, "the provider refused with status {code}"),
        }
    }
}

/// How far an attempt got, as the loop saw it (spec R1). `None` means not known. By default it is known that nothing
/// began.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields))]
pub struct AttemptFacts {
    /// The provider sent something, even if only a keep-alive or thinking.
    pub provider_progress: Option<bool>,
    /// The user saw text.
    pub visible_output: Option<bool>,
    /// The arguments of a call began to arrive.
    pub tool_input_started: Option<bool>,
    /// A call arrived completely.
    pub tool_call_materialized: Option<bool>,
    /// A tool began to run.
    pub tool_execution_started: Option<bool>,
    /// Something began that may change something: its effect is not known to be read-only.
    pub unsafe_side_effect_started: Option<bool>,
    /// The tools that began to run, by name.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub started: Vec<Arc<str>>,
}

impl Default for AttemptFacts {
    fn default() -> Self {
        let no = Some(false);
        Self {
            provider_progress: no,
            visible_output: no,
            tool_input_started: no,
            tool_call_materialized: no,
            tool_execution_started: no,
            unsafe_side_effect_started: no,
            started: Vec::new(),
        }
    }
}

impl AttemptFacts {
    /// True if it is known that nothing began.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// What the loop did about a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum AttemptResponse {
    /// The model was asked again.
    Resent {
        /// Ticks waited before the request.
        after: u64,
    },
    /// The user was asked.
    Asked,
    /// The run ended.
    Ended,
}

/// How long to wait: a range of ticks (ms) from which the loop draws. Guards draw nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Wait {
    /// The minimum.
    pub at_least: u64,
    /// The maximum, inclusive.
    pub at_most: u64,
}

impl Wait {
    /// A range of exactly this length.
    #[must_use]
    pub const fn exactly(ticks: u64) -> Self {
        Self { at_least: ticks, at_most: ticks }
    }

    /// Whether this number of ticks is in the range.
    #[must_use]
    pub const fn has(self, ticks: u64) -> bool {
        self.at_least <= ticks && ticks <= self.at_most
    }
}

/// The result of a call that began to run in a broken attempt and whose answer was lost (spec R7).
pub const LOST: &str = "The connection broke while this ran. It may have taken effect; its result was lost.";
