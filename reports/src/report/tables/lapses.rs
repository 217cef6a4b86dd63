//! Lapses, each with a command that shows it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::records::{Bench, Lapse};

/// One kind of lapse in one cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LapseRow {
    /// The lapse.
    pub lapse: Lapse,
    /// The scenario.
    pub scenario: String,
    /// The stack.
    pub stack: String,
    /// The number of trials with it; for false interventions, the number of interventions.
    pub count: u64,
    /// Trials of the cell.
    pub trials: u64,
    /// The lowest seed with it.
    pub seed: String,
    /// The command that shows that trial.
    pub command: String,
}

/// The lapses of all cells, the most serious first.
pub(super) fn lapses(bench: &Bench) -> Vec<LapseRow> {
    let plan = &bench.plan;
    let mut rows = Vec::new();
    for lapse in Lapse::ALL {
        for (at, scenario) in plan.scenarios.iter().enumerate() {
            for (nth, stack) in plan.stacks.iter().enumerate() {
                let cell = bench.cell(at, nth);
                rows.extend(cell.lapses.get(&lapse).map(|&seed| LapseRow {
                    lapse,
                    scenario: scenario.label(),
                    stack: stack.guard.clone(),
                    count: lapse.count(&cell.counts),
                    trials: cell.counts.trials,
                    seed: seed.to_string(),
                    command: plan.trial(at, nth, seed),
                }));
            }
        }
    }
    rows
}
