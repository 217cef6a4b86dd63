//! What was measured: everything that a repetition needs.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::records::{Bench, Drawn, PlannedReactions, PlannedScenario, Pools, Seeds};

/// What was measured.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The command that repeats the bench.
    pub command: String,
    /// The version of Balk that ran the trials.
    pub balk: String,
    /// The first and the last seed of every scenario.
    pub seeds: [String; 2],
    /// The pools of values that seeds draw from.
    pub pools: Pools,
    /// Values that replace those of the scenarios' files.
    pub set: Vec<Drawn>,
    /// Measured reactions in place of those that the scenarios ask for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reactions: Option<PlannedReactions>,
    /// Settings of guards that the command does not show.
    pub config: Map<String, Value>,
    /// Stubborn scenarios.
    pub stubborn: u64,
    /// Of these, scenarios whose goal can be reached.
    pub reachable: u64,
    /// Controls.
    pub controls: u64,
    /// Stacks, including the baseline.
    pub stacks: u64,
    /// Planned trials, under the scenarios' own response model.
    pub planned: u64,
    /// Trials that are done.
    pub done: u64,
    /// Planned trials that are not done.
    pub missing: Vec<Missing>,
}

/// Planned trials of a scenario that are not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// The scenario.
    pub scenario: String,
    /// The number of seeds that are not done.
    pub seeds: u64,
}

impl Head {
    /// The number of planned seeds of each scenario.
    #[must_use]
    pub fn seeds_of_each(&self) -> u64 {
        let [from, to] = self.seeds.each_ref().map(|it| it.parse::<u64>().unwrap_or(0));
        to - from + 1
    }

    pub(super) fn new(bench: &Bench) -> Self {
        let plan = &bench.plan;
        let [from, to] = plan.seeds;
        let seeds = to - from + 1;
        let count = |wanted: fn(&PlannedScenario) -> bool| {
            plan.scenarios.iter().filter(|it| wanted(it)).count() as u64
        };
        let stacks = plan.stacks.len() as u64;
        let missing = plan.scenarios.iter().zip(&bench.done).filter_map(|(scenario, done)| {
            let seeds = seeds - done.count();
            (seeds > 0).then(|| Missing { scenario: scenario.label(), seeds })
        });
        Self {
            command: plan.command(),
            balk: plan.balk.clone(),
            seeds: plan.seeds.map(|it| it.to_string()),
            pools: plan.pools,
            set: plan.set.clone(),
            reactions: plan.reactions.clone(),
            config: plan.config.clone(),
            stubborn: count(|it| it.is_stubborn()),
            reachable: count(|it| it.is_stubborn() && it.unreachable.is_none()),
            controls: count(|it| !it.is_stubborn()),
            stacks,
            planned: seeds * stacks * plan.scenarios.len() as u64,
            done: stacks * bench.done.iter().map(Seeds::count).sum::<u64>(),
            missing: missing.collect(),
        }
    }
}
