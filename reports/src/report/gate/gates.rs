//! Gates on the cells of a bench, and the cells that fail them.

use std::fmt;

use super::condition::{Condition, Sureness};
use super::metric::{Found, Metric};
use super::scope::{NoSuch, Scope};
use crate::records::{Bench, Plan};

/// A condition under which a cell fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The cells that it judges.
    pub scope: Scope,
    /// The condition under which one of them fails.
    pub condition: Condition<Metric>,
}

/// A cell that fails a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The gate, as it is written on the command line.
    pub gate: String,
    /// The scenario's label.
    pub scenario: String,
    /// The stack.
    pub stack: String,
    /// The metric and its value, with the interval and the n.
    pub found: String,
    /// The command that shows the first trial with it; if no single trial shows it, the command that counts the trials
    /// of the cell, or that measures and judges them again if the metric is not among those counts.
    pub again: String,
}

/// The cells that were judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// The cells that fail, in the order of the gates.
    pub failed: Vec<Failed>,
    /// For each gate, what it did with its cells.
    pub cells: Vec<Tally>,
}

/// What a gate did with its cells, as numbers of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Those that it judged.
    pub judged: usize,
    /// Of these, those that fail.
    pub failed: usize,
    /// Those that it passed over because its metric has a meaning there, but nothing to count.
    pub passed_over: usize,
}

impl Gate {
    /// Checks that a plan has the stack and the scenario that the gate names.
    ///
    /// # Errors
    /// The missing one, with the nearest name in the plan.
    pub fn fits(&self, plan: &Plan) -> Result<(), NoSuch> {
        self.scope.fits(plan)
    }

    /// The same gate for the scenarios of any record, as it is written on the command line.
    fn of_stack(&self) -> String {
        let scope = Scope { stack: self.scope.stack.clone(), scenarios: None };
        Self { scope, condition: self.condition.clone() }.to_string()
    }

    /// Whether its metric has a meaning in any cell that it judges.
    #[must_use]
    pub fn has_a_cell(&self, plan: &Plan) -> bool {
        plan.scenarios
            .iter()
            .filter(|scenario| self.condition.metric.has_meaning(scenario))
            .any(|scenario| plan.stacks.iter().any(|stack| self.scope.holds(scenario, stack)))
    }
}

/// Judges every cell that the gates name. `found` gives the value of a metric in the cell of a scenario and a stack;
/// none if it has no meaning there, or nothing to count.
pub fn judge(
    gates: &[Gate],
    sureness: Sureness,
    bench: &Bench,
    found: impl Fn(Metric, usize, usize) -> Option<Found>,
) -> Judged {
    let plan = &bench.plan;
    let mut judged = Judged::default();
    for gate in gates {
        let metric = gate.condition.metric;
        let mut tally = Tally::default();
        for (at, scenario) in plan.scenarios.iter().enumerate() {
            for (stack, planned) in plan.stacks.iter().enumerate() {
                if !gate.scope.holds(scenario, planned) {
                    continue;
                }
                let Some(found) = found(metric, at, stack) else {
                    tally.passed_over += usize::from(metric.has_meaning(scenario));
                    continue;
                };
                tally.judged += 1;
                if gate.condition.fails(&found, sureness) {
                    tally.failed += 1;
                    let first = metric.lapse().and_then(|lapse| bench.cell(at, stack).lapses.get(&lapse));
                    judged.failed.push(Failed {
                        gate: gate.to_string(),
                        scenario: scenario.label(),
                        stack: planned.guard.clone(),
                        found: format!("{metric} {found}"),
                        again: match first {
                            Some(seed) => plan.trial(at, stack, *seed),
                            None if metric.is_counted() => plan.trials(at, stack, &bench.done[at]),
                            None => plan.judges(at, stack, &bench.done[at], &gate.of_stack()),
                        },
                    });
                }
            }
        }
        judged.cells.push(tally);
    }
    judged
}

/// As it is written on the command line.
impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scope, condition } = self;
        write!(f, "{scope}{condition}")
    }
}

/// In one line, without the command.
impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {}: {}; fails the gate {}", self.scenario, self.stack, self.found, self.gate)
    }
}
