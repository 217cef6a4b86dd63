//! The input of a bench: scenarios in three response models, stacks, and the plan that its record carries.

use balk_guards::Protocol;
use balk_reports::records::{
    BENCH_SCHEMA, DRAWS, Drawn, Plan, PlannedParameter, PlannedScenario, PlannedStack, Suite,
};
use balk_scenarios::response::{PARAMETERS, Parameter};
use balk_scenarios::{Pools, ResponseMode, Scenario, WorldOptions};
use xxhash_rust::xxh3::xxh3_128;

use crate::guards::{Config, NONE, Recipe};
use crate::simulate::Simulation;

/// Scenarios and stacks, ready to run.
#[derive(Debug)]
pub struct Matrix {
    pub(super) plan: Plan,
    scenarios: Vec<(Scenario, Vec<(String, String)>)>,
    pub(super) stacks: Vec<Recipe>,
    pools: Pools,
}

/// The response model as measured, and the two others.
const MODES: [ResponseMode; 3] = [ResponseMode::Features, ResponseMode::Flat, ResponseMode::Drawn];

/// A scenario to measure.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its name or its file, as on the command line.
    pub target: String,
    /// Where it comes from.
    pub suite: Suite,
    /// The text of its file.
    pub text: String,
    /// Values that a sweep sets in it.
    pub set: Vec<(String, String)>,
    /// The scenario, read from the text.
    pub scenario: Scenario,
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
        let plan = Plan {
            schema: BENCH_SCHEMA,
            balk: env!("CARGO_PKG_VERSION").to_owned(),
            suite: suite.to_owned(),
            sweep: sweep.map(str::to_owned),
            seeds,
            pools,
            set: drawn(set),
            config: config.as_json(),
            stacks: stacks.iter().map(planned_stack).collect(),
            parameters: PARAMETERS.iter().map(parameter).collect(),
            scenarios: asked.iter().map(planned).collect(),
        };
        // The value of a sweep comes last, so it replaces an earlier one.
        let scenarios = asked.into_iter().map(|it| (it.scenario, [set, &it.set].concat())).collect();
        Self { plan, scenarios, stacks, pools }
    }

    /// The plan, with which the record begins.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Every stack on this scenario, each under the three response models.
    pub(super) fn simulations(&self, scenario: usize) -> Vec<[Simulation<'_>; 3]> {
        let (scenario, _) = &self.scenarios[scenario];
        let options = MODES.map(|response| WorldOptions { pools: self.pools, response });
        let of = |stack| options.map(|options| Simulation::new(scenario, stack, options));
        self.stacks.iter().map(of).collect()
    }

    /// The values of this scenario that differ from its file.
    pub(super) fn set(&self, scenario: usize) -> &[(String, String)] {
        &self.scenarios[scenario].1
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
    PlannedStack { guard: recipe.spec().to_owned(), about: recipe.about().to_owned() }
}

fn planned(asked: &Asked) -> PlannedScenario {
    let scenario = &asked.scenario;
    PlannedScenario {
        name: scenario.name.to_string(),
        target: asked.target.clone(),
        set: drawn(&asked.set),
        suite: asked.suite,
        kind: scenario.kind,
        protocol: match scenario.protocol {
            Protocol::Tool => "tool",
            Protocol::Text => "text",
        }
        .to_owned(),
        title: scenario.title.clone(),
        unreachable: scenario.unreachable.as_deref().map(str::to_owned),
        text: format!("{:032x}", xxh3_128(asked.text.as_bytes())),
    }
}

fn drawn(set: &[(String, String)]) -> Vec<Drawn> {
    set.iter().map(|(name, value)| Drawn { name: name.clone(), value: value.clone() }).collect()
}
