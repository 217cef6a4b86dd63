//! What counts as a safe retry.

use serde::{Deserialize, Serialize};

/// What counts as safe. They differ in what an offer means whose tools have no declared effect (spec R5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RetrySafetyPolicy {
    /// A tool on offer that nobody declared may have changed something: ask. It is the rule of the field report,
    /// whose words were that 10 of 16 tools had no class; where all have one, what was seen decides. There to be
    /// measured against.
    Conservative,
    /// The same, but for an attempt of which it is known that nothing began.
    FastPath,
    /// What was seen decides, and never what was merely on offer (spec R2).
    #[default]
    Facts,
}
