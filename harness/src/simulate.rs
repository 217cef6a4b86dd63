//! Trials by name: a scenario, a stack as on the command line, and a seed.

use std::ops::RangeInclusive;
use std::sync::Arc;

use balk_guards::Entry;
use balk_reports::records::{Counts, TrialRecord};
use balk_scenarios::{ResponseMode, Scenario, World, WorldOptions, Worlds};
use rayon::prelude::*;

use crate::engine::{self, Person, Trial, TruthChannel};
use crate::grade;
use crate::guards::{Reach, Recipe};

/// A scenario with a stack, to run with many seeds.
#[derive(Clone, Copy, Debug)]
pub struct Simulation<'a> {
    scenario: &'a Arc<Scenario>,
    recipe: &'a Recipe,
    options: WorldOptions,
}

impl<'a> Simulation<'a> {
    /// A scenario with a stack.
    #[must_use]
    pub fn new(scenario: &'a Arc<Scenario>, recipe: &'a Recipe, options: WorldOptions) -> Self {
        let response = match recipe.reach() {
            Reach::Model => options.response,
            Reach::Everything => ResponseMode::Certain,
        };
        Self { scenario, recipe, options: WorldOptions { response, ..options } }
    }

    /// Whether both have the same worlds.
    pub(crate) fn shares_worlds(&self, other: &Self) -> bool {
        Arc::ptr_eq(self.scenario, other.scenario) && self.options == other.options
    }

    /// The world of a seed.
    #[must_use]
    pub fn world(&self, seed: u64) -> Arc<World> {
        World::draw(self.scenario, seed, self.options)
    }

    /// One trial in its world.
    #[must_use]
    pub fn trial(&self, world: &Arc<World>) -> Trial {
        let channel = TruthChannel::default();
        engine::run(world, &mut self.recipe.stack(&channel), &channel)
    }

    /// One trial in its world; `see` gets each entry as it is committed, and `person` answers the questions.
    #[must_use]
    pub fn watched(&self, world: &Arc<World>, see: &mut dyn FnMut(&Entry), person: &mut dyn Person) -> Trial {
        let channel = TruthChannel::default();
        let mut stack = self.recipe.stack(&channel);
        engine::run_with(world, &mut stack, &channel, person, see)
    }

    /// The record of one trial.
    #[must_use]
    pub fn record(&self, seed: u64, set: &[(String, String)]) -> TrialRecord {
        let world = self.world(seed);
        self.recorded(&world, set, &self.trial(&world))
    }

    /// The record of a trial that ran in this world.
    #[must_use]
    pub fn recorded(&self, world: &World, set: &[(String, String)], trial: &Trial) -> TrialRecord {
        grade::record(world, self.recipe.spec(), set, trial)
    }
}

/// Counts over seeds. Calls `done` after each seed. The result is the same for any number of threads.
#[must_use]
pub fn counts(
    worlds: &Worlds,
    recipe: &Recipe,
    options: WorldOptions,
    seeds: RangeInclusive<u64>,
    done: &(impl Fn() + Sync),
) -> Counts {
    seeds
        .into_par_iter()
        .map(|seed| {
            let scenario = worlds.scenario(seed, options.pools);
            let simulation = Simulation::new(&scenario, recipe, options);
            let mut counts = Counts::default();
            counts.add(&grade::grade(&simulation.trial(&simulation.world(seed))));
            done();
            counts
        })
        .reduce(Counts::default, |a, b| a.plus(&b))
}
