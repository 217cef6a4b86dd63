//! The record of a bench, and how its parts add up.

use super::cell::Cell;
use super::plan::{Plan, PlannedTranscripts};
use super::seeds::{Seeds, SeedsTwice};
use super::unlike::Unlike;

/// The record of a bench: a plan, and the trials that are done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bench {
    /// The plan.
    pub plan: Plan,
    /// The seeds that are done, for each scenario of the plan.
    pub done: Vec<Seeds>,
    /// One cell for each scenario and stack: all stacks of the first scenario, then of the next.
    pub cells: Vec<Cell>,
    /// Of a plan that keeps failing transcripts, for each scenario how many of its done seeds have some; none if an
    /// older build made a part, and did not count them.
    pub kept: Option<Vec<u64>>,
}

/// Records that do not add up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Apart {
    /// They have different plans.
    Unlike(Unlike),
    /// They share trials of this scenario.
    Twice {
        /// The scenario's label.
        scenario: String,
        /// The first shared seed.
        seed: u64,
    },
}

impl Bench {
    /// A plan without done trials.
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        let done = vec![Seeds::default(); plan.scenarios.len()];
        let cells = vec![Cell::default(); plan.scenarios.len() * plan.stacks.len()];
        let keeps_some = plan.transcripts == Some(PlannedTranscripts::Failing);
        let kept = keeps_some.then(|| vec![0; plan.scenarios.len()]);
        Self { plan, done, cells, kept }
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
        self.done.iter().all(|done| done.ranges() == [self.plan.seeds])
    }

    /// Adds the trials of some seeds of a scenario, in a cell for each stack.
    ///
    /// # Errors
    /// The record has some of them already; then it does not change.
    pub fn add(&mut self, scenario: usize, seeds: &Seeds, cells: &[Cell]) -> Result<(), SeedsTwice> {
        self.done[scenario] = self.done[scenario].union(seeds)?;
        let stacks = self.plan.stacks.len();
        for (mine, more) in self.cells[scenario * stacks..][..stacks].iter_mut().zip(cells) {
            mine.add(more);
        }
        Ok(())
    }

    /// Adds all trials of another record of the same plan.
    ///
    /// # Errors
    /// The records do not add up; then this one does not change.
    pub fn merge(&mut self, other: &Self) -> Result<(), Apart> {
        self.plan.same(&other.plan).map_err(Apart::Unlike)?;
        for ((planned, mine), theirs) in self.plan.scenarios.iter().zip(&self.done).zip(&other.done) {
            if let Err(SeedsTwice { seed }) = mine.union(theirs) {
                return Err(Apart::Twice { scenario: planned.label(), seed });
            }
        }
        for (scenario, seeds) in other.done.iter().enumerate() {
            self.add(scenario, seeds, other.of_scenario(scenario)).expect("no seed is in both");
        }
        self.kept = match (self.kept.take(), &other.kept) {
            (Some(mine), Some(theirs)) => {
                Some(mine.iter().zip(theirs).map(|(one, other)| one + other).collect())
            }
            (None, _) | (_, None) => None,
        };
        Ok(())
    }
}
