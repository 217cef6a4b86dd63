//! Many trials of one scenario with one guard, and counts of them.

use std::ops::RangeInclusive;
use std::sync::Arc;

pub(crate) use crate::common::recipe::recipe;
use crate::common::seeds;
use balk::engine::{self, Trial, TruthChannel};
use balk::grade;
use balk_guards::Guard;
use balk_reports::records::Grade;
use balk_scenarios::{Scenario, World, WorldOptions};
use rayon::prelude::*;

/// Shares are required, and some are near their limits, so one hundred seeds would leave the result to chance.
pub(crate) fn criterion() -> RangeInclusive<u64> {
    0..=3 * (seeds().end() + 1) - 1
}

/// One run.
pub(crate) struct Run {
    pub(crate) seed: u64,
    pub(crate) grade: Grade,
    pub(crate) trial: Trial,
}

/// Makes a guard for one run; the truth channel is for the oracle only.
pub(crate) type Make<'a> = &'a (dyn Fn(&TruthChannel) -> Box<dyn Guard> + Sync);

/// Runs a scenario with these seeds, with a new guard for each.
pub(crate) fn runs(scenario: &Arc<Scenario>, seeds: RangeInclusive<u64>, make: Make<'_>) -> Vec<Run> {
    runs_with(scenario, WorldOptions::default(), seeds, make)
}

/// Runs a scenario with these options.
pub(crate) fn runs_with(
    scenario: &Arc<Scenario>,
    options: WorldOptions,
    seeds: RangeInclusive<u64>,
    make: Make<'_>,
) -> Vec<Run> {
    let run = |seed| {
        let world = World::draw(scenario, seed, options);
        let channel = TruthChannel::default();
        let trial = engine::run(&world, &mut make(&channel), &channel);
        Run { seed, grade: grade::grade(&trial), trial }
    };
    seeds.into_par_iter().map(run).collect()
}

/// Runs a scenario with a stack as on the command line.
pub(crate) fn under(scenario: &Arc<Scenario>, seeds: RangeInclusive<u64>, spec: &str) -> Vec<Run> {
    let recipe = recipe(spec);
    runs(scenario, seeds, &|channel| Box::new(recipe.stack(channel)))
}

pub(crate) fn recovered(runs: &[Run]) -> usize {
    runs.iter().filter(|run| run.grade.recovered()).count()
}
