//! Runs the catalogue under every stack of an audit.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use balk_guards::Protocol;
use balk_scenarios::catalogue::{CATALOGUE, Listed};
use balk_scenarios::{Scenario, World, WorldOptions};
use rayon::prelude::*;

use super::audited::{Audited, Effect, Place, Reached, Undeclared};
use super::change::{Change, changes};
use super::expectation::{Facts, Tallies};
use super::reach::{Found, Row, found, is_audited, rows};
use super::setup::{Sets, Setup, setups};
use crate::engine::{self, Trial, TruthChannel};
use crate::grade;
use crate::guards::{BadStack, Config, ORACLE, Recipe, Registry};

/// The input of an audit.
#[derive(Clone, Debug)]
pub struct Audit<'a> {
    /// All guards.
    pub registry: &'a Registry,
    /// The stack, as on the command line.
    pub guard: &'a str,
    /// Settings that the spec of the stack overrides.
    pub config: &'a Config,
    /// The seeds of each scenario.
    pub seeds: RangeInclusive<u64>,
}

impl Audit<'_> {
    /// The number of units to run; a unit is one scenario with one seed.
    #[must_use]
    pub fn units(&self) -> u64 {
        CATALOGUE.len() as u64 * (self.seeds.end() - self.seeds.start() + 1)
    }

    /// Runs everything, and calls `done` after each unit. The result is the same for any number of threads.
    ///
    /// # Errors
    /// A guard that is not registered, or settings that it does not accept.
    pub fn run(&self, done: &(impl Fn() + Sync)) -> Result<Audited, BadStack> {
        let changes = changes(self.registry, self.guard, self.config)?;
        let rows = rows(self.registry);
        let setups = setups(self.registry, self.guard, self.config)?;
        let oracle = Recipe::new(self.registry, ORACLE, self.config)?;
        let casts: Vec<Cast> = CATALOGUE.iter().map(|listed| Cast::of(listed, &setups)).collect();
        let units: Vec<(&Cast, u64)> =
            casts.iter().flat_map(|cast| self.seeds.clone().map(move |seed| (cast, seed))).collect();
        let bench = Bench { oracle: &oracle, rows: &rows, setups: &setups, changes: &changes };
        let trials: Vec<Unit> = units
            .par_iter()
            .map(|&(cast, seed)| {
                let unit = bench.unit(cast, seed);
                done();
                unit
            })
            .collect();
        let mut sums = Sums::new(&bench);
        for (&(cast, seed), unit) in units.iter().zip(trials) {
            sums.add(cast, seed, unit);
        }
        let mut audited = sums.audited(casts.len());
        audited.rows.retain(|(row, _)| is_audited(self.registry, &setups[0].stack, &row.guard));
        Ok(audited)
    }
}

/// A scenario, unchanged and with the settings that some setups need.
struct Cast {
    name: &'static str,
    scenario: Scenario,
    /// By the index of the setup; setups that need no settings are missing.
    with_settings: BTreeMap<usize, Scenario>,
    setups: Vec<usize>,
}

impl Cast {
    fn of(listed: &Listed, setups: &[Setup]) -> Self {
        let read = |sets: Sets| {
            let sets: Vec<_> =
                sets.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
            listed.read(&sets).expect("a test reads every file of the catalogue")
        };
        let met: Vec<usize> =
            (0..setups.len()).filter(|&at| setups[at].meets(listed.name, listed.kind)).collect();
        let other = met.iter().filter(|&&at| !setups[at].sets.is_empty());
        let with_settings = other.map(|&at| (at, read(setups[at].sets))).collect();
        Self { name: listed.name, scenario: read(&[]), with_settings, setups: met }
    }
}

/// Everything that runs for each scenario and seed.
struct Bench<'a> {
    oracle: &'a Recipe,
    rows: &'a [Row],
    setups: &'a [Setup],
    changes: &'a [(Change, Recipe)],
}

/// The results of one scenario and seed.
struct Unit {
    /// By the index of the setup.
    found: Vec<(usize, Found)>,
    before: Facts,
    /// By change; `None` if the transcript is the same.
    after: Vec<Option<Facts>>,
}

