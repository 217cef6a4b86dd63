//! The figures of one stack, over one scenario or over many.

use schemars::JsonSchema;
use serde::Serialize;

use super::pooled::Pooled;
use crate::records::Bench;
use crate::statistics::{Median, PValue, PairedDifference, Rate, Share, holm};

/// The figures of one stack over some scenarios.
///
/// Where one written scenario is behind a figure, its interval treats trials as independent and speaks of that scenario
/// alone. Else it treats scenarios as independent, and in drawn worlds groups of skeletons.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// Of the trials with an onset whose goal can be reached, those whose goal held in the end.
    pub recovered: Share,
    /// Of these, trials without an intervention or a resend after the onset.
    pub unprompted: Share,
    /// Recovered trials under the flat response model, in which every delivered intervention works equally well. A
    /// live record has no response model: this and the next figure repeat `recovered`.
    pub recovered_flat: Share,
    /// Recovered trials with drawn parameters of the response model.
    pub recovered_drawn: Share,
    /// Of the stubborn trials with an onset, those without an intervention or a resend after it.
    pub missed: Share,
    /// Of the same, those without an intervention or a resend within eight turns of it.
    pub late: Share,
    /// Of the trials whose goal cannot be reached, those whose user knew in the end that the task was not done.
    pub told: Share,
    /// Of the stubborn trials, those in which the task was not done and the user did not know it.
    pub not_told: Share,
    /// Of the trials of controls, those whose goal held.
    pub healthy_done: Share,
    /// Of the trials of controls, those whose goal held under the baseline and not here.
    pub healthy_lost: Share,
    /// Interventions in healthy turns of controls.
    pub false_on_controls: Rate,
    /// Interventions in healthy turns of stubborn scenarios.
    pub false_on_stubborn: Rate,
    /// Trials that repeated an effect that should happen once.
    pub done_twice: Share,
    /// Trials in which a guard broke.
    pub guard_faults: Share,
    /// Turns from the onset to the first intervention or resend, over the stubborn trials with one. Over several
    /// scenarios it is the median of their medians.
    pub until_help: Median,
    /// Turns from the onset to the last stuck turn, both included, over recovered trials. Over several scenarios it is
    /// the median of their medians.
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
    /// The p-value: McNemar's exact one where trials are the unit, else of Student's t over the clusters.
    pub p: PValue,
    /// The p-value, corrected for all stacks of a table.
    pub p_corrected: PValue,
}

impl Pooled<'_> {
    fn figures(&self) -> Figures {
        let Self { reachable: open, unreachable: closed, control: healthy } = self;
        let (stubborn, all) = (open.and(closed), open.and(closed).and(healthy));
        Figures {
            recovered: open.share(|it| [it.recovered, it.onsets]),
            unprompted: open.share(|it| [it.unprompted, it.recovered]),
            recovered_flat: open.share(|it| [it.flat_recovered, it.flat_onsets]),
            recovered_drawn: open.share(|it| [it.drawn_recovered, it.drawn_onsets]),
            missed: stubborn.share(|it| [it.missed, it.onsets]),
            late: stubborn.share(|it| [it.late, it.onsets]),
            told: closed.share(|it| [it.handed_over, it.trials]),
            not_told: stubborn.share(|it| [it.not_told, it.trials]),
            healthy_done: healthy.share(|it| [it.done, it.trials]),
            healthy_lost: healthy.share(|it| [it.lost, it.trials]),
            false_on_controls: healthy.false_rate(),
            false_on_stubborn: stubborn.false_rate(),
            done_twice: all.share(|it| [it.doubled, it.trials]),
            guard_faults: all.share(|it| [it.guard_faults, it.trials]),
            until_help: stubborn.median(|it| &it.until_help),
            stuck_for: open.median(|it| &it.stuck_for),
            against: None,
            against_on_controls: None,
        }
    }
}

/// The figures of every stack on these scenarios, in the order of the plan.
pub(super) fn figures(bench: &Bench, scenarios: &[usize]) -> Vec<Figures> {
    let pooled: Vec<Pooled<'_>> =
        (0..bench.plan.stacks.len()).map(|stack| Pooled::new(bench, scenarios, stack)).collect();
    let on_stubborn = comparisons(pooled.iter().map(|it| it.reachable.against()).collect());
    let on_controls = comparisons(pooled.iter().map(|it| it.control.against()).collect());
    let compared = on_stubborn.into_iter().zip(on_controls);
    pooled
        .iter()
        .zip(compared)
        .map(|(it, (against, against_on_controls))| Figures { against, against_on_controls, ..it.figures() })
        .collect()
}

/// Each stack compared with the first, with p-values corrected for all stacks.
pub(super) fn comparisons(compared: Vec<(PairedDifference, PValue)>) -> Vec<Option<Comparison>> {
    if compared.iter().skip(1).all(|(difference, _)| difference.of == 0) {
        return vec![None; compared.len()];
    }
    let corrected = holm(&compared.iter().skip(1).map(|(_, p)| p.0).collect::<Vec<_>>());
    let others = compared.into_iter().skip(1).zip(corrected).map(|((difference, p), corrected)| {
        Some(Comparison { difference, p, p_corrected: PValue(corrected) })
    });
    std::iter::once(None).chain(others).collect()
}
