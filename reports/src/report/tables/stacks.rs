//! Every stack, over all scenarios and on each.

use schemars::JsonSchema;
use serde::Serialize;

use super::figures::{Figures, figures};
use super::pooled::Pooled;
use super::versus::CEILING;
use crate::records::{Bench, Counts, Kind, Live, Suite};
use crate::statistics::{Ratio, compared};

/// Every stack over the scenarios of one suite. In pooled figures every trial, stuck run and turn counts alike.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StackTable {
    /// Where the scenarios come from.
    pub suite: Suite,
    /// The number of stubborn scenarios.
    pub stubborn: u64,
    /// Of these, scenarios whose goal can be reached.
    pub reachable: u64,
    /// The number of controls.
    pub controls: u64,
    /// One row per stack, in the order of the plan; the first is the baseline.
    pub rows: Vec<StackRow>,
    /// A note on the p-values, if there is more than one.
    pub compared: Option<String>,
}

/// One stack over the scenarios of one suite.
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
    /// Turns divided by those of the baseline, over the same trials of controls whose goal holds under both.
    pub turns_of_kept_controls: Option<Ratio>,
    /// Recovered trials divided by those of the stack `ceiling`; none without that stack.
    pub share_of_ceiling: Option<Ratio>,
}

/// Every stack on one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioTable {
    /// Its name, with the values of a sweep.
    pub scenario: String,
    /// Where it comes from.
    pub suite: Suite,
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
    /// What its trials took from the model, and how they ended; only in the report of a live record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<Live>,
    /// Its figures; p-values are corrected for the stacks of this scenario.
    pub figures: Figures,
    /// The command that shows its trial with the lowest seed; none without trials.
    pub command: Option<String>,
}

impl StackTable {
    /// A table for each suite that the plan has.
    pub(super) fn all(bench: &Bench) -> Vec<Self> {
        let of = |suite: Suite| -> Vec<usize> {
            let scenarios = bench.plan.scenarios.iter().enumerate();
            scenarios.filter(|(_, it)| it.suite == suite).map(|(at, _)| at).collect()
        };
        let suites = Suite::ALL.into_iter().map(|suite| (suite, of(suite)));
        suites.filter(|(_, it)| !it.is_empty()).map(|(suite, it)| Self::new(bench, suite, &it)).collect()
    }

    fn new(bench: &Bench, suite: Suite, scenarios: &[usize]) -> Self {
        let plan = &bench.plan;
        let pooled = |stack| Pooled::new(bench, scenarios, stack);
        let (baseline, ceiling) = (pooled(0), plan.stacks.iter().position(|it| it.guard == CEILING));
        let ceiling = ceiling.map(|at| pooled(at).reachable);
        let row = |(nth, figures): (usize, Figures)| {
            let (stack, own) = (&plan.stacks[nth], pooled(nth));
            let later = |ratio: Option<Ratio>| ratio.filter(|_| nth > 0);
            let [mine, usual] = [&own, &baseline].map(|it| it.reachable.and(&it.unreachable));
            let ceiling = ceiling.as_ref().and_then(|it| own.reachable.ratio_to(it, |it| it.recovered));
            StackRow {
                stack: stack.guard.clone(),
                about: stack.about.clone(),
                figures,
                tokens_on_stubborn: later(mine.ratio_to(&usual, |it| it.tokens)),
                tokens_on_controls: later(own.control.ratio_to(&baseline.control, |it| it.tokens)),
                turns_of_kept_controls: later(own.control.ratio(|it| [it.kept_turns, it.kept_turns_before])),
                share_of_ceiling: ceiling,
            }
        };
        let rows: Vec<StackRow> = figures(bench, scenarios).into_iter().enumerate().map(row).collect();
        let tests = rows.iter().filter(|it| it.figures.against.is_some()).count();
        let count =
            |wanted: &dyn Fn(usize) -> bool| scenarios.iter().filter(|&&at| wanted(at)).count() as u64;
        let is_stubborn = |at: usize| plan.scenarios[at].is_stubborn();
        Self {
            suite,
            stubborn: count(&is_stubborn),
            reachable: count(&|at| is_stubborn(at) && plan.scenarios[at].unreachable.is_none()),
            controls: count(&|at| !is_stubborn(at)),
            rows,
            compared: compared(tests),
        }
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
                    live: plan.live.as_ref().map(|_| bench.cell(at, nth).live),
                    figures,
                    command: first.map(|seed| plan.trial(at, nth, seed)),
                }
            });
        ScenarioTable {
            scenario: scenario.label(),
            suite: scenario.suite,
            kind: scenario.kind,
            title: scenario.title.clone(),
            unreachable: scenario.unreachable.clone(),
            rows: rows.collect(),
        }
    };
    (0..plan.scenarios.len()).map(table).collect()
}
