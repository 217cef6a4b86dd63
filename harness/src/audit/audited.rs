//! What an audit found.

use super::change::Change;
use super::expectation::Broken;
use super::reach::Row;
use super::setup::{Sets, beyond_trials};

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audited {
    /// Scenarios that were run.
    pub scenarios: usize,
    /// Every rung there is, with where it is reached; none for a dead one.
    pub rows: Vec<(Row, Option<Reached>)>,
    /// What was done and is not declared: the stack, the scenario and seed, and what.
    pub undeclared: Vec<Undeclared>,
    /// What does not hold before anything is changed, and so can notice nothing.
    pub unmet: Vec<Broken>,
    /// Every change, with what came of it; of the rungs those that the audited stack comes to.
    pub changes: Vec<(Change, Effect)>,
}

/// Where a rung is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The stack: the audited one where it reaches the rung, else the first that does.
    pub guard: String,
    /// Settings of the scenarios.
    pub sets: Sets,
    /// In the order of the catalogue.
    pub scenarios: Vec<Place>,
}

/// Trials of one scenario that have something in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The scenario.
    pub scenario: &'static str,
    /// The first seed.
    pub seed: u64,
    /// How many trials.
    pub trials: u64,
}

/// Something that was done and stands in no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undeclared {
    /// The stack.
    pub guard: String,
    /// The scenario.
    pub scenario: &'static str,
    /// Settings of it.
    pub sets: Sets,
    /// The seed.
    pub seed: u64,
    /// Guard, rule, step and level.
    pub what: String,
}

/// What came of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// The trials that differ.
    pub differs: Vec<Place>,
    /// The expectations that hold without the change, and not with it.
    pub noticed: Vec<Broken>,
}

impl Effect {
    /// The word for it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match (self.noticed.is_empty(), self.differs.is_empty()) {
            (false, _) => "noticed",
            (true, false) => "visible",
            (true, true) => "invisible",
        }
    }
}

impl Audited {
    /// The rungs that nothing reaches, and a trial could.
    pub fn dead(&self) -> impl Iterator<Item = &Row> {
        let unreached = self.rows.iter().filter(|(_, reached)| reached.is_none());
        unreached.map(|(row, _)| row).filter(|row| beyond_trials(row).is_none())
    }

    /// What came of taking this rung away; none where the audited stack does not come to it.
    #[must_use]
    pub fn without(&self, row: &Row) -> Option<&Effect> {
        let it = self.changes.iter().find(|(change, _)| matches!(change, Change::Rung(it) if it == row));
        it.map(|(_, effect)| effect)
    }

    /// The guards whose removal no expectation notices.
    pub fn unnoticed_guards(&self) -> impl Iterator<Item = &str> {
        self.changes.iter().filter_map(|(change, effect)| match change {
            Change::Guard(name) if effect.noticed.is_empty() => Some(&**name),
            Change::Guard(_) | Change::Rung(_) | Change::Setting { .. } | Change::Budget { .. } => None,
        })
    }

    /// Whether every rung is reached and declared, and the removal of every guard is noticed.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.dead().next().is_none() && self.undeclared.is_empty() && self.unnoticed_guards().next().is_none()
    }
}
