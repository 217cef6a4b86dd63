//! The result of an audit.

use std::sync::Arc;

use super::change::Change;
use super::expectation::Broken;
use super::figure::Moved;
use super::reach::Row;
use super::setup::{Sets, beyond_trials};

/// The result of an audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audited {
    /// Scenarios that were run, and kinds of drawn worlds.
    pub scenarios: usize,
    /// Every rung of the audited guards, and where it is reached; `None` for a rung that nothing reaches.
    pub rows: Vec<(Row, Option<Reached>)>,
    /// Actions that no guard declares.
    pub undeclared: Vec<Undeclared>,
    /// Expectations that are not met before any change, and so cannot notice one.
    pub unmet: Vec<Broken>,
    /// Every change with its effect. Rungs are removed only if the audited stack reaches them.
    pub changes: Vec<(Change, Effect)>,
}

/// Where a rung is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The audited stack if it reaches the rung, else the first that does.
    pub guard: String,
    /// Settings of the scenarios, as `--set` takes them.
    pub sets: Sets,
    /// In the order of the catalogue.
    pub scenarios: Vec<Place>,
}

/// The trials of one scenario that share some property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The scenario.
    pub scenario: Arc<str>,
    /// The first seed.
    pub seed: u64,
    /// How many trials.
    pub trials: u64,
}

/// An action that no guard declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undeclared {
    /// The stack.
    pub guard: String,
    /// The scenario.
    pub scenario: Arc<str>,
    /// Settings of the scenario.
    pub sets: Sets,
    /// The seed.
    pub seed: u64,
    /// Guard, rule, step and level.
    pub what: String,
}

/// The effect of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// The trials that differ.
    pub differs: Vec<Place>,
    /// The expectations that are met without the change and not with it.
    pub broken: Vec<Broken>,
    /// The figures that are worse with the change.
    pub worse: Vec<Moved>,
    /// The figures that are better with the change.
    pub better: Vec<Moved>,
}

impl Effect {
    /// Whether an expectation or a figure notices the change.
    #[must_use]
    pub fn is_noticed(&self) -> bool {
        !self.broken.is_empty() || !self.worse.is_empty()
    }

    /// The word for the effect.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match (self.is_noticed(), self.differs.is_empty()) {
            (true, _) => "noticed",
            (false, false) => "visible",
            (false, true) => "invisible",
        }
    }
}

impl Audited {
    /// The rungs that nothing reaches although a trial could.
    pub fn dead(&self) -> impl Iterator<Item = &Row> {
        let unreached = self.rows.iter().filter(|(_, reached)| reached.is_none());
        unreached.map(|(row, _)| row).filter(|row| beyond_trials(row).is_none())
    }

    /// The effect of removing this rung; `None` if the audited stack does not reach it.
    #[must_use]
    pub fn without(&self, row: &Row) -> Option<&Effect> {
        let it = self.changes.iter().find(|(change, _)| matches!(change, Change::Rung(it) if it == row));
        it.map(|(_, effect)| effect)
    }

    /// The guards whose removal nothing notices.
    pub fn unnoticed_guards(&self) -> impl Iterator<Item = &str> {
        self.changes.iter().filter_map(|(change, effect)| match change {
            Change::Guard(name) if !effect.is_noticed() => Some(&**name),
            Change::Guard(_) | Change::Rung(_) | Change::Setting { .. } | Change::Budget { .. } => None,
        })
    }

    /// Whether every rung of the audited guards is reached and declared, and the removal of every guard is noticed.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.dead().next().is_none() && self.undeclared.is_empty() && self.unnoticed_guards().next().is_none()
    }
}
