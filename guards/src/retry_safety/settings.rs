//! What may be set.

use serde::{Deserialize, Serialize};

use super::policy::RetrySafetyPolicy;

/// Settings of the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RetrySafetySettings {
    /// What counts as safe.
    pub policy: RetrySafetyPolicy,
    /// Resends of one request; counted again after a completion, and after the user answers or speaks. Twelve: with
    /// the waits below, 98 of 100 requests survive an outage of a minute (`docs/retry-safety.md#how-long-it-retries`).
    pub retries: u32,
    /// All waits before these resends together (ticks, ms). Three minutes: about as long as all waits of gemini-cli
    /// (`docs/peers.md#broken-requests`).
    pub total_wait: u64,
    /// The longest wait (ticks, ms) before the first resend; doubled for each further one. Half a second: so do the
    /// clients of OpenAI and Anthropic (`docs/peers.md#broken-requests`).
    pub backoff: u64,
    /// The longest wait (ticks, ms) that doubling leads to. Thirty seconds: so do gemini-cli and opencode.
    pub max_backoff: u64,
    /// The longest wait (ticks, ms) that the provider may ask for; if it wants a longer one, the run ends. A minute: so
    /// do the same clients. Jitter is added to it.
    pub max_wait: u64,
    /// Questions about broken attempts before a completion arrives or the user speaks. Three is the cap of the field
    /// design for questions (spec N4).
    pub questions: u32,
}

impl Default for RetrySafetySettings {
    fn default() -> Self {
        Self {
            policy: RetrySafetyPolicy::Facts,
            retries: 12,
            total_wait: 180_000,
            backoff: 500,
            max_backoff: 30_000,
            max_wait: 60_000,
            questions: 3,
        }
    }
}
