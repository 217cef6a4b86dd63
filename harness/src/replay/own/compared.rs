//! What was done in a record, beside what a guard would do.

use balk_guards::{Conclusion, GuardFault};
use balk_reports::records::InterventionRecord;
use serde::Serialize;

/// One of our records, replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    /// The scenario's name.
    pub scenario: String,
    /// The seed, as text.
    pub seed: String,
    /// The guards of the record.
    pub recorded: String,
    /// The guards that were asked now.
    pub asked: String,
    /// Completions.
    pub turns: u64,
    /// Every turn in which either of them did something, and the first difference.
    pub answers: Vec<Compared>,
    /// Where a guard broke now, and did not when it was recorded.
    pub fault: Option<(u64, GuardFault)>,
}

/// What was done in one turn, then and now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// The turn, from 1. A failed attempt belongs to the turn that it delays.
    pub turn: u64,
    /// What the record holds.
    pub recorded: Vec<Deed>,
    /// What the guards would do.
    pub found: Vec<Deed>,
}

/// Something that the loop does because a guard wants it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "did", rename_all = "kebab-case")]
pub enum Deed {
    /// An intervention.
    Intervened(InterventionRecord),
    /// A call runs again. How long is waited is in no record.
    Reran {
        /// Its index in the completion.
        call: usize,
    },
    /// A request is sent again.
    Resent {
        /// Ticks waited before.
        after: u64,
    },
    /// The end is explained to the user.
    Concluded(Box<Conclusion>),
    /// The guard broke.
    Broke {
        /// Who and why.
        why: String,
    },
}

impl Own {
    /// True where the guards of the record were asked: then both columns must be equal.
    #[must_use]
    pub fn is_held_to_record(&self) -> bool {
        self.recorded == self.asked
    }

    /// What is worth showing: every turn in which something was or would be done; where the record is held to
    /// what it says, the first difference alone, because everything after it follows from it.
    pub fn shown(&self) -> impl Iterator<Item = &Compared> {
        let all = !self.is_held_to_record();
        let first = self.difference().map(|it| it.turn);
        self.answers
            .iter()
            .filter(move |it| all || (Some(it.turn) == first && it.recorded != it.found))
            .take(if all { usize::MAX } else { 1 })
    }

    /// The first turn in which something else was done.
    #[must_use]
    pub fn difference(&self) -> Option<&Compared> {
        self.answers.iter().find(|it| it.recorded != it.found)
    }
}
