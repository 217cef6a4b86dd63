//! What of the guards anything depends on: which rungs are reached, and which changes are noticed.
//!
//! Every rung of every guard ([`balk_guards::rules`]) is looked for in trials of the whole catalogue: under the
//! audited stack, under each guard alone, and under each variant. Then the stack is changed in one place at a
//! time, a guard or a rung taken away, a setting moved by one step, and the catalogue is run again. A change
//! is *noticed* where an [expectation](Expectation) that held no longer does, *visible* where only
//! transcripts differ, *invisible* where none does.

mod change;
mod expectation;
mod reach;
mod without;

use std::ops::RangeInclusive;

use balk_guards::Protocol;
use balk_scenarios::catalogue::CATALOGUE;
use balk_scenarios::{Pools, Scenario, World};
use rayon::prelude::*;

use crate::config::Config;
use crate::engine::{self, Trial, Whisper};
use crate::grade;
use crate::guards::{self, BadStack, REGISTRY};

pub use change::{Change, changes};
pub use expectation::{Broken, Expectation};
pub use reach::{Found, Row, found, found_by_replay, rows};

use expectation::{Facts, Tallies};

/// What is audited.
#[derive(Clone, Debug)]
pub struct Audit<'a> {
    /// The stack, as on the command line.
    pub guard: &'a str,
    /// Settings beneath it.
    pub config: &'a Config,
    /// The seeds of each scenario.
    pub seeds: RangeInclusive<u64>,
}

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
    /// The rungs that nothing reaches.
    pub fn dead(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|(_, reached)| reached.is_none()).map(|(row, _)| row)
    }

    /// What came of taking this rung away; none where the audited stack does not come to it.
    #[must_use]
    pub fn without(&self, row: &Row) -> Option<&Effect> {
        let it = self.changes.iter().find(|(change, _)| matches!(change, Change::Rung(it) if it == row));
        it.map(|(_, effect)| effect)
    }

    /// The guards whose removal no expectation notices.
    pub fn unnoticed_guards(&self) -> impl Iterator<Item = &'static str> {
        self.changes.iter().filter_map(|(change, effect)| match change {
            Change::Guard(name) if effect.noticed.is_empty() => Some(*name),
            Change::Guard(_) | Change::Rung(_) | Change::Setting { .. } | Change::Budget { .. } => None,
        })
    }

    /// Whether every rung is reached and declared, and the removal of every guard is noticed.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.dead().next().is_none() && self.undeclared.is_empty() && self.unnoticed_guards().next().is_none()
    }
}

