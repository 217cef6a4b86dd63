//! How the actor of a scenario takes corrections.

use super::numbers::Ratio;

/// How the actor takes corrections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponseSpec {
    /// Which measured models it is like.
    pub profile: Profile,
    /// How much less it moves than the measured models: every chance is multiplied by one minus this.
    pub stubbornness: Ratio,
}

/// A row of the measured reactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Strong models of 2025.
    Strong,
    /// Like gpt-4o.
    Gpt4o,
    /// Like gpt-3.5.
    Gpt35,
}
