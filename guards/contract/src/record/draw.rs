//! What the seed of a trial draws.

use serde::{Deserialize, Serialize};

/// A name and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// Which values a seed draws from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Pools {
    /// The open items, which may be used for tuning.
    #[default]
    Open,
    /// The reserved items, which check what was tuned on the open ones.
    Reserve,
}

/// How many draws of the response model's numbers there are.
pub const DRAWS: usize = 32;

/// The draw of a seed: its remainder modulo [`DRAWS`].
#[must_use]
pub fn draw_of(seed: u64) -> usize {
    usize::try_from(seed % DRAWS as u64).expect("less than the number of draws")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_has_the_draw_of_its_remainder() {
        assert_eq!([0, 31, 32, u64::MAX].map(draw_of), [0, 31, 0, 31]);
    }
}
