//! Every stack against `default`: on which scenarios it is better, and how often it is worse.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::draws::{Counted, blocks};
use crate::records::{Bench, PlannedScenario, Suite, Sums};
use crate::statistics::{Block, BlockDifference, PValue, holm};

/// The stack that Balk recommends.
pub const DEFAULT: &str = "default";

/// The stack that is told the truth, so `default` is not compared with it.
pub const ORACLE: &str = "oracle";

/// The stack that is told the truth, and each of whose corrections works: the upper bound.
pub const CEILING: &str = "ceiling";

/// `default` compared with every other stack but the baseline, the oracle and the ceiling, scenario by scenario and
/// over each suite. On one scenario draws keep pairs of trials together, and are the independent blocks of the
/// interval, so it speaks of that scenario alone. On drawn worlds groups of skeletons are the blocks.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Versus {
    /// The number of compared pairs of cells; p-values are corrected for all of them.
    pub comparisons: u64,
    /// How often each stack is better and worse.
    pub counts: Vec<VersusCount>,
    /// Every pair of cells that differs in some draw.
    pub cells: Vec<VersusCell>,
    /// Each stack over the scenarios of each suite.
    pub suites: Vec<VersusSuite>,
}

/// One stack compared with `default` over the scenarios of one suite. Scenarios are the independent blocks of the
/// interval, in drawn worlds groups of skeletons.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VersusSuite {
    /// Where the scenarios come from.
    pub suite: Suite,
    /// The other stack.
    pub stack: String,
    /// Done: of stubborn trials whose goal can be reached. False interventions: in trials of controls.
    pub measure: Measure,
    /// The other stack minus `default`, per trial.
    pub difference: BlockDifference,
    /// Its p-value, corrected for all stacks, measures and suites.
    pub p_corrected: PValue,
}

/// A compared measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Trials whose goal held: more is better.
    Done,
    /// Interventions in healthy turns: fewer is better.
    FalseInterventions,
}

/// How often a stack is better and worse than `default`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VersusCount {
    /// The other stack.
    pub stack: String,
    /// The measure.
    pub measure: Measure,
    /// Scenarios on which it is better with p below 5 % before correction.
    pub better: u64,
    /// Of these, scenarios with p below 5 % after correction.
    pub surely_better: u64,
    /// Scenarios on which it is worse with p below 5 % before correction.
    pub worse: u64,
    /// Of these, scenarios with p below 5 % after correction.
    pub surely_worse: u64,
    /// All compared scenarios.
    pub scenarios: u64,
}

/// One stack compared with `default` on one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VersusCell {
    /// The scenario.
    pub scenario: String,
    /// The other stack.
    pub stack: String,
    /// The measure.
    pub measure: Measure,
    /// The count of the other stack.
    pub other: u64,
    /// The count of `default`.
    pub default: u64,
    /// The trials of each.
    pub trials: u64,
    /// The other stack minus `default`, per trial.
    pub difference: BlockDifference,
    /// Its p-value, corrected for all comparisons.
    pub p_corrected: PValue,
}

impl Measure {
    const ALL: [(Self, Counted); 2] =
        [(Self::Done, |it| &it.done), (Self::FalseInterventions, |it| &it.false_interventions)];
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Done => "done",
            Self::FalseInterventions => "false interventions",
        })
    }
}

impl VersusCell {
    /// Whether the other stack has the better count.
    #[must_use]
    pub const fn is_better(&self) -> bool {
        match self.measure {
            Measure::Done => self.other > self.default,
            Measure::FalseInterventions => self.other < self.default,
        }
    }
}

