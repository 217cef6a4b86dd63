//! All that is known about the trials of a plan, and how parts of it add up.

use serde::{Deserialize, Serialize};

use super::cell::Cell;
use super::plan::{Plan, Unlike};
use super::seeds::{Seeds, SeedsTwice};
use crate::records::bootstrap::Bootstrap;

/// Everything that is known about the trials of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bench {
    /// What is measured.
    pub plan: Plan,
    /// The seeds that are done, for each scenario of the plan.
    pub done: Vec<Seeds>,
    /// One cell for each scenario and stack: all stacks of the first scenario, then of the next.
    pub cells: Vec<Cell>,
    /// What the trials of each stack cost beside those of the baseline.
    pub spent: Vec<Spent>,
}

/// Tokens of the trials of a stack over those of the same trials of the baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spent {
    /// On stubborn scenarios.
    pub stubborn: Bootstrap,
    /// On controls.
    pub control: Bootstrap,
}

/// What some trials of one scenario come to, for each stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The cells.
    pub cells: Vec<Cell>,
    /// Tokens over those of the baseline.
    pub tokens: Vec<Bootstrap>,
}

impl Part {
    /// No trials, for so many stacks.
    #[must_use]
    pub fn new(stacks: usize) -> Self {
        Self { cells: vec![Cell::default(); stacks], tokens: vec![Bootstrap::default(); stacks] }
    }

    /// Takes in what other trials come to.
    pub fn add(&mut self, other: &Self) {
        self.cells.iter_mut().zip(&other.cells).for_each(|(mine, more)| mine.add(more));
        self.tokens.iter_mut().zip(&other.tokens).for_each(|(mine, more)| *mine = mine.plus(more));
    }
}

/// Records that do not add up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Apart {
    /// They measure different things.
    Unlike(Unlike),
    /// They hold the same trials of this scenario.
    Twice {
        /// The scenario's label.
        scenario: String,
        /// The first seed that is in both.
        seed: u64,
    },
}

impl Bench {
    /// A plan of which nothing is done.
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        let done = vec![Seeds::default(); plan.scenarios.len()];
        let cells = vec![Cell::default(); plan.scenarios.len() * plan.stacks.len()];
        let spent = vec![Spent::default(); plan.stacks.len()];
        Self { plan, done, cells, spent }
    }

    /// The cells of a scenario, one for each stack.
    #[must_use]
    pub fn of_scenario(&self, scenario: usize) -> &[Cell] {
        let stacks = self.plan.stacks.len();
        &self.cells[scenario * stacks..][..stacks]
    }

    /// One cell.
    #[must_use]
    pub fn cell(&self, scenario: usize, stack: usize) -> &Cell {
        &self.of_scenario(scenario)[stack]
    }

    /// Whether every planned trial is done.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let [from, to] = self.plan.seeds;
        self.done.iter().all(|done| done.missing(from, to).next().is_none())
    }

    /// Takes in trials of some seeds of a scenario.
    ///
    /// # Errors
    /// Some of them are in it already; then nothing is taken in.
    pub fn add(&mut self, scenario: usize, seeds: &Seeds, part: &Part) -> Result<(), SeedsTwice> {
        self.add_cells(scenario, seeds, &part.cells)?;
        let is_stubborn = self.plan.scenarios[scenario].is_stubborn();
        for (spent, more) in self.spent.iter_mut().zip(&part.tokens) {
            let sums = if is_stubborn { &mut spent.stubborn } else { &mut spent.control };
            *sums = sums.plus(more);
        }
        Ok(())
    }

    fn add_cells(&mut self, scenario: usize, seeds: &Seeds, cells: &[Cell]) -> Result<(), SeedsTwice> {
        self.done[scenario] = self.done[scenario].union(seeds)?;
        let stacks = self.plan.stacks.len();
        for (mine, more) in self.cells[scenario * stacks..][..stacks].iter_mut().zip(cells) {
            mine.add(more);
        }
        Ok(())
    }

    /// Takes in all trials of another record of the same plan.
    ///
    /// # Errors
    /// The records do not add up; then nothing is taken in.
    pub fn merge(&mut self, other: &Self) -> Result<(), Apart> {
        self.plan.same(&other.plan).map_err(Apart::Unlike)?;
        for ((planned, mine), theirs) in self.plan.scenarios.iter().zip(&self.done).zip(&other.done) {
            if let Err(SeedsTwice { seed }) = mine.union(theirs) {
                return Err(Apart::Twice { scenario: planned.label(), seed });
            }
        }
        for (scenario, seeds) in other.done.iter().enumerate() {
            self.add_cells(scenario, seeds, other.of_scenario(scenario)).expect("no seed is in both");
        }
        for (mine, theirs) in self.spent.iter_mut().zip(&other.spent) {
            mine.stubborn = mine.stubborn.plus(&theirs.stubborn);
            mine.control = mine.control.plus(&theirs.control);
        }
        Ok(())
    }
}
