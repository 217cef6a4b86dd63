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

/// Models whose reactions were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Strong models of 2025.
    Strong,
    /// Like gpt-4o.
    Gpt4o,
    /// Like gpt-3.5.
    Gpt35,
    /// Weak models of 2023, and small ones of today.
    Weak,
    /// One of all these, drawn by the seed.
    Population,
}
