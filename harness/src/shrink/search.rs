//! The search: the smallest scenario so far, and one attempt after another at a smaller one.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use balk_scenarios::format::Document;
use balk_scenarios::{Scenario, World, toolsets};
use toml_edit::DocumentMut;
use xxhash_rust::xxh3::xxh3_128;

use super::case::{Case, Progress, Shrunk, Unfit};
use super::document;
use super::shows::{Shows, Sign};
use crate::engine::Trial;
use crate::guards::Recipe;
use crate::simulate::Simulation;

/// The file name in messages, which are never shown.
const FILE: &str = "shrunk.toml";

/// What a contrast did at the start, and must do at the end.
struct Contrast<'a> {
    stack: &'a Recipe,
    /// It did not show the problem.
    is_clean: bool,
    /// It reached the goal.
    is_done: bool,
}

impl Contrast<'_> {
    fn holds(&self, sign: &Sign<'_>, trial: &Trial) -> bool {
        (!self.is_clean || !sign.is_in(trial)) && (!self.is_done || trial.goal)
    }
}

/// The smallest so far.
pub(super) struct Search<'a> {
    case: &'a Case<'a>,
    sign: Sign<'a>,
    contrasts: Vec<Contrast<'a>>,
    document: DocumentMut,
    scenario: Arc<Scenario>,
    seed: u64,
    changes: usize,
    tries: u32,
    /// Failed attempts: a hash of the text, and the seed.
    failed: BTreeSet<(u128, u64)>,
}

impl<'a> Search<'a> {
    /// Starts with the given trial.
    pub(super) fn new(case: &'a Case<'a>) -> Result<Self, Unfit> {
        let scenario = case.scenario.clone();
        let trial = played(case, &scenario, case.stack, case.seed);
        let sign = Sign::of(&trial, case.shows).ok_or_else(|| Unfit(Shows::all(&trial)))?;
        let contrast = |stack| {
            let trial = played(case, &scenario, stack, case.seed);
            Contrast { stack, is_clean: !sign.is_in(&trial), is_done: trial.goal }
        };
        let contrasts = case.contrasts.iter().map(contrast).collect();
        let mut document = case.text.parse().expect("a good scenario is TOML");
        document::drop_other(&mut document, scenario.kind);
        Ok(Self {
            case,
            sign,
            contrasts,
            document,
            scenario,
            seed: case.seed,
            changes: 0,
            tries: 0,
            failed: BTreeSet::new(),
        })
    }

    /// Keeps a change if the file is still valid and the trial still shows the problem. Returns whether it was kept.
    pub(super) fn edit(&mut self, change: impl FnOnce(&mut DocumentMut)) -> bool {
        if self.is_spent() {
            return false;
        }
        let mut changed = self.document.clone();
        change(&mut changed);
        document::tidy(&mut changed);
        let text = changed.to_string();
        let tried = (xxh3_128(text.as_bytes()), self.seed);
        if self.failed.contains(&tried) || text == self.document.to_string() {
            return false;
        }
        let read = Document::new(FILE, &text, document::played(&changed), &[])
            .and_then(|it| it.scenario(toolsets::catalogue()));
        let kept = match read {
            Ok(scenario) if self.still_shows(&scenario, self.seed) => {
                (self.document, self.scenario) = (changed, scenario);
                true
            }
            Ok(_) | Err(_) => {
                self.failed.insert(tried);
                false
            }
        };
        self.changes += usize::from(kept);
        kept
    }

    /// Keeps another seed if its trial shows the problem. Returns whether it was kept.
    pub(super) fn reseed(&mut self, seed: u64) -> bool {
        let tried = (xxh3_128(self.document.to_string().as_bytes()), seed);
        if self.is_spent() || self.failed.contains(&tried) {
            return false;
        }
        let scenario = self.scenario.clone();
        if !self.still_shows(&scenario, seed) {
            self.failed.insert(tried);
            return false;
        }
        self.seed = seed;
        self.changes += 1;
        true
    }

    fn still_shows(&mut self, scenario: &Arc<Scenario>, seed: u64) -> bool {
        self.tries += 1;
        let played = |stack: &Recipe| played(self.case, scenario, stack, seed);
        let holds = |it: &Contrast<'_>| it.holds(&self.sign, &played(it.stack));
        self.sign.is_in(&played(self.case.stack)) && self.contrasts.iter().all(holds)
    }

    /// The smallest document so far.
    pub(super) fn document(&self) -> &DocumentMut {
        &self.document
    }

    /// The values that its seed draws.
    pub(super) fn drawn(&self) -> Vec<(String, String)> {
        World::draw(&self.scenario, self.seed, self.case.options).drawn()
    }

    /// Its seed.
    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// The number of changes that were kept.
    pub(super) fn changes(&self) -> usize {
        self.changes
    }

    /// Whether the limit of tries is reached, or somebody stopped the search.
    pub(super) fn is_spent(&self) -> bool {
        self.tries >= self.case.tries || self.case.stop.load(Ordering::Relaxed)
    }

    /// The progress.
    pub(super) fn progress(&self) -> Progress {
        Progress { tries: self.tries, lines: self.document.to_string().lines().count(), seed: self.seed }
    }

    /// The smallest scenario, with its trial.
    pub(super) fn end(self) -> Shrunk {
        let simulation = Simulation::new(&self.scenario, self.case.stack, self.case.options);
        Shrunk {
            text: self.document.to_string(),
            seed: self.seed,
            record: simulation.record(self.seed, &[]),
            tries: self.tries,
            is_smallest: !self.is_spent(),
            has_contrast: self.contrasts.iter().any(|it| it.is_clean),
        }
    }
}

fn played(case: &Case<'_>, scenario: &Arc<Scenario>, stack: &Recipe, seed: u64) -> Trial {
    let simulation = Simulation::new(scenario, stack, case.options);
    simulation.trial(&simulation.world(seed))
}
