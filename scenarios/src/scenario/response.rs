//! How the actor of a scenario takes corrections.

use super::numbers::Ratio;

/// How the actor takes corrections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponseSpec {
    /// Which measured models it is like.
    pub profile: Profile,
    /// Every chance of moving the actor is multiplied by one minus this. 0 is as measured.
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
