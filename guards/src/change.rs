//! What a result says about changes: the one definition of "something changed" that all guards share.
//!
//! An unknown status or effect counts as a possible change; on recorded runs this is the difference between 1 and 33
//! firings in one source (`docs/labels.md#unknown-status`). A result without a status that reads like a failure changed
//! nothing, like one with a status. Whether a run makes *progress* is another question;
//! `progress` answers it from what is new.

use crate::failure::is_failure;
use balk_contract::{Effect, Origin, Status, ToolResult};

/// What a call changed, according to its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Nothing: the call never ran, only read, or failed.
    Nothing,
    /// Perhaps something: no declared effect, no known status, or no result.
    Possible,
    /// What the tool declares: the call worked.
    Known,
}

impl Change {
    pub(crate) fn of(result: &ToolResult) -> Self {
        let effect = result.call.effect;
        match (result.origin, result.status) {
            (Origin::Synthetic, _) | (Origin::Executed, Status::Error) => Self::Nothing,
            _ if effect == Effect::ReadOnly => Self::Nothing,
            (Origin::Executed, Status::Ok) if effect.is_known_change() => Self::Known,
            (Origin::Executed, Status::Unknown) if is_failure(result) => Self::Nothing,
            (Origin::Executed, Status::Ok | Status::Unknown) | (Origin::Missing, _) => Self::Possible,
        }
    }
}
