//! The figures of one stack, over one scenario or over many.

use schemars::JsonSchema;
use serde::Serialize;

use crate::records::{Bench, Cell, Histogram};
use crate::statistics::{Median, PValue, PairedDifference, Rate, Share, holm, mcnemar};

/// The figures of one stack over some scenarios.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// Of the trials with an onset whose goal can be reached, those whose goal held in the end.
    pub recovered: Share,
    /// Of these, trials without an intervention or a resend after the onset.
    pub unprompted: Share,
    /// Recovered trials under the flat response model, in which every delivered intervention works equally well.
    pub recovered_flat: Share,
    /// Recovered trials with drawn parameters of the response model.
    pub recovered_drawn: Share,
    /// Of the stubborn trials with an onset, those without an intervention or a resend after it.
    pub missed: Share,
    /// Of the trials whose goal cannot be reached, those whose user knew in the end that the task was not done.
    pub told: Share,
    /// Of the stubborn trials, those in which the task was not done and the user did not know it.
    pub not_told: Share,
    /// Of the trials of controls, those whose goal held.
    pub healthy_done: Share,
    /// Interventions in healthy turns of controls.
    pub false_on_controls: Rate,
    /// Interventions in healthy turns of stubborn scenarios.
    pub false_on_stubborn: Rate,
    /// Trials that repeated an effect that should happen once.
    pub done_twice: Share,
    /// Trials in which a guard broke.
    pub guard_faults: Share,
    /// Turns from the onset to the first intervention or resend, over the stubborn trials with one.
    pub until_help: Median,
    /// Turns from the onset to the last stuck turn, both included, over recovered trials.
    pub stuck_for: Median,
    /// Stubborn trials whose goal can be reached, compared with the baseline; none for the baseline itself.
    pub against: Option<Comparison>,
    /// Trials of controls, compared with the baseline.
    pub against_on_controls: Option<Comparison>,
}

/// Goals compared with the same trials of the baseline.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Saved minus lost.
    pub difference: PairedDifference,
    /// McNemar's exact p-value.
    pub p: PValue,
    /// The p-value, corrected for all stacks of a table.
    pub p_corrected: PValue,
}

/// The cells of one stack, added up by the kind of scenario.
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

/// Each stack compared with the first, with p-values corrected for all stacks.
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
