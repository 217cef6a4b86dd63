//! The search: which world to play next, and the worst trials so far.

use std::collections::{BTreeMap, BTreeSet};

use balk_scenarios::{Pools, World, WorldOptions, Worlds};
use rayon::prelude::*;

use super::field::Field;
use super::severity::{Prey, severity};
use crate::grade;
use crate::guards::Recipe;
use crate::simulate::Simulation;

/// What to hunt, and where.
#[derive(Clone, Debug)]
pub struct Hunt<'a> {
    /// The worlds.
    pub worlds: &'a Worlds,
    /// The stack.
    pub stack: &'a Recipe,
    /// What is hunted.
    pub prey: &'a [Prey],
    /// Which parts may be drawn.
    pub pools: Pools,
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
    /// How bad it is; see [`severity`].
    pub severity: u64,
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
    /// Trials.
    pub trials: u64,
    /// Seeds whose world was composed.
    pub composed: u64,
    /// By field: trials, and trials that show a problem.
    pub fields: BTreeMap<Field, [u64; 2]>,
}

/// Worlds that are composed for each one that is played.
const CANDIDATES: u64 = 8;
/// Worlds that are chosen before any of them is played.
const BATCH: u64 = 64;

/// Hunts.
#[must_use]
pub fn hunt(hunt: &Hunt<'_>, done: &(impl Fn() + Sync)) -> Hunted {
    let mut hunted = Hunted::default();
    let mut played = BTreeSet::new();
    let mut seed = hunt.seed;
    while hunted.trials < hunt.trials {
        let chosen = choose(hunt, &mut seed, &mut hunted, &mut played);
        if chosen.is_empty() {
            // Everything near this seed has been played before.
            return hunted;
        }
        let graded: Vec<_> = chosen
            .into_par_iter()
            .map(|(seed, skeleton)| {
                let grades = play(hunt, seed);
                done();
                (seed, skeleton, grades)
            })
            .collect();
        for (seed, skeleton, found) in graded {
            take(&mut hunted, seed, &skeleton, &found);
        }
    }
    hunted
}

/// The seeds of the next batch, each with its skeleton.
fn choose(
    hunt: &Hunt<'_>,
    seed: &mut u64,
    hunted: &mut Hunted,
    played: &mut BTreeSet<String>,
) -> Vec<(u64, String)> {
    let wanted = BATCH.min(hunt.trials - hunted.trials);
    let first = *seed;
    let seeds: Vec<u64> = (first..first.saturating_add(wanted * CANDIDATES)).collect();
    *seed = first.saturating_add(wanted * CANDIDATES);
    hunted.composed += seeds.len() as u64;
    let skeletons: Vec<(u64, String)> = seeds
        .into_par_iter()
        .map(|seed| (seed, hunt.worlds.scenario(seed, hunt.pools).skeleton().to_owned()))
        .collect();
    let mut candidates: Vec<(u64, String, Field)> = Vec::new();
    let mut seen = BTreeSet::new();
    for (seed, skeleton) in skeletons {
        if !played.contains(&skeleton) && seen.insert(skeleton.clone()) {
            let field = Field::of(&skeleton);
            candidates.push((seed, skeleton, field));
        }
    }
    // Trials of this batch count as well, so that it does not go to one field alone.
    let mut trials: BTreeMap<Field, u64> = hunted.fields.iter().map(|(it, [all, _])| (it.clone(), *all)).collect();
    let mut chosen = Vec::new();
    while chosen.len() as u64 != wanted && !candidates.is_empty() {
        let is_worst = chosen.len() % 2 == 0;
        let rank = |field: &Field| {
            let found = hunted.fields.get(field).map_or(0, |[_, found]| *found);
            let trials = trials.get(field).copied().unwrap_or(0);
            // Laplace's rule: one find and one miss more than were seen.
            if is_worst { 1_000_000 * (found + 1) / (trials + 2) } else { u64::MAX - trials }
        };
        let best = (0..candidates.len()).rev().max_by_key(|at| rank(&candidates[*at].2)).unwrap_or(0);
        let (seed, skeleton, field) = candidates.remove(best);
        *trials.entry(field).or_default() += 1;
        played.insert(skeleton.clone());
        chosen.push((seed, skeleton));
    }
    chosen
}

/// How bad the trial of this seed is in each respect.
fn play(hunt: &Hunt<'_>, seed: u64) -> Vec<(Prey, u64)> {
    let options = WorldOptions { pools: hunt.pools, ..WorldOptions::default() };
    let scenario = hunt.worlds.scenario(seed, hunt.pools);
    let world = World::draw(&scenario, seed, options);
    let grade = grade::grade(&Simulation::new(&scenario, hunt.stack, options).trial(&world));
    hunt.prey.iter().map(|prey| (*prey, severity(&grade, *prey))).filter(|(_, how)| *how > 0).collect()
}

fn take(hunted: &mut Hunted, seed: u64, skeleton: &str, found: &[(Prey, u64)]) {
    let field = Field::of(skeleton);
    hunted.trials += 1;
    let [trials, with_finds] = hunted.fields.entry(field.clone()).or_default();
    *trials += 1;
    *with_finds += u64::from(!found.is_empty());
    for &(prey, severity) in found {
        hunted.finds.push(Find { prey, severity, seed, skeleton: skeleton.to_owned(), field: field.clone() });
    }
}

impl Hunted {
    /// The worst finds, at most so many: first the worst of each kind of problem and field, then the next ones.
    #[must_use]
    pub fn worst(&self, most: usize) -> Vec<&Find> {
        let mut rounds: BTreeMap<(Prey, &Field), Vec<&Find>> = BTreeMap::new();
        for find in &self.finds {
            rounds.entry((find.prey, &find.field)).or_default().push(find);
        }
        let mut ranked: Vec<(usize, &Find)> = Vec::new();
        for of_field in rounds.values_mut() {
            of_field.sort_by_key(|it| (std::cmp::Reverse(it.severity), it.seed));
            ranked.extend(of_field.iter().copied().enumerate());
        }
        ranked.sort_by_key(|(round, it)| (*round, std::cmp::Reverse(it.severity), it.seed));
        ranked.into_iter().map(|(_, find)| find).take(most).collect()
    }
}
