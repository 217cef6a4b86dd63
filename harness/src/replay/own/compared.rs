//! Recorded actions beside those that a guard would take.

use balk_guards::{Conclusion, GuardFault, Transcript};
use balk_reports::records::InterventionRecord;
use serde::Serialize;

use crate::import::Outcome;

/// One of our records, replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    /// The scenario's name.
    pub scenario: String,
    /// The seed, as text.
    pub seed: String,
    /// The recorded guards.
    pub recorded: String,
    /// The guards that were asked in the replay.
    pub asked: String,
    /// The number of completions.
    pub turns: u64,
    /// Whether the goal was met.
    pub outcome: Outcome,
    /// What happened.
    pub entries: Transcript,
    /// Every turn with an action on either side, and the first difference.
    pub answers: Vec<Compared>,
    /// The turn and the fault, if a guard broke in the replay and not in the record.
    pub fault: Option<(u64, GuardFault)>,
}

/// The actions of one turn, recorded and replayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// The turn, from 1. A failed attempt belongs to the turn that it delays.
    pub turn: u64,
    /// The recorded actions.
    pub recorded: Vec<Action>,
    /// The actions that the guards would take.
    pub found: Vec<Action>,
}

/// An action of the loop that a guard asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "did", rename_all = "kebab-case")]
pub enum Action {
    /// An intervention.
    Intervened(InterventionRecord),
    /// A call runs again. The record does not have the length of the wait.
    Reran {
        /// Its index in the completion.
        call: usize,
    },
    /// A request is sent again.
    Resent {
        /// Ticks waited before the resend.
        after: u64,
    },
    /// The end is explained to the user.
    Concluded(Box<Conclusion>),
    /// The guard broke.
    Broke {
        /// The guard and the reason.
        why: String,
    },
}

impl Own {
    /// Whether the guards of the record were asked: then both columns must be equal.
    #[must_use]
    pub fn is_held_to_record(&self) -> bool {
        self.recorded == self.asked
    }

    /// The turns worth showing: every turn with an action on either side. If the record is held to what it says, only
    /// the first difference, because everything after it follows from it.
    pub fn shown(&self) -> impl Iterator<Item = &Compared> {
        let all = !self.is_held_to_record();
        let first = self.difference().map(|it| it.turn);
        self.answers
            .iter()
            .filter(move |it| all || (Some(it.turn) == first && it.recorded != it.found))
            .take(if all { usize::MAX } else { 1 })
    }

    /// The first turn with different actions.
    #[must_use]
    pub fn difference(&self) -> Option<&Compared> {
        self.answers.iter().find(|it| it.recorded != it.found)
    }
}
