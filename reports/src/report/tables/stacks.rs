//! Every stack, over all scenarios and on each.

use schemars::JsonSchema;
use serde::Serialize;

use super::figures::{Figures, figures};
use crate::records::{Bench, Bootstrap, Counts, Kind};
use crate::statistics::{Ratio, compared};

/// Every stack over all scenarios. In pooled figures every trial, stuck run and turn counts alike.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StackTable {
    /// One row per stack, in the order of the plan; the first is the baseline.
    pub rows: Vec<StackRow>,
    /// A note on the p-values, if there is more than one.
    pub compared: Option<String>,
}

/// One stack over all scenarios.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StackRow {
    /// The stack, as on the command line.
    pub stack: String,
    /// A description, in one line.
    pub about: String,
    /// Its figures.
    pub figures: Figures,
    /// Tokens divided by those of the baseline, over the same stubborn trials; none without trials and for the
    /// baseline itself.
    pub tokens_on_stubborn: Option<Ratio>,
    /// The same over controls.
    pub tokens_on_controls: Option<Ratio>,
}

/// Every stack on one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioTable {
    /// Its name, with the values of a sweep.
    pub scenario: String,
    /// `stubborn` or `control`.
    pub kind: Kind,
    /// A description, in one line.
    pub title: String,
    /// If the goal cannot be reached, the rule under which a guard has to tell the user.
    pub unreachable: Option<String>,
    /// One row per stack, in the order of the plan.
    pub rows: Vec<ScenarioRow>,
}

/// One stack on one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioRow {
    /// The stack, as on the command line.
    pub stack: String,
    /// The counts.
    pub counts: Counts,
    /// Its figures; p-values are corrected for the stacks of this scenario.
    pub figures: Figures,
    /// The command that shows its trial with the lowest seed; none without trials.
    pub command: Option<String>,
}

impl StackTable {
    pub(super) fn new(bench: &Bench) -> Self {
        let plan = &bench.plan;
        let all: Vec<usize> = (0..plan.scenarios.len()).collect();
        let rows: Vec<StackRow> = plan
            .stacks
            .iter()
            .zip(figures(bench, &all))
            .zip(&bench.spent)
            .enumerate()
            .map(|(nth, ((stack, figures), spent))| {
                let ratio = |it: &Bootstrap| Some(Ratio::new(it)).filter(|it| nth > 0 && it.ratio.is_some());
                StackRow {
                    stack: stack.guard.clone(),
                    about: stack.about.clone(),
                    figures,
                    tokens_on_stubborn: ratio(&spent.stubborn),
                    tokens_on_controls: ratio(&spent.control),
                }
            })
            .collect();
        let tests = rows.iter().filter(|it| it.figures.against.is_some()).count();
        Self { rows, compared: compared(tests) }
    }
}

/// Every stack on each scenario.
pub(super) fn scenarios(bench: &Bench) -> Vec<ScenarioTable> {
    let plan = &bench.plan;
    let table = |at: usize| {
        let scenario = &plan.scenarios[at];
        let first = bench.done[at].ranges().first().map(|[from, _]| *from);
        let rows =
            plan.stacks.iter().zip(figures(bench, &[at])).enumerate().map(|(nth, (stack, figures))| {
                ScenarioRow {
                    stack: stack.guard.clone(),
                    counts: bench.cell(at, nth).counts,
                    figures,
                    command: first.map(|seed| plan.trial(at, nth, seed)),
                }
            });
        ScenarioTable {
            scenario: scenario.label(),
            kind: scenario.kind,
            title: scenario.title.clone(),
            unreachable: scenario.unreachable.clone(),
            rows: rows.collect(),
        }
    };
    (0..plan.scenarios.len()).map(table).collect()
}
