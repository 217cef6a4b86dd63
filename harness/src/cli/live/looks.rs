//! Looks at a live run while it goes on: what it can tell apart, and when it has.

use balk_reports::records::{Bench as Record, Cell, Plan};
use balk_reports::statistics::{PairedCluster, SequentialDifference, Variation};

use crate::cli::say::say;

/// Says what this many worlds and trials can tell apart: by how pairs of the record vary, else by what is assumed.
pub(super) fn announce(record: &Record, trials: u64) {
    let worlds = record.plan.scenarios.len() as u64;
    let seen = (1..record.plan.stacks.len()).find_map(|stack| Variation::of_worlds(&pairs(record, stack)));
    let points = |variation: Variation| match variation.detectable(worlds, trials) {
        Some(points) => format!("{points} points"),
        None => "none, they are too few".to_owned(),
    };
    let text = match seen {
        Some(variation) => format!("{}, as trials vary so far", points(variation)),
        None => {
            let [alike, unlike] = Variation::ASSUMED.map(points);
            let both = if alike == unlike {
                alike
            } else {
                format!("{alike} if worlds are alike, {unlike} if they are not")
            };
            format!("{both} (assumed: a fifth of the pairs differ; correlation within a world 0 and 0.6)")
        }
    };
    say(format_args!(
        "worlds: {worlds}, trials of each: {trials}; smallest difference in goals reached that they can show: {text}"
    ));
}

/// Says which trials of an earlier record a plan leaves out. Their completions stay.
pub(super) fn left_out(before: &Record, plan: &Plan) {
    let is_planned = |label: &str| plan.scenarios.iter().any(|it| it.label() == label);
    let trials = |at: usize| {
        let label = before.plan.scenarios[at].label();
        let done = before.done[at].count();
        let left =
            if is_planned(&label) { done.saturating_sub(plan.seeds[1] + 1 - plan.seeds[0]) } else { done };
        (left > 0).then(|| format!("{label} ({left})"))
    };
    let left: Vec<String> = (0..before.done.len()).filter_map(trials).collect();
    if !left.is_empty() {
        say(format_args!(
            "left out of the record, because this command does not ask for them: trials of {}; their completions stay",
            left.join(", ")
        ));
    }
}

/// Shows each stack's difference to the baseline, in intervals that hold for all stacks and at every look, and returns
/// whether all of them exclude zero.
pub(super) fn decided(record: &Record) -> bool {
    let stacks = 1..record.plan.stacks.len();
    let comparisons = stacks.len() as u64;
    let found: Vec<Option<SequentialDifference>> = stacks
        .clone()
        .map(|stack| SequentialDifference::of_worlds(&pairs(record, stack), comparisons))
        .collect();
    let shown: Vec<String> = stacks
        .zip(&found)
        .filter_map(|(stack, it)| Some(format!("{} {}", record.plan.stacks[stack].guard, it.as_ref()?)))
        .collect();
    if !shown.is_empty() {
        say(format_args!(
            "goals reached, in points against none, in intervals that hold at every look: {}",
            shown.join(", ")
        ));
    }
    !found.is_empty() && found.iter().all(|it| it.as_ref().is_some_and(SequentialDifference::excludes_zero))
}

/// The pairs of each world that was played, under this stack and the baseline.
fn pairs(record: &Record, stack: usize) -> Vec<PairedCluster> {
    let pairs = |cell: &Cell| PairedCluster {
        saved: cell.paired.saved,
        lost: cell.paired.lost,
        of: cell.counts.trials,
    };
    let worlds = (0..record.plan.scenarios.len()).map(|scenario| pairs(record.cell(scenario, stack)));
    worlds.filter(|it| it.of > 0).collect()
}
