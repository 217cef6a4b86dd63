//! The input of a bench: scenarios in three response models, stacks, and the plan that its record carries.

use std::collections::BTreeSet;
use std::sync::Arc;

use balk_guards::Protocol;
use balk_reports::records::{
    BENCH_SCHEMA, DRAWS, Drawn, Plan, PlannedLive, PlannedParameter, PlannedReactions, PlannedScenario,
    PlannedStack, PlannedTranscripts, Suite, without_paths,
};
use balk_scenarios::reactions::{self, Measured};
use balk_scenarios::response::{PARAMETERS, Parameter};
use balk_scenarios::{Kind, Pools, Reactions, ResponseMode, Scenario, WorldOptions, Worlds};
use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_128;

use crate::guards::{Config, NONE, Recipe};
use crate::simulate::Simulation;

/// Scenarios and stacks, ready to run.
#[derive(Debug)]
pub struct Matrix {
    pub(crate) plan: Plan,
    worlds: Vec<(Worlds, Vec<(String, String)>)>,
    pub(crate) stacks: Vec<Recipe>,
    pools: Pools,
    reactions: Option<Reactions>,
}

/// A digest of the sources of this program, if it was built in a clone: build.rs.
pub const BUILD: Option<&str> = option_env!("BALK_BUILD");

/// The response model as measured, and the two others.
const MODES: [ResponseMode; 3] = [ResponseMode::Features, ResponseMode::Flat, ResponseMode::Drawn];

/// A scenario to measure.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its name or its file, as on the command line.
    pub target: String,
    /// Where it comes from.
    pub suite: Suite,
    /// The text that it depends on: that of its file, or of all plans.
    pub text: String,
    /// Values that a sweep sets in it.
    pub set: Vec<(String, String)>,
    /// What its seeds are played on.
    pub worlds: Worlds,
}

/// Settings for all scenarios of a bench.
#[derive(Clone, Debug)]
pub struct Setting<'a> {
    /// The scenarios that were asked for.
    pub suite: &'a str,
    /// The swept value.
    pub sweep: Option<&'a str>,
    /// The stacks; the baseline goes before them.
    pub stacks: Vec<Recipe>,
    /// Settings of guards that are not on the command line, as the plan records them.
    pub config: &'a Config,
    /// The pools that the seeds draw from.
    pub pools: Pools,
    /// The first and the last seed.
    pub seeds: [u64; 2],
    /// Values that are set in all scenarios.
    pub set: &'a [(String, String)],
}

impl Matrix {
    /// The matrix for these scenarios and stacks, with the baseline first.
    #[must_use]
    pub fn new(asked: Vec<Asked>, setting: Setting<'_>) -> Self {
        let Setting { suite, sweep, stacks, config, pools, seeds, set } = setting;
        let others = stacks.into_iter().filter(|it| it.spec() != NONE);
        let stacks: Vec<Recipe> = std::iter::once(Recipe::none()).chain(others).collect();
        let in_files = asked.iter().filter(|it| it.suite == Suite::File);
        let named: Vec<_> = in_files.map(|it| (&*it.target, it.worlds.name())).collect();
        let files: Vec<(&str, &str)> = named.iter().map(|(target, name)| (*target, &**name)).collect();
        let plan = Plan {
            schema: BENCH_SCHEMA,
            balk: env!("CARGO_PKG_VERSION").to_owned(),
            build: BUILD.map(str::to_owned),
            suite: without_paths(suite, &files),
            sweep: sweep.map(str::to_owned),
            live: None,
            reactions: None,
            seeds,
            pools,
            set: drawn(set),
            config: config.as_json(),
            transcripts: None,
            stacks: stacks.iter().map(planned_stack).collect(),
            parameters: PARAMETERS.iter().map(parameter).collect(),
            scenarios: asked.iter().map(planned).collect(),
        };
        // The value of a sweep comes last, so it replaces an earlier one.
        let worlds = asked.into_iter().map(|it| (it.worlds, [set, &it.set].concat())).collect();
        Self { plan, worlds, stacks, pools, reactions: None }
    }