impl Audit<'_> {
    /// Runs everything. The same for any number of threads.
    ///
    /// # Errors
    /// A guard that nobody registered, or settings that it does not take.
    pub fn run(&self) -> Result<Audited, BadStack> {
        let changes = changes(self.guard, self.config)?;
        let rows = rows();
        let stacks = self.stacks();
        let scenarios: Vec<(&'static str, Scenario)> = CATALOGUE
            .iter()
            .map(|it| (it.name, it.read(&[]).expect("a test reads every file of the catalogue")))
            .collect();
        let units: Vec<(usize, u64)> =
            (0..scenarios.len()).flat_map(|at| self.seeds.clone().map(move |seed| (at, seed))).collect();
        let bench = Bench { audit: self, rows: &rows, stacks: &stacks, changes: &changes };
        let trials: Vec<Unit> =
            units.par_iter().map(|&(at, seed)| bench.unit(&scenarios[at].1, seed)).collect();

        let mut reached: Vec<Vec<Vec<Place>>> = vec![vec![Vec::new(); rows.len()]; stacks.len()];
        let mut undeclared = Vec::new();
        let mut before = Tallies::default();
        let mut after = vec![Tallies::default(); changes.len()];
        let mut effects = vec![Effect::default(); changes.len()];
        for (&(at, seed), unit) in units.iter().zip(trials) {
            let (name, scenario) = (scenarios[at].0, &scenarios[at].1);
            for (stack, found) in unit.found.into_iter().enumerate() {
                for row in found.rows {
                    count(&mut reached[stack][row], name, seed);
                }
                undeclared.extend(found.undeclared.into_iter().map(|what| Undeclared {
                    guard: stacks[stack].clone(),
                    scenario: name,
                    seed,
                    what,
                }));
            }
            before.add(name, scenario, &unit.before);
            for (change, facts) in unit.after.iter().enumerate() {
                after[change].add(name, scenario, facts.as_ref().unwrap_or(&unit.before));
                if facts.is_some() {
                    count(&mut effects[change].differs, name, seed);
                }
            }
        }
        let unmet = before.broken();
        for (effect, after) in effects.iter_mut().zip(&after) {
            effect.noticed = after.broken();
            effect.noticed.retain(|it| !unmet.iter().any(|was| was.is_of(it)));
        }
        // A rung that the stack does not come to cannot be missed in it.
        let on_the_way = |change: &Change| match change {
            Change::Rung(row) => {
                rows.iter().zip(&reached[0]).any(|(it, places)| it == row && !places.is_empty())
            }
            Change::Guard(_) | Change::Setting { .. } | Change::Budget { .. } => true,
        };
        let changes = changes.into_iter().zip(effects).filter(|(change, _)| on_the_way(change)).collect();
        let reached = |row: usize| {
            let first = reached.iter().position(|of_stack| !of_stack[row].is_empty())?;
            Some(Reached { guard: stacks[first].clone(), scenarios: reached[first][row].clone() })
        };
        let reached: Vec<Option<Reached>> = (0..rows.len()).map(reached).collect();
        Ok(Audited {
            scenarios: scenarios.len(),
            rows: rows.into_iter().zip(reached).collect(),
            undeclared,
            unmet,
            changes,
        })
    }

    /// The stacks under which rungs are looked for: the audited one first.
    fn stacks(&self) -> Vec<String> {
        let mut stacks = vec![self.guard.to_owned()];
        for row in REGISTRY.iter().filter(|row| !row.rules.is_empty()) {
            stacks.push(row.name.to_owned());
            stacks.extend(row.variants.iter().map(|it| format!("{}={}", row.name, it.name)));
        }
        stacks
    }
}

/// Counts a trial, of which those of one scenario come one after another.
fn count(places: &mut Vec<Place>, scenario: &'static str, seed: u64) {
    match places.last_mut() {
        Some(place) if place.scenario == scenario => place.trials += 1,
        _ => places.push(Place { scenario, seed, trials: 1 }),
    }
}

/// What is run for each scenario and seed.
struct Bench<'a> {
    audit: &'a Audit<'a>,
    rows: &'a [Row],
    stacks: &'a [String],
    changes: &'a [Change],
}

/// What came of one scenario and seed.
struct Unit {
    /// By stack.
    found: Vec<Found>,
    before: Facts,
    /// By change; none where the transcript is the same.
    after: Vec<Option<Facts>>,
}

impl Bench<'_> {
    fn unit(&self, scenario: &Scenario, seed: u64) -> Unit {
        let world = World::draw(scenario, seed, Pools::Open);
        let found: Vec<(Found, Trial)> = self
            .stacks
            .iter()
            .map(|spec| {
                let trial = named(&world, spec, self.audit.config);
                (found(&trial.entries, self.rows), trial)
            })
            .collect();
        let (reached, base) = &found[0];
        let could = grade::grade(&named(&world, "oracle", self.audit.config)).recovered();
        let language = match scenario.protocol {
            Protocol::Text => world.drawn().into_iter().find(|(name, _)| name == "language"),
            Protocol::Tool => None,
        };
        let language = language.map_or_else(String::new, |(_, language)| language);
        let facts = |trial: &Trial| Facts::of(scenario, trial, could, &language);
        let after = self
            .changes
            .iter()
            .map(|change| {
                if change.is_unfelt(reached, self.rows) {
                    return None;
                }
                let whisper = Whisper::default();
                let mut stack = change
                    .stack(self.audit.guard, self.audit.config, &whisper)
                    .expect("the same change was fine when it was listed");
                let trial = engine::run(&world, &mut stack, &whisper);
                (trial != *base).then(|| facts(&trial))
            })
            .collect();
        Unit { before: facts(base), after, found: found.into_iter().map(|(found, _)| found).collect() }
    }
}

/// A trial under a stack by its name.
fn named(world: &World<'_>, spec: &str, config: &Config) -> Trial {
    let whisper = Whisper::default();
    let mut stack = guards::stack(spec, config, &whisper).expect("the stack was fine when this was begun");
    engine::run(world, &mut stack, &whisper)
}
