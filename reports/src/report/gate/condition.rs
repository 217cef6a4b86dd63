//! The condition of a gate, and the cells that fail it.

use std::fmt;

use super::metric::{Found, Metric};
use super::number::Number;
use super::scope::{NoSuch, Scope};
use crate::records::{Bench, Plan};

/// A condition under which a cell fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The cells that it judges.
    pub scope: Scope,
    /// The metric that it judges.
    pub metric: Metric,
    /// The comparison under which a cell fails.
    pub fails_if: Order,
    /// The number to compare with.
    pub number: Number,
}

/// The comparison of a metric with the number of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

/// The end of a rate's interval that is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sureness {
    /// The unfavourable end: a cell that passes surely meets the claim.
    #[default]
    Certain,
    /// The favourable end: a cell that fails surely breaks the claim.
    Refuted,
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
    /// The command that shows the first trial with it; if no single trial shows it, the command that counts all trials
    /// of the cell.
    pub again: String,
}

/// The cells that were judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// The cells that fail, in the order of the gates.
    pub failed: Vec<Failed>,
    /// For each gate, how many cells it judged and how many of them fail.
    pub cells: Vec<(usize, usize)>,
}

impl Gate {
    /// Checks that a plan has the stack and the scenario that the gate names.
    ///
    /// # Errors
    /// The missing one, with the nearest name in the plan.
    pub fn fits(&self, plan: &Plan) -> Result<(), NoSuch> {
        self.scope.fits(plan)
    }

    /// Whether its metric has a meaning in any cell that it judges.
    #[must_use]
    pub fn has_a_cell(&self, plan: &Plan) -> bool {
        plan.scenarios
            .iter()
            .filter(|scenario| self.metric.has_meaning(scenario))
            .any(|scenario| plan.stacks.iter().any(|stack| self.scope.holds(scenario, stack)))
    }

    /// Whether a cell with this value fails.
    #[must_use]
    pub fn fails(&self, found: &Found, sureness: Sureness) -> bool {
        match found {
            Found::Count(count) => self.fails_if.holds(self.number.compare(*count).reverse()),
            Found::Unknown => sureness == Sureness::Certain,
            Found::Interval { low, high, .. } => {
                let judged = match (self.fails_if, sureness) {
                    (Order::Less | Order::AtMost, Sureness::Certain)
                    | (Order::More | Order::AtLeast, Sureness::Refuted) => low,
                    (Order::Less | Order::AtMost, Sureness::Refuted)
                    | (Order::More | Order::AtLeast, Sureness::Certain) => high,
                };
                judged.partial_cmp(&self.number.value()).is_some_and(|order| self.fails_if.holds(order))
            }
        }
    }
}

impl Order {
    /// Whether this order of the metric and the number meets the condition.
    const fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::More => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        }
    }

    const fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
        }
    }
}

/// Judges every cell that the gates name. `found` gives the value of a metric in the cell of a scenario and a stack;
/// none if it has no meaning there.
pub fn judge(
    gates: &[Gate],
    sureness: Sureness,
    bench: &Bench,
    found: impl Fn(Metric, usize, usize) -> Option<Found>,
) -> Judged {
    let plan = &bench.plan;
    let mut judged = Judged::default();
    for gate in gates {
        let (mut cells, failed) = (0, judged.failed.len());
        for (at, scenario) in plan.scenarios.iter().enumerate() {
            for (stack, planned) in plan.stacks.iter().enumerate() {
                if !gate.scope.holds(scenario, planned) {
                    continue;
                }
                let Some(found) = found(gate.metric, at, stack) else { continue };
                cells += 1;
                if gate.fails(&found, sureness) {
                    let seed = gate.metric.lapse().and_then(|lapse| bench.cell(at, stack).lapses.get(&lapse));
                    judged.failed.push(Failed {
                        gate: gate.to_string(),
                        scenario: scenario.label(),
                        stack: planned.guard.clone(),
                        found: format!("{} {found}", gate.metric),
                        again: seed
                            .map_or_else(|| plan.trials(at, stack), |seed| plan.trial(at, stack, *seed)),
                    });
                }
            }
        }
        judged.cells.push((cells, judged.failed.len() - failed));
    }
    judged
}

/// As it is written on the command line.
impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scope, metric, fails_if, number } = self;
        write!(f, "{scope}{metric} {} {number}", fails_if.sign())
    }
}

/// In one line, without the command.
impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {}: {}; fails the gate {}", self.scenario, self.stack, self.found, self.gate)
    }
}
