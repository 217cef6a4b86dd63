//! Interventions in healthy turns: by control, by language, by guard and rule.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::pooled::{Cells, add_cluster};
use crate::records::{Bench, RateSums};
use crate::statistics::Rate;

/// Interventions in healthy turns. Intervals by language and by rule treat scenarios as independent, so `trials` are
/// scenarios there.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FalseInterventions {
    /// By control: one row per stack.
    pub by_shape: Vec<FalseByShape>,
    /// By the language of the world, over all scenarios; only languages with an intervention.
    pub by_language: Vec<FalseByLanguage>,
    /// By guard and rule, over all scenarios; only rules with an intervention.
    pub by_rule: Vec<FalseByRule>,
}

/// The controls that a stack disturbs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FalseByShape {
    /// The stack.
    pub stack: String,
    /// The number of controls with a trial.
    pub shapes: u64,
    /// The controls with an intervention, in the order of the plan.
    pub disturbed: Vec<ShapeRate>,
}

/// How often a stack disturbed a control.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShapeRate {
    /// The control.
    pub scenario: String,
    /// False interventions in its healthy turns.
    pub rate: Rate,
}

/// How often a stack disturbed healthy turns in a language.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FalseByLanguage {
    /// The stack.
    pub stack: String,
    /// The language.
    pub language: String,
    /// False interventions in healthy turns of this language.
    pub rate: Rate,
}

/// How often a rule disturbed healthy turns.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FalseByRule {
    /// The stack.
    pub stack: String,
    /// The guard that intervened.
    pub guard: String,
    /// Its rule.
    pub rule: String,
    /// The interventions of the rule, in any turn.
    pub interventions: u64,
    /// Those in healthy turns, per healthy turn.
    pub rate: Rate,
}

impl FalseInterventions {
    pub(super) fn new(bench: &Bench) -> Self {
        let stacks = 0..bench.plan.stacks.len();
        Self {
            by_shape: stacks.clone().map(|stack| by_shape(bench, stack)).collect(),
            by_language: stacks.clone().flat_map(|stack| by_language(bench, stack)).collect(),
            by_rule: stacks.flat_map(|stack| by_rule(bench, stack)).collect(),
        }
    }
}

fn by_shape(bench: &Bench, stack: usize) -> FalseByShape {
    let scenarios = bench.plan.scenarios.iter().enumerate();
    let controls: Vec<_> = scenarios
        .filter(|(_, it)| !it.is_stubborn())
        .map(|(at, it)| (it, bench.cell(at, stack)))
        .filter(|(_, cell)| cell.counts.trials > 0)
        .collect();
    let disturbed = controls.iter().filter(|(_, cell)| cell.disturbed.events > 0);
    FalseByShape {
        stack: bench.plan.stacks[stack].guard.clone(),
        shapes: controls.len() as u64,
        disturbed: disturbed
            .map(|(it, cell)| ShapeRate { scenario: it.label(), rate: Cells::one(cell).false_rate() })
            .collect(),
    }
}

fn by_language(bench: &Bench, stack: usize) -> Vec<FalseByLanguage> {
    let mut sums: BTreeMap<&str, RateSums> = BTreeMap::new();
    for at in 0..bench.plan.scenarios.len() {
        for (language, counts) in &bench.cell(at, stack).languages {
            let sum = sums.entry(language).or_default();
            add_cluster(sum, counts.false_interventions, counts.healthy_turns);
        }
    }
    let disturbed = sums.into_iter().filter(|(_, sums)| sums.events > 0);
    disturbed
        .map(|(language, sums)| FalseByLanguage {
            stack: bench.plan.stacks[stack].guard.clone(),
            language: language.to_owned(),
            rate: Rate::new(&sums),
        })
        .collect()
}

fn by_rule(bench: &Bench, stack: usize) -> Vec<FalseByRule> {
    let cells = || (0..bench.plan.scenarios.len()).map(|at| bench.cell(at, stack));
    let mut interventions: BTreeMap<(&str, &str), [u64; 2]> = BTreeMap::new();
    for (guard, rules) in cells().flat_map(|cell| &cell.rules) {
        for (rule, count) in rules {
            let [all, healthy] = interventions.entry((guard, rule)).or_default();
            *all += count.interventions;
            *healthy += count.false_interventions;
        }
    }
    let disturbing = interventions.into_iter().filter(|(_, [_, healthy])| *healthy > 0);
    disturbing
        .map(|((guard, rule), [interventions, _])| {
            let mut sums = RateSums::default();
            for cell in cells() {
                let fired = cell.rules.get(guard).and_then(|it| it.get(rule));
                add_cluster(
                    &mut sums,
                    fired.map_or(0, |it| it.false_interventions),
                    cell.counts.healthy_turns,
                );
            }
            FalseByRule {
                stack: bench.plan.stacks[stack].guard.clone(),
                guard: guard.to_owned(),
                rule: rule.to_owned(),
                interventions,
                rate: Rate::new(&sums),
            }
        })
        .collect()
}