impl Versus {
    /// None without `default`, or without a stack to compare it with.
    pub(super) fn new(bench: &Bench) -> Option<Self> {
        let plan = &bench.plan;
        let default = plan.stacks.iter().position(|it| it.guard == DEFAULT)?;
        let is_told = |guard: &str| [ORACLE, CEILING].contains(&guard);
        let rival = |&at: &usize| at != default && !is_told(&plan.stacks[at].guard);
        let mut cells = Vec::new();
        for stack in (1..plan.stacks.len()).filter(rival) {
            for (measure, counted) in Measure::ALL {
                for (at, scenario) in plan.scenarios.iter().enumerate() {
                    let [other, own] = [stack, default].map(|it| counted(&bench.cell(at, it).by_draw));
                    let difference = BlockDifference::paired(&match &bench.cell(at, stack).groups {
                        Some(_) => clusters(bench, measure, &[at], [stack, default]),
                        None => blocks(other, own, &bench.done[at].by_draw()),
                    });
                    cells.push(VersusCell {
                        scenario: scenario.label(),
                        stack: plan.stacks[stack].guard.clone(),
                        measure,
                        other: other.iter().sum(),
                        default: own.iter().sum(),
                        trials: bench.done[at].count(),
                        difference,
                        p_corrected: PValue(1.0),
                    });
                }
            }
        }
        let corrected = holm(&cells.iter().map(|it| it.difference.p.0).collect::<Vec<_>>());
        cells.iter_mut().zip(corrected).for_each(|(cell, p)| cell.p_corrected = PValue(p));
        let counts: Vec<_> = cells.chunks(plan.scenarios.len()).map(VersusCount::new).collect();
        let comparisons = cells.len() as u64;
        cells.retain(|it| it.difference.p.0 < 1.0);
        let stacks: Vec<usize> = (1..plan.stacks.len()).filter(rival).collect();
        let suites = suites(bench, default, &stacks);
        (!counts.is_empty()).then_some(Self { comparisons, counts, cells, suites })
    }
}

/// Two stacks over these scenarios, cluster by cluster.
fn clusters(bench: &Bench, measure: Measure, scenarios: &[usize], stacks: [usize; 2]) -> Vec<Block> {
    let of = |it: &Sums| match measure {
        Measure::Done => it.done,
        Measure::FalseInterventions => it.false_interventions,
    };
    let each = scenarios.iter().flat_map(|&at| {
        let [one, other] = stacks.map(|stack| bench.cell(at, stack).clusters());
        one.into_iter().zip(other)
    });
    each.map(|(one, other)| Block { one: of(&one), other: of(&other), trials: one.trials }).collect()
}

/// Every stack over the scenarios of each suite.
fn suites(bench: &Bench, default: usize, stacks: &[usize]) -> Vec<VersusSuite> {
    let mut rows = Vec::new();
    for suite in Suite::ALL {
        for (measure, _) in Measure::ALL {
            let counts = |it: &PlannedScenario| match measure {
                Measure::Done => it.is_stubborn() && it.unreachable.is_none(),
                Measure::FalseInterventions => !it.is_stubborn(),
            };
            let all = bench.plan.scenarios.iter().enumerate();
            let of: Vec<usize> =
                all.filter(|(_, it)| it.suite == suite && counts(it)).map(|(at, _)| at).collect();
            rows.extend(stacks.iter().filter(|_| !of.is_empty()).map(|&stack| VersusSuite {
                suite,
                stack: bench.plan.stacks[stack].guard.clone(),
                measure,
                difference: BlockDifference::paired(&clusters(bench, measure, &of, [stack, default])),
                p_corrected: PValue(1.0),
            }));
        }
    }
    let corrected = holm(&rows.iter().map(|it| it.difference.p.0).collect::<Vec<_>>());
    rows.iter_mut().zip(corrected).for_each(|(row, p)| row.p_corrected = PValue(p));
    rows
}

impl VersusCount {
    /// Counts the cells of one stack and measure.
    fn new(cells: &[VersusCell]) -> Self {
        let count = |better: bool, p: fn(&VersusCell) -> PValue| {
            cells.iter().filter(|it| p(it).is_sure() && it.is_better() == better).count() as u64
        };
        Self {
            stack: cells[0].stack.clone(),
            measure: cells[0].measure,
            better: count(true, |it| it.difference.p),
            surely_better: count(true, |it| it.p_corrected),
            worse: count(false, |it| it.difference.p),
            surely_worse: count(false, |it| it.p_corrected),
            scenarios: cells.len() as u64,
        }
    }
}
