//! When a cell fails, and which cells do.

use std::fmt;

use super::metric::{Found, Metric};
use super::number::Number;
use super::scope::{NoSuch, Scope};
use crate::records::{Bench, Plan};

/// When a cell fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// Which cells are judged.
    pub scope: Scope,
    /// What is judged.
    pub metric: Metric,
    /// How it is compared.
    pub fails_if: Order,
    /// With what.
    pub number: Number,
}

/// How a figure is compared with the number of a gate.
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

/// Which end of a rate's interval is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sureness {
    /// The unfavourable one: what holds is certain.
    #[default]
    Certain,
    /// The favourable one: what fails is refuted.
    Refuted,
}

/// A cell that fails by a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The gate, as it is written.
    pub gate: String,
    /// The scenario's label.
    pub scenario: String,
    /// The stack.
    pub stack: String,
    /// What was found, with its interval and of how many.
    pub found: String,
    /// The command that shows the first trial with it; for what no one trial shows, the one that counts all of the
    /// cell.
    pub again: String,
}

/// What gates make of a bench.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// The cells that fail, gate by gate.
    pub failed: Vec<Failed>,
    /// How many cells each gate judged, and how many of them fail, in the order of the gates.
    pub cells: Vec<(usize, usize)>,
}

impl Gate {
    /// Whether the cells that it names are in a plan.
    ///
    /// # Errors
    /// A stack or a scenario that is not, with the nearest one that is.
    pub fn fits(&self, plan: &Plan) -> Result<(), NoSuch> {
        self.scope.fits(plan)
    }

    /// Whether its metric has a meaning in any cell of a plan that it is about.
    #[must_use]
    pub fn has_a_cell(&self, plan: &Plan) -> bool {
        plan.scenarios
            .iter()
            .filter(|scenario| self.metric.has_meaning(scenario))
            .any(|scenario| plan.stacks.iter().any(|stack| self.scope.holds(scenario, stack)))
    }

    /// Whether what was found in a cell fails.
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
    /// Whether a figure that stands so to the number is what the gate is about.
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

/// Judges every cell that the gates are about. `found` is what a metric comes to in the cell of a scenario and a
/// stack; none where it has no meaning there.
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
                    let seed = gate.metric.slip().and_then(|slip| bench.cell(at, stack).slips.get(&slip));
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
        write!(f, "{} with {}: {}; fails by {}", self.scenario, self.stack, self.found, self.gate)
    }
}
