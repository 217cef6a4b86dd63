//! The figures of one stack on some scenarios: one type for a single scenario and for all of them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::records::{Bench, Cell, Histogram};
use crate::statistics::{Median, PValue, PairedDifference, Rate, Share, holm, mcnemar};

/// What one stack did on some scenarios.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// Trials whose goal held in the end after an onset, of those with an onset, where the goal can be
    /// reached.
    pub recovered: Share,
    /// Of these, trials in which nobody had stepped in.
    pub unprompted: Share,
    /// Recovered of those with an onset, where an intervention counts for being delivered and for nothing
    /// else.
    pub recovered_flat: Share,
    /// Recovered of those with an onset, with drawn parameters of the response model.
    pub recovered_drawn: Share,
    /// Trials with an onset in which nobody stepped in after it, of all stubborn trials with one.
    pub missed: Share,
    /// Trials in which the user knew in the end that the task is not done, where the goal cannot be reached.
    pub told: Share,
    /// Stubborn trials in which the task was not done and the user did not know.
    pub not_told: Share,
    /// Trials of controls whose goal held.
    pub healthy_done: Share,
    /// Interventions in healthy turns of controls.
    pub false_on_controls: Rate,
    /// Interventions in healthy turns of stubborn scenarios.
    pub false_on_stubborn: Rate,
    /// Trials in which something happened twice that was to happen once.
    pub done_twice: Share,
    /// Trials in which a guard broke.
    pub guard_faults: Share,
    /// Turns from the onset to the first help, of stubborn trials that were helped.
    pub until_help: Median,
    /// Turns from the onset to the last stuck one, both counted, of trials that recovered.
    pub stuck_for: Median,
    /// Stubborn trials whose goal can be reached, beside the same of the baseline; nothing of the baseline
    /// itself.
    pub against: Option<Comparison>,
    /// Trials of controls beside the same of the baseline.
    pub against_on_controls: Option<Comparison>,
}

/// Whether the goal held, beside the same trials of the baseline.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Saved less lost.
    pub difference: PairedDifference,
    /// McNemar's exact p-value.
    pub p: PValue,
    /// The same, corrected for the stacks that stand in one table.
    pub p_corrected: PValue,
}

/// Cells of one stack, added up by what can be asked of them.
struct Pooled {
    reachable: Cell,
    unreachable: Cell,
    control: Cell,
}

impl Pooled {
    fn new(bench: &Bench, scenarios: &[usize], stack: usize) -> Self {
        let [mut reachable, mut unreachable, mut control] = [(); 3].map(|()| Cell::default());
        for &at in scenarios {
            let scenario = &bench.plan.scenarios[at];
            let sum = match (scenario.is_stubborn(), &scenario.unreachable) {
                (false, _) => &mut control,
                (true, None) => &mut reachable,
                (true, Some(_)) => &mut unreachable,
            };
            sum.add(bench.cell(at, stack));
        }
        Self { reachable, unreachable, control }
    }

    fn figures(&self) -> Figures {
        let (open, closed, healthy) =
            (&self.reachable.counts, &self.unreachable.counts, &self.control.counts);
        let stubborn = open.plus(closed);
        let all = stubborn.plus(healthy);
        let helped = both(&self.reachable.until_help, &self.unreachable.until_help);
        Figures {
            recovered: Share::new(open.recovered, open.onsets),
            unprompted: Share::new(open.unprompted, open.recovered),
            recovered_flat: Share::new(self.reachable.flat.recovered, self.reachable.flat.onsets),
            recovered_drawn: Share::new(self.reachable.drawn.recovered, self.reachable.drawn.onsets),
            missed: Share::new(stubborn.missed, stubborn.onsets),
            told: Share::new(closed.handed_over, closed.trials),
            not_told: Share::new(stubborn.not_told, stubborn.trials),
            healthy_done: Share::new(healthy.done, healthy.trials),
            false_on_controls: Rate::new(&self.control.disturbed),
            false_on_stubborn: Rate::new(&self.reachable.disturbed.plus(&self.unreachable.disturbed)),
            done_twice: Share::new(all.doubled, all.trials),
            guard_faults: Share::new(all.guard_faults, all.trials),
            until_help: Median::new(helped.iter()),
            stuck_for: Median::new(self.reachable.stuck_for.iter()),
            against: None,
            against_on_controls: None,
        }
    }
}

fn both(one: &Histogram, other: &Histogram) -> Histogram {
    let mut sum = one.clone();
    sum.merge(other);
    sum
}

/// The figures of every stack on these scenarios, in the order of the plan.
pub(super) fn figures(bench: &Bench, scenarios: &[usize]) -> Vec<Figures> {
    let pooled: Vec<Pooled> =
        (0..bench.plan.stacks.len()).map(|stack| Pooled::new(bench, scenarios, stack)).collect();
    let on_stubborn = comparisons(&pooled, |it| &it.reachable);
    let on_controls = comparisons(&pooled, |it| &it.control);
    let compared = on_stubborn.into_iter().zip(on_controls);
    pooled
        .iter()
        .zip(compared)
        .map(|(it, (against, against_on_controls))| Figures { against, against_on_controls, ..it.figures() })
        .collect()
}

/// Each stack beside the first, with p-values that are corrected for all of them.
fn comparisons(pooled: &[Pooled], cell: fn(&Pooled) -> &Cell) -> Vec<Option<Comparison>> {
    let others: Vec<&Cell> = pooled.iter().skip(1).map(cell).collect();
    if others.iter().all(|it| it.counts.trials == 0) {
        return vec![None; pooled.len()];
    }
    let p_values: Vec<f64> = others.iter().map(|it| mcnemar(it.paired.saved, it.paired.lost)).collect();
    let compared = others.iter().zip(&p_values).zip(holm(&p_values)).map(|((cell, &p), corrected)| {
        let difference = PairedDifference::new(cell.paired.saved, cell.paired.lost, cell.counts.trials);
        Some(Comparison { difference, p: PValue(p), p_corrected: PValue(corrected) })
    });
    std::iter::once(None).chain(compared).collect()
}
