//! Runs the catalogue and the drawn worlds under every stack of an audit.

use std::ops::RangeInclusive;
use std::sync::Arc;

use balk_guards::Protocol;
use balk_scenarios::{Reactions, World, WorldOptions};
use rayon::prelude::*;

use super::audited::{Audited, Effect, Place, Reached, Undeclared};
use super::cast::{self, Cast, casts};
use super::change::{Change, changes};
use super::expectation::{Facts, Tallies};
use super::figure::Pairs;
use super::reach::{Found, Row, found, is_audited, rows};
use super::setup::{Setup, setups};
use crate::engine::{self, Trial, TruthChannel};
use crate::guards::{BadStack, Config, Recipe, Registry};

/// The input of an audit.
#[derive(Clone, Debug)]
pub struct Audit<'a> {
    /// All guards.
    pub registry: &'a Registry,
    /// The stack, as on the command line.
    pub guard: &'a str,
    /// Settings that the spec of the stack overrides.
    pub config: &'a Config,
    /// The seeds of each scenario and of each kind of drawn worlds.
    pub seeds: RangeInclusive<u64>,
    /// Those of the seeds with which other settings and guards alone are played: it takes few to see whether a rung is
    /// reached and whether a transcript differs, and many to see whether a figure does.
    pub few: RangeInclusive<u64>,
    /// Measured reactions in place of those of the scenarios.
    pub reactions: Option<Reactions>,
}

impl Audit<'_> {
    /// The number of units to run; a unit is one scenario with one seed.
    #[must_use]
    pub fn units(&self) -> u64 {
        cast::count() as u64 * (self.seeds.end() - self.seeds.start() + 1)
    }

    /// The rungs of the audited guards.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn rows(&self) -> Result<Vec<Row>, BadStack> {
        let setups = setups(self.registry, self.guard, self.config)?;
        let mut rows = rows(self.registry);
        rows.retain(|row| is_audited(self.registry, &setups[0].stack, &row.guard));
        Ok(rows)
    }

    /// Runs everything, and calls `done` after each unit. The result is the same for any number of threads.
    ///
    /// # Errors
    /// A guard that is not registered, or settings that it does not accept.
    pub fn run(&self, done: &(impl Fn() + Sync)) -> Result<Audited, BadStack> {
        let changes = changes(self.registry, self.guard, self.config)?;
        let rows = rows(self.registry);
        let setups = setups(self.registry, self.guard, self.config)?;
        let casts = casts(&setups);
        let options = WorldOptions { reactions: self.reactions, ..WorldOptions::default() };
        let bench = Bench { few: &self.few, rows: &rows, setups: &setups, changes: &changes, options };
        let mut sums = Sums::new(&bench);
        // One scenario at a time, because the facts about all trials would fill the memory.
        for cast in &casts {
            let units: Vec<(u64, Unit)> = self
                .seeds
                .clone()
                .into_par_iter()
                .map(|seed| {
                    let unit = bench.unit(cast, seed);
                    done();
                    (seed, unit)
                })
                .collect();
            for (seed, unit) in units {
                sums.add(cast, seed, unit);
            }
        }
        let mut audited = sums.audited(casts.len());
        audited.rows.retain(|(row, _)| is_audited(self.registry, &setups[0].stack, &row.guard));
        Ok(audited)
    }
}

/// Everything that runs for each scenario and seed.
struct Bench<'a> {
    few: &'a RangeInclusive<u64>,
    rows: &'a [Row],
    setups: &'a [Setup],
    changes: &'a [(Change, Recipe)],
    options: WorldOptions,
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
        let scenario = cast.scenario(seed);
        let world = World::draw(&scenario, seed, self.options);
        let base = trial(&world, &self.setups[0].stack);
        let reached = found(&base.entries, self.rows);
        let mut others: Vec<(usize, Found)> = Vec::new();
        let is_of_few = self.few.contains(&seed);
        for &setup in cast.setups.iter().filter(|&&setup| setup > 0 && is_of_few) {
            let stack = &self.setups[setup].stack;
            let run = match cast.with_settings.get(&setup) {
                None => trial(&world, stack),
                Some(it) => trial(&World::draw(it, seed, self.options), stack),
            };
            others.push((setup, found(&run.entries, self.rows)));
        }
        let language = match scenario.protocol {
            Protocol::Text => world.drawn().into_iter().find(|(name, _)| name == "language"),
            Protocol::Tool => None,
        };
        let language = language.map_or_else(String::new, |(_, language)| language).into();
        let after = |(change, stack): &(Change, Recipe)| {
            if !(is_of_few || change.is_removal()) || change.is_unfelt(&reached, self.rows) {
                return None;
            }
            let trial = trial(&world, stack);
            (trial != base).then(|| Facts::of(&scenario, &trial, &language))
        };
        let after = self.changes.iter().map(after).collect();
        let before = Facts::of(&scenario, &base, &language);
        others.push((0, reached));
        Unit { before, after, found: others }
    }
}

fn trial(world: &Arc<World>, stack: &Recipe) -> Trial {
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
    pairs: Vec<Pairs>,
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
            pairs: vec![Pairs::default(); bench.changes.len()],
            effects: vec![Effect::default(); bench.changes.len()],
        }
    }

    fn add(&mut self, cast: &Cast, seed: u64, unit: Unit) {
        let name = &cast.name;
        for (setup, found) in unit.found {
            for row in found.rows {
                count(&mut self.reached[setup][row], name, seed);
            }
            let Setup { stack, sets, .. } = &self.bench.setups[setup];
            self.undeclared.extend(found.undeclared.into_iter().map(|what| Undeclared {
                guard: stack.spec().to_owned(),
                scenario: Arc::clone(name),
                sets,
                seed,
                what,
            }));
        }
        self.before.add(name, cast.written(), &unit.before);
        for (change, facts) in unit.after.iter().enumerate() {
            self.after[change].add(name, cast.written(), facts.as_ref().unwrap_or(&unit.before));
            if let Some(facts) = facts {
                self.pairs[change].add(&[name, &cast.suite], &unit.before.measured, &facts.measured);
                count(&mut self.effects[change].differs, name, seed);
            }
        }
    }

    fn audited(mut self, scenarios: usize) -> Audited {
        let Bench { rows, changes, .. } = *self.bench;
        let unmet = self.before.broken();
        for ((effect, after), pairs) in self.effects.iter_mut().zip(&self.after).zip(&self.pairs) {
            effect.broken = after.broken();
            effect.broken.retain(|it| !unmet.iter().any(|was| was.is_of(it)));
            (effect.worse, effect.better) = pairs.moved();
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
fn count(places: &mut Vec<Place>, scenario: &Arc<str>, seed: u64) {
    match places.last_mut() {
        Some(place) if place.scenario == *scenario => place.trials += 1,
        _ => places.push(Place { scenario: Arc::clone(scenario), seed, trials: 1 }),
    }
}
