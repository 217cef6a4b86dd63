//! What of the guards anything depends on: which rungs are reached, and which changes are noticed.
//!
//! Every rung of every guard ([`balk_guards::rules`]) is looked for in trials of the whole catalogue: under the
//! audited stack, under each guard alone, and under each variant, and where that is not enough with settings of
//! scenarios and guards. Then the stack is changed in one place at a
//! time, a guard or a rung taken away, a setting moved by one step, and the catalogue is run again. A change
//! is *noticed* where an [expectation](Expectation) that held no longer does, *visible* where only
//! transcripts differ, *invisible* where none does.

mod change;
mod expectation;
mod reach;
mod setup;
mod without;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use balk_guards::Protocol;
use balk_scenarios::catalogue::{CATALOGUE, Listed};
use balk_scenarios::{Scenario, World, WorldOptions};
use rayon::prelude::*;

use crate::config::Config;
use crate::engine::{self, Trial, TruthChannel};
use crate::grade;
use crate::guards::{self, BadStack};

pub use change::{Change, changes};
pub use expectation::{Broken, Expectation};
pub use reach::{Found, Row, found, found_by_replay, rows};
pub use setup::{Sets, beyond_trials};

use expectation::{Facts, Tallies};
use setup::{Setup, setups};

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
    /// Settings of the scenarios.
    pub sets: Sets,
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
    /// Settings of it.
    pub sets: Sets,
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
    /// The rungs that nothing reaches, and a trial could.
    pub fn dead(&self) -> impl Iterator<Item = &Row> {
        let unreached = self.rows.iter().filter(|(_, reached)| reached.is_none());
        unreached.map(|(row, _)| row).filter(|row| beyond_trials(row).is_none())
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
        let setups = setups(self.guard);
        let casts: Vec<Cast> = CATALOGUE.iter().map(|listed| Cast::of(listed, &setups)).collect();
        let units: Vec<(&Cast, u64)> =
            casts.iter().flat_map(|cast| self.seeds.clone().map(move |seed| (cast, seed))).collect();
        let bench = Bench { audit: self, rows: &rows, setups: &setups, changes: &changes };
        let trials: Vec<Unit> = units.par_iter().map(|&(cast, seed)| bench.unit(cast, seed)).collect();

        let mut reached: Vec<Vec<Vec<Place>>> = vec![vec![Vec::new(); rows.len()]; setups.len()];
        let mut undeclared = Vec::new();
        let mut before = Tallies::default();
        let mut after = vec![Tallies::default(); changes.len()];
        let mut effects = vec![Effect::default(); changes.len()];
        for (&(Cast { name, scenario, .. }, seed), unit) in units.iter().zip(trials) {
            for (setup, found) in unit.found {
                for row in found.rows {
                    count(&mut reached[setup][row], name, seed);
                }
                undeclared.extend(found.undeclared.into_iter().map(|what| Undeclared {
                    guard: setups[setup].guard.clone(),
                    scenario: name,
                    sets: setups[setup].sets,
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
            let first = reached.iter().position(|of_setup| !of_setup[row].is_empty())?;
            let Setup { guard, sets, .. } = &setups[first];
            Some(Reached { guard: guard.clone(), sets, scenarios: reached[first][row].clone() })
        };
        let reached: Vec<Option<Reached>> = (0..rows.len()).map(reached).collect();
        Ok(Audited {
            scenarios: casts.len(),
            rows: rows.into_iter().zip(reached).collect(),
            undeclared,
            unmet,
            changes,
        })
    }
}

/// Counts a trial, of which those of one scenario come one after another.
fn count(places: &mut Vec<Place>, scenario: &'static str, seed: u64) {
    match places.last_mut() {
        Some(place) if place.scenario == scenario => place.trials += 1,
        _ => places.push(Place { scenario, seed, trials: 1 }),
    }
}

/// A scenario, as it stands and as some setups want it.
struct Cast {
    name: &'static str,
    scenario: Scenario,
    /// By the place of the setup; those that take it as it stands are not among them.
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

/// What is run for each scenario and seed.
struct Bench<'a> {
    audit: &'a Audit<'a>,
    rows: &'a [Row],
    setups: &'a [Setup],
    changes: &'a [Change],
}

/// What came of one scenario and seed.
struct Unit {
    /// By the place of the setup.
    found: Vec<(usize, Found)>,
    before: Facts,
    /// By change; none where the transcript is the same.
    after: Vec<Option<Facts>>,
}

impl Bench<'_> {
    fn unit(&self, cast: &Cast, seed: u64) -> Unit {
        let scenario = &cast.scenario;
        let world = World::draw(scenario, seed, WorldOptions::default());
        let run = |setup: usize| match cast.with_settings.get(&setup) {
            None => named(&world, &self.setups[setup].guard, self.audit.config),
            Some(it) => named(
                &World::draw(it, seed, WorldOptions::default()),
                &self.setups[setup].guard,
                self.audit.config,
            ),
        };
        let base = run(0);
        let reached = found(&base.entries, self.rows);
        let others = cast.setups.iter().filter(|&&setup| setup > 0);
        let mut found: Vec<(usize, Found)> =
            others.map(|&setup| (setup, found(&run(setup).entries, self.rows))).collect();
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
                if change.is_unfelt(&reached, self.rows) {
                    return None;
                }
                let whisper = TruthChannel::default();
                let mut stack = change
                    .stack(self.audit.guard, self.audit.config, &whisper)
                    .expect("the same change was fine when it was listed");
                let trial = engine::run(&world, &mut stack, &whisper);
                (trial != base).then(|| facts(&trial))
            })
            .collect();
        let before = facts(&base);
        found.push((0, reached));
        Unit { before, after, found }
    }
}

/// A trial under a stack by its name.
fn named(world: &World<'_>, spec: &str, config: &Config) -> Trial {
    let whisper = TruthChannel::default();
    let mut stack = guards::stack(spec, config, &whisper).expect("the stack was fine when this was begun");
    engine::run(world, &mut stack, &whisper)
}
