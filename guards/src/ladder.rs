//! How far a guard has gone about one subject.

use serde::{Deserialize, Serialize};

/// The level of the last intervention about one subject, and its turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ladder {
    level: u8,
    turn: u64,
    changes: u64,
}

impl Ladder {
    /// An intervention at this level in this turn, after this many changes.
    pub(crate) fn at(level: u8, turn: u64, changes: u64) -> Self {
        Self { level, turn, changes }
    }

    /// The level reached, 0 before the first intervention; at most `kept` if anything changed since.
    pub(crate) fn level(self, changes: u64, kept: u8) -> u8 {
        if self.changes == changes { self.level } else { self.level.min(kept) }
    }

    /// The turn of the last intervention, 0 before the first.
    pub(crate) fn turn(self) -> u64 {
        self.turn
    }

    /// Resets the level. The turn stays, because the guard's message is still in view.
    pub(crate) fn restart(&mut self) {
        self.level = 0;
    }
}