    /// The same, for a real model that is asked like this.
    #[must_use]
    pub fn live(mut self, planned: PlannedLive) -> Self {
        self.plan.live = Some(planned);
        // The response model has no part in it.
        self.plan.parameters.clear();
        self
    }

    /// The same, with these transcripts kept beside the record.
    #[must_use]
    pub fn keeping(mut self, transcripts: Option<PlannedTranscripts>) -> Self {
        self.plan.transcripts = transcripts;
        self
    }

    /// The same, with actors that take corrections as was measured, whatever the scenarios say. `file` is the name of
    /// the file of these reactions.
    ///
    /// # Panics
    /// If the text of the reactions is not TOML.
    #[must_use]
    pub fn reacting(mut self, file: String, measured: &Measured) -> Self {
        let written: Map<String, Value> =
            toml::from_str(&reactions::write(measured)).expect("what is written can be read");
        self.plan.reactions = Some(PlannedReactions {
            file,
            name: measured.name.clone(),
            measured: measured.measured.clone(),
            profile: measured.profile_name().to_owned(),
            parameters: written["parameters"].as_object().expect("a table").clone(),
        });
        self.reactions = Some(measured.reactions());
        self
    }

    /// The plan, with which the record begins.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The files of guards in other processes that have to stay the same in all parts of the record; none without such
    /// guards.
    pub(crate) fn files(&self) -> Option<String> {
        if !self.stacks.iter().any(Recipe::runs_commands) {
            return None;
        }
        let files: BTreeSet<&str> =
            self.plan.stacks.iter().flat_map(|it| it.files.keys()).map(String::as_str).collect();
        let names: Vec<&str> = files.into_iter().collect();
        Some(if names.is_empty() { "none that Balk knows of".to_owned() } else { names.join(", ") })
    }

    /// The scenario of a seed in this place of the plan.
    pub(crate) fn scenario(&self, place: usize, seed: u64) -> Arc<Scenario> {
        self.worlds[place].0.scenario(seed, self.pools)
    }

    /// Every stack on this scenario, each under the three response models.
    pub(super) fn simulations<'a>(&'a self, scenario: &'a Arc<Scenario>) -> Vec<[Simulation<'a>; 3]> {
        let options = MODES.map(|response| WorldOptions {
            pools: self.pools,
            response,
            reactions: self.reactions,
            ..WorldOptions::default()
        });
        let of = |stack| options.map(|options| Simulation::new(scenario, stack, options));
        self.stacks.iter().map(of).collect()
    }

    /// The values of this scenario that differ from its file.
    pub(crate) fn set(&self, scenario: usize) -> &[(String, String)] {
        &self.worlds[scenario].1
    }
}

fn parameter(it: &Parameter) -> PlannedParameter {
    PlannedParameter {
        name: it.name.to_owned(),
        range: [it.range.0, it.range.1],
        high: (0..DRAWS).filter(|draw| it.is_high(*draw)).collect(),
    }
}

fn planned_stack(recipe: &Recipe) -> PlannedStack {
    PlannedStack { guard: recipe.spec().to_owned(), about: recipe.about().to_owned(), files: recipe.files() }
}

fn planned(asked: &Asked) -> PlannedScenario {
    let worlds = &asked.worlds;
    PlannedScenario {
        name: worlds.name().into_owned(),
        set: drawn(&asked.set),
        suite: asked.suite,
        // Worlds of both kinds are asked for: some of them balk.
        kind: worlds.kind().unwrap_or(Kind::Stubborn),
        protocol: match worlds.protocol() {
            Some(Protocol::Tool) => "tool",
            Some(Protocol::Text) => "text",
            None => "drawn",
        }
        .to_owned(),
        title: worlds.title().to_owned(),
        unreachable: worlds.unreachable().map(str::to_owned),
        text: format!("{:032x}", xxh3_128(asked.text.as_bytes())),
    }
}

fn drawn(set: &[(String, String)]) -> Vec<Drawn> {
    set.iter().map(|(name, value)| Drawn { name: name.clone(), value: value.clone() }).collect()
}
