//! The names of the rules.

pub(super) const PRINTED: &str = "printed-call";
pub(super) const NAMES: &str = "tool-name";
pub(super) const ARGUMENTS: &str = "arguments";
pub(super) const UNKNOWN: &str = "unknown-tool";
