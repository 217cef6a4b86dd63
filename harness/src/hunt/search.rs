//! The search: which worlds to play next, and what was found.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use balk_scenarios::{Pools, Reactions, WorldOptions, Worlds};
use rayon::prelude::*;

use super::field::Field;
use super::prey::Prey;
use crate::guards::Recipe;
use crate::simulate::Simulation;

/// What to hunt, and where.
#[derive(Clone, Copy, Debug)]
pub struct Hunt<'a> {
    /// The worlds.
    pub worlds: &'a Worlds,
    /// The stack.
    pub stack: &'a Recipe,
    /// What is hunted.
    pub prey: &'a [Prey],
    /// Which parts may be drawn.
    pub pools: Pools,
    /// Measured reactions in place of the population.
    pub reactions: Option<Reactions>,
    /// The first seed.
    pub seed: u64,
    /// The number of trials.
    pub trials: u64,
}

/// A trial that shows a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Find {
    /// What it shows.
    pub prey: Prey,
    /// How bad it is; see [`Prey::severity`].
    pub severity: u32,
    /// The seed of its world.
    pub seed: u64,
    /// The skeleton of its world.
    pub skeleton: String,
    /// Its field.
    pub field: Field,
}

/// The result of a hunt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunted {
    /// Every skeleton with a problem, once for each kind of problem, in the order in which they were found.
    pub finds: Vec<Find>,
    /// Trials, each with another skeleton.
    pub trials: u64,
    /// Worlds that were composed.
    pub composed: u64,
    /// By field: trials, and trials that show a problem.
    pub fields: BTreeMap<Field, [u64; 2]>,
}

/// Worlds that are composed for each one that is played.
const CANDIDATES: u64 = 8;
/// Worlds that are chosen before any of them is played.
const BATCH: u64 = 64;

/// A world that could be played next.
struct Candidate {
    seed: u64,
    skeleton: String,
    field: Field,
}

/// Hunts until the trials are done, or nothing new is drawn, or `follow` breaks it off. `follow` gets what has been
/// found so far, after each batch.
#[must_use]
pub fn hunt(hunt: &Hunt<'_>, mut follow: impl FnMut(&Hunted) -> ControlFlow<()>) -> Hunted {
    let mut hunted = Hunted::default();
    let mut played = BTreeSet::new();
    while hunted.trials < hunt.trials {
        let batch = batch(hunt, &mut hunted, &mut played);
        if batch.is_empty() {
            break;
        }
        let found: Vec<Vec<(Prey, u32)>> = batch.par_iter().map(|it| play(hunt, it.seed)).collect();
        for (candidate, found) in batch.into_iter().zip(found) {
            hunted.add(candidate, &found);
        }
        if follow(&hunted).is_break() {
            break;
        }
    }
    hunted
}

/// The worlds that are played next.
fn batch(hunt: &Hunt<'_>, hunted: &mut Hunted, played: &mut BTreeSet<String>) -> Vec<Candidate> {
    let wanted = BATCH.min(hunt.trials - hunted.trials);
    let first = hunt.seed.saturating_add(hunted.composed);
    let seeds: Vec<u64> = (first..first.saturating_add(wanted * CANDIDATES)).collect();
    hunted.composed += seeds.len() as u64;
    let skeleton = |seed| hunt.worlds.scenario(seed, hunt.pools).skeleton.as_deref().map(str::to_owned);
    let skeletons: Vec<Option<String>> = seeds.par_iter().map(|seed| skeleton(*seed)).collect();
    let mut seen = BTreeSet::new();
    let mut candidates: Vec<Candidate> = Vec::new();
    for (seed, skeleton) in seeds.into_iter().zip(skeletons) {
        // A written scenario is one skeleton, under its name.
        let skeleton = skeleton.unwrap_or_else(|| hunt.worlds.name().into_owned());
        if !played.contains(&skeleton) && seen.insert(skeleton.clone()) {
            candidates.push(Candidate { seed, field: Field::of(&skeleton), skeleton });
        }
    }
    // Trials of this batch count as well, so that it does not go to one field alone.
    let mut trials: BTreeMap<Field, u64> =
        hunted.fields.iter().map(|(field, [trials, _])| (field.clone(), *trials)).collect();
    let mut chosen = Vec::new();
    while (chosen.len() as u64) < wanted && !candidates.is_empty() {
        let is_greedy = chosen.len() % 2 == 0;
        let rank = |field: &Field| {
            let trials = trials.get(field).copied().unwrap_or(0);
            let found = hunted.fields.get(field).map_or(0, |[_, found]| *found);
            // Laplace's rule: one find and one miss more than were seen.
            if is_greedy { MILLION * (found + 1) / (trials + 2) } else { u64::MAX - trials }
        };
        let best = (0..candidates.len()).rev().max_by_key(|at| rank(&candidates[*at].field)).unwrap_or(0);
        let candidate = candidates.remove(best);
        *trials.entry(candidate.field.clone()).or_default() += 1;
        played.insert(candidate.skeleton.clone());
        chosen.push(candidate);
    }
    chosen
}

const MILLION: u64 = 1_000_000;

/// What the trial of this seed shows, and how bad it is.
fn play(hunt: &Hunt<'_>, seed: u64) -> Vec<(Prey, u32)> {
    let scenario = hunt.worlds.scenario(seed, hunt.pools);
    let options = WorldOptions { pools: hunt.pools, reactions: hunt.reactions, ..WorldOptions::default() };
    let simulation = Simulation::new(&scenario, hunt.stack, options);
    let trial = simulation.trial(&simulation.world(seed));
    hunt.prey.iter().map(|prey| (*prey, prey.severity(&trial))).filter(|(_, how)| *how > 0).collect()
}

impl Hunted {
    fn add(&mut self, world: Candidate, found: &[(Prey, u32)]) {
        let Candidate { seed, skeleton, field } = world;
        self.trials += 1;
        let [trials, with_finds] = self.fields.entry(field.clone()).or_default();
        *trials += 1;
        *with_finds += u64::from(!found.is_empty());
        for &(prey, severity) in found {
            let (skeleton, field) = (skeleton.clone(), field.clone());
            self.finds.push(Find { prey, severity, seed, skeleton, field });
        }
    }

    /// The worst finds, at most so many: the worst of each problem and slip first (or plan, where nothing slips), then
    /// the second of each. The problems take turns, and what shows one most often comes before the others.
    #[must_use]
    pub fn worst(&self, most: usize) -> Vec<&Find> {
        let mut groups: BTreeMap<(Prey, &str), Vec<&Find>> = BTreeMap::new();
        for find in &self.finds {
            groups.entry((find.prey, find.field.part())).or_default().push(find);
        }
        let mut groups: Vec<Vec<&Find>> = groups.into_values().collect();
        groups.iter_mut().for_each(|finds| finds.sort_by_key(|it| (Reverse(it.severity), it.seed)));
        groups.sort_by_key(|finds| Reverse(finds.len()));
        let mut ranked: Vec<([usize; 2], &Find)> = Vec::new();
        for prey in Prey::ALL {
            let of_prey = groups.iter().filter(|finds| finds[0].prey == prey);
            for (place, finds) in of_prey.enumerate() {
                ranked.extend(finds.iter().enumerate().map(|(round, find)| ([round, place], *find)));
            }
        }
        ranked.sort_by_key(|(rank, find)| (*rank, find.prey, find.seed));
        ranked.into_iter().map(|(_, find)| find).take(most).collect()
    }
}
