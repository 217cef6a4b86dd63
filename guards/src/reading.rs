//! How the guards read a result, for those who want to check it against messages of real tools.

use balk_contract::ToolResult;

use crate::failure::{Failure, is_failure, is_waiting};

/// What the guards take a result for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A failure that may be temporary: more tries are allowed.
    TemporaryFailure,
    /// Any other failure.
    Failure,
    /// Something is still in progress.
    Waiting,
    /// Neither a failure nor waiting.
    Other,
}

impl Reading {
    /// What the guards take this result for. The status decides; without one, the text does.
    #[must_use]
    pub fn of(result: &ToolResult) -> Self {
        if is_failure(result) {
            let temporary = Failure::of(result).is_some_and(|it| it.passing);
            return if temporary { Self::TemporaryFailure } else { Self::Failure };
        }
        if is_waiting(result) { Self::Waiting } else { Self::Other }
    }
}
