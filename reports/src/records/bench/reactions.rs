//! Measured reactions that took the place of those that the scenarios ask for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Measured reactions of one model, as their file has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedReactions {
    /// The name of the file, without its folder.
    pub file: String,
    /// The model.
    pub name: String,
    /// Where and how it was measured.
    pub measured: String,
    /// The profile that has the numbers that were not measured.
    pub profile: String,
    /// The measured parameters of the response model, in parts per thousand, with their ranges.
    pub parameters: Map<String, Value>,
}
