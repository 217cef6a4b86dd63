//! The cells of one stack over some scenarios, with the unit that intervals treat as independent.

use crate::records::{Bench, Cell, Histogram, PlannedScenario, RateSums, Sums};
use crate::statistics::{
    Cluster, Median, PValue, PairedCluster, PairedDifference, Rate, Ratio, Share, mcnemar,
};

/// The cells of one stack by the kind of scenario.
pub(super) struct Pooled<'b> {
    /// Stubborn scenarios whose goal can be reached.
    pub(super) reachable: Cells<'b>,
    /// Other stubborn scenarios.
    pub(super) unreachable: Cells<'b>,
    pub(super) control: Cells<'b>,
}

/// Some cells of one stack that have trials.
#[derive(Clone, Default)]
pub(in crate::report) struct Cells<'b>(Vec<&'b Cell>);

impl<'b> Pooled<'b> {
    pub(super) fn new(bench: &'b Bench, scenarios: &[usize], stack: usize) -> Self {
        let [mut reachable, mut unreachable, mut control] = [(); 3].map(|()| Cells::default());
        for &at in scenarios {
            let scenario = &bench.plan.scenarios[at];
            let cells = match (scenario.is_stubborn(), &scenario.unreachable) {
                (false, _) => &mut control,
                (true, None) => &mut reachable,
                (true, Some(_)) => &mut unreachable,
            };
            cells.0.extend(Some(bench.cell(at, stack)).filter(|it| it.counts.trials > 0));
        }
        Self { reachable, unreachable, control }
    }
}

impl<'b> Cells<'b> {
    /// One cell with trials.
    pub(in crate::report) fn one(cell: &'b Cell) -> Self {
        Self(vec![cell])
    }

    /// The cells of a stack in these scenarios.
    pub(super) fn of(bench: &'b Bench, stack: usize, wanted: impl Fn(&PlannedScenario) -> bool) -> Self {
        let scenarios = bench.plan.scenarios.iter().enumerate().filter(|(_, it)| wanted(it));
        let cells = scenarios.map(|(at, _)| bench.cell(at, stack));
        Self(cells.filter(|it| it.counts.trials > 0).collect())
    }

    pub(super) fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).copied().collect())
    }

    fn clusters(&self) -> Vec<Sums> {
        self.0.iter().flat_map(|it| it.clusters()).collect()
    }

    /// The only cell, if trials are the unit: one written scenario.
    fn alone(&self) -> Option<&Cell> {
        match &self.0[..] {
            [cell] if cell.groups.is_none() => Some(cell),
            _ => None,
        }
    }

    /// The share of a count in another.
    pub(in crate::report) fn share(&self, of: fn(&Sums) -> [u64; 2]) -> Share {
        match self.alone() {
            Some(cell) => {
                let [count, of] = of(&cell.sums());
                Share::new(count, of)
            }
            None => {
                let cluster = |it: &Sums| {
                    let [count, of] = of(it);
                    Cluster { count, of }
                };
                Share::of_clusters(&self.clusters().iter().map(cluster).collect::<Vec<_>>())
            }
        }
    }

    /// False interventions per healthy turn.
    pub(in crate::report) fn false_rate(&self) -> Rate {
        let sums = match self.alone() {
            Some(cell) => cell.disturbed,
            None => {
                let mut sums = RateSums::default();
                for it in self.clusters() {
                    add_cluster(&mut sums, it.false_interventions, it.healthy_turns);
                }
                sums
            }
        };
        Rate::new(&sums)
    }

    /// Goals compared with the baseline, and the p-value of no difference.
    pub(super) fn against(&self) -> (PairedDifference, PValue) {
        match self.alone() {
            Some(Cell { counts, paired, .. }) => (
                PairedDifference::new(paired.saved, paired.lost, counts.trials),
                PValue(mcnemar(paired.saved, paired.lost)),
            ),
            None => {
                let pairs = |it: &Sums| PairedCluster { saved: it.saved, lost: it.lost, of: it.trials };
                PairedDifference::of_clusters(&self.clusters().iter().map(pairs).collect::<Vec<_>>())
            }
        }
    }

    /// The median of one scenario, or the median of the scenarios' medians.
    pub(super) fn median(&self, of: fn(&Cell) -> &Histogram) -> Median {
        if let [cell] = &self.0[..] {
            return Median::new(of(cell).iter());
        }
        let mut medians = Histogram::default();
        self.0.iter().filter_map(|cell| of(cell).quantile(50)).for_each(|it| medians.add(it));
        Median::new(medians.iter())
    }

    /// A sum divided by another one of the same trials.
    pub(super) fn ratio(&self, of: fn(&Sums) -> [u64; 2]) -> Option<Ratio> {
        let found = Ratio::of_clusters(&self.clusters().iter().map(of).collect::<Vec<_>>());
        Some(found).filter(|it| it.ratio.is_some())
    }

    /// A sum divided by that of another stack over the same trials.
    pub(super) fn ratio_to(&self, other: &Self, of: fn(&Sums) -> u64) -> Option<Ratio> {
        let pairs = self.clusters().into_iter().zip(other.clusters());
        let sums: Vec<_> = pairs.map(|(mine, other)| [of(&mine), of(&other)]).collect();
        Some(Ratio::of_clusters(&sums)).filter(|it| it.ratio.is_some())
    }
}

/// Adds one cluster as one unit.
pub(super) fn add_cluster(sums: &mut RateSums, events: u64, turns: u64) {
    let [events, turns] =
        [events, turns].map(|it| u32::try_from(it).expect("turns of a cell are far below 2^32"));
    // A failed attempt is not a turn, but a guard can disturb it.
    sums.add(events, turns.max(u32::from(events > 0)));
}