impl Bench<'_> {
    fn unit(&self, cast: &Cast, seed: u64) -> Unit {
        let scenario = &cast.scenario;
        let world = World::draw(scenario, seed, WorldOptions::default());
        let run = |setup: usize| {
            let stack = &self.setups[setup].stack;
            match cast.with_settings.get(&setup) {
                None => trial(&world, stack),
                Some(it) => trial(&World::draw(it, seed, WorldOptions::default()), stack),
            }
        };
        let base = run(0);
        let reached = found(&base.entries, self.rows);
        let others = cast.setups.iter().filter(|&&setup| setup > 0);
        let mut found: Vec<(usize, Found)> =
            others.map(|&setup| (setup, found(&run(setup).entries, self.rows))).collect();
        let could = grade::grade(&trial(&world, self.oracle)).recovered();
        let language = match scenario.protocol {
            Protocol::Text => world.drawn().into_iter().find(|(name, _)| name == "language"),
            Protocol::Tool => None,
        };
        let language = language.map_or_else(String::new, |(_, language)| language);
        let facts = |trial: &Trial| Facts::of(scenario, trial, could, &language);
        let after = self
            .changes
            .iter()
            .map(|(change, stack)| {
                if change.is_unfelt(&reached, self.rows) {
                    return None;
                }
                let trial = trial(&world, stack);
                (trial != base).then(|| facts(&trial))
            })
            .collect();
        let before = facts(&base);
        found.push((0, reached));
        Unit { before, after, found }
    }
}

fn trial(world: &World<'_>, stack: &Recipe) -> Trial {
    let channel = TruthChannel::default();
    engine::run(world, &mut stack.stack(&channel), &channel)
}

/// The results of all scenarios and seeds, in order.
struct Sums<'a> {
    bench: &'a Bench<'a>,
    /// By setup and row.
    reached: Vec<Vec<Vec<Place>>>,
    undeclared: Vec<Undeclared>,
    before: Tallies,
    /// By change, in the order of the effects.
    after: Vec<Tallies>,
    effects: Vec<Effect>,
}

impl<'a> Sums<'a> {
    fn new(bench: &'a Bench<'a>) -> Self {
        Self {
            bench,
            reached: vec![vec![Vec::new(); bench.rows.len()]; bench.setups.len()],
            undeclared: Vec::new(),
            before: Tallies::default(),
            after: vec![Tallies::default(); bench.changes.len()],
            effects: vec![Effect::default(); bench.changes.len()],
        }
    }

    fn add(&mut self, Cast { name, scenario, .. }: &Cast, seed: u64, unit: Unit) {
        for (setup, found) in unit.found {
            for row in found.rows {
                count(&mut self.reached[setup][row], name, seed);
            }
            let Setup { stack, sets, .. } = &self.bench.setups[setup];
            self.undeclared.extend(found.undeclared.into_iter().map(|what| Undeclared {
                guard: stack.spec().to_owned(),
                scenario: name,
                sets,
                seed,
                what,
            }));
        }
        self.before.add(name, scenario, &unit.before);
        for (change, facts) in unit.after.iter().enumerate() {
            self.after[change].add(name, scenario, facts.as_ref().unwrap_or(&unit.before));
            if facts.is_some() {
                count(&mut self.effects[change].differs, name, seed);
            }
        }
    }

    fn audited(mut self, scenarios: usize) -> Audited {
        let Bench { rows, changes, .. } = *self.bench;
        let unmet = self.before.broken();
        for (effect, after) in self.effects.iter_mut().zip(&self.after) {
            effect.noticed = after.broken();
            effect.noticed.retain(|it| !unmet.iter().any(|was| was.is_of(it)));
        }
        // Removing a rung that the stack does not reach has no effect.
        let on_the_way = |change: &Change| match change {
            Change::Rung(row) => {
                rows.iter().zip(&self.reached[0]).any(|(it, places)| it == row && !places.is_empty())
            }
            Change::Guard(_) | Change::Setting { .. } | Change::Budget { .. } => true,
        };
        let effects = changes.iter().map(|(change, _)| change.clone()).zip(self.effects);
        let changes = effects.filter(|(change, _)| on_the_way(change)).collect();
        let reached: Vec<Option<Reached>> =
            (0..rows.len()).map(|row| first(&self.reached, self.bench.setups, row)).collect();
        let rows = rows.iter().cloned().zip(reached).collect();
        Audited { scenarios, rows, undeclared: self.undeclared, unmet, changes }
    }
}

/// Where the first setup that reaches a rung reaches it.
fn first(reached: &[Vec<Vec<Place>>], setups: &[Setup], row: usize) -> Option<Reached> {
    let at = reached.iter().position(|of_setup| !of_setup[row].is_empty())?;
    let Setup { stack, sets, .. } = &setups[at];
    Some(Reached { guard: stack.spec().to_owned(), sets, scenarios: reached[at][row].clone() })
}

/// Counts a trial. Trials of one scenario must come one after another.
fn count(places: &mut Vec<Place>, scenario: &'static str, seed: u64) {
    match places.last_mut() {
        Some(place) if place.scenario == scenario => place.trials += 1,
        _ => places.push(Place { scenario, seed, trials: 1 }),
    }
}
