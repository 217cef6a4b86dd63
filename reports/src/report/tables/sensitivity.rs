//! Sensitivity: what each parameter of the response model does to the figures.
//!
//! In half of the draws a parameter is in the upper half of its range. From each draw's figure, subtract that of the
//! same seeds under the scenario's own parameters, so that differences between their worlds cancel. The shift is the
//! mean of the upper draws minus the mean of the others.

use schemars::JsonSchema;
use serde::Serialize;

use super::draws::{Counted, add, blocks, stubborn};
use crate::records::{Bench, DRAWS, PlannedParameter};
use crate::statistics::BlockDifference;

/// The mean of the draws with a parameter in the upper half of its range, minus that of the others, per trial.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sensitivity {
    /// The varied parameters.
    pub parameters: Vec<ParameterRange>,
    /// Each stack over all scenarios.
    pub stacks: Vec<StackShift>,
    /// Each cell with a shift.
    pub cells: Vec<CellShift>,
}

/// A parameter of the response model, and its range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParameterRange {
    /// Its name.
    pub name: String,
    /// Both ends of its range, in parts per thousand.
    pub range: [u32; 2],
}

/// What one parameter does to a stack.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StackShift {
    /// The stack.
    pub stack: String,
    /// The parameter.
    pub parameter: String,
    /// The shift.
    pub shift: Shift,
}

/// What one parameter does to a stack on one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellShift {
    /// The scenario.
    pub scenario: String,
    /// The stack.
    pub stack: String,
    /// The parameter.
    pub parameter: String,
    /// The shift.
    pub shift: Shift,
}

/// Upper draws minus lower draws.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shift {
    /// Stubborn trials whose goal held, per trial; none without stubborn trials.
    pub done: Option<BlockDifference>,
    /// False interventions per trial.
    pub false_interventions: BlockDifference,
}

impl Sensitivity {
    pub(super) fn new(bench: &Bench) -> Self {
        let plan = &bench.plan;
        let everything: Vec<usize> = (0..plan.scenarios.len()).collect();
        let stubborn: Vec<usize> = stubborn(bench).collect();
        let mut stacks = Vec::new();
        let mut cells = Vec::new();
        for (nth, stack) in plan.stacks.iter().enumerate() {
            for parameter in &plan.parameters {
                stacks.push(StackShift {
                    stack: stack.guard.clone(),
                    parameter: parameter.name.clone(),
                    shift: shift(bench, nth, parameter, &stubborn, &everything),
                });
            }
            for (at, scenario) in plan.scenarios.iter().enumerate() {
                let stubborn = if scenario.is_stubborn() { &[at][..] } else { &[] };
                let moved = plan.parameters.iter().map(|parameter| CellShift {
                    scenario: scenario.label(),
                    stack: stack.guard.clone(),
                    parameter: parameter.name.clone(),
                    shift: shift(bench, nth, parameter, stubborn, &[at]),
                });
                cells.extend(moved.filter(|it| it.shift.is_any()));
            }
        }
        let parameters = plan
            .parameters
            .iter()
            .map(|it| ParameterRange { name: it.name.clone(), range: it.range })
            .collect();
        Self { parameters, stacks, cells }
    }
}

impl Shift {
    fn is_any(&self) -> bool {
        let moved = |it: &BlockDifference| it.p.0 < 1.0;
        self.done.as_ref().is_some_and(moved) || moved(&self.false_interventions)
    }
}

fn shift(
    bench: &Bench,
    stack: usize,
    parameter: &PlannedParameter,
    stubborn: &[usize],
    everything: &[usize],
) -> Shift {
    let high: Vec<bool> = (0..).take(DRAWS).map(|draw| parameter.high.contains(&draw)).collect();
    let halves = |scenarios: &[usize], counted: Counted| {
        let [mut drawn, mut own, mut all] = [[0; DRAWS]; 3];
        for &at in scenarios {
            let cell = bench.cell(at, stack);
            add(&mut drawn, counted(&cell.drawn_by));
            add(&mut own, counted(&cell.by_draw));
            add(&mut all, &bench.done[at].by_draw());
        }
        BlockDifference::halves(&blocks(&drawn, &own, &all), &high)
    };
    Shift {
        done: (!stubborn.is_empty()).then(|| halves(stubborn, |it| &it.done)),
        false_interventions: halves(everything, |it| &it.false_interventions),
    }
}
