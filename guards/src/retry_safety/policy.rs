//! What counts as a safe retry.

use serde::{Deserialize, Serialize};

/// What counts as safe. The policies differ about an offer that contains tools without a declared effect (spec R5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RetrySafetyPolicy {
    /// An undeclared tool on offer may have changed something: ask. This is the rule of the field report, in which 10
    /// of 16 tools had no declared class; if all have one, what was seen decides. Exists for comparison.
    Conservative,
    /// The same, except for an attempt of which it is known that nothing began.
    FastPath,
    /// What was seen decides, never what was merely on offer (spec R2).
    #[default]
    Facts,
}
