//! Simulated figures beside recorded ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use balk_reports::statistics::{Cluster, ClusteredShare, Tau};

use super::{CAP, Kinds, Side, kinds};
use crate::replay::judged::Judged;
use crate::replay::labels::{Label, Point, Weight};

/// The figures of one stack.
#[derive(Clone, Debug)]
pub struct StackFigures {
    /// The stack.
    pub stack: String,
    /// Over all kinds that both sides have.
    pub all: Figures,
    /// By kind; the simulated share with an interval of its own, in skeletons.
    pub by_kind: BTreeMap<Box<str>, [ClusteredShare; 2]>,
    /// Recorded precision.
    pub precision: ClusteredShare,
    /// Stretches in healthy simulated runs, and their turns.
    pub simulated_stretches: [u64; 2],
    /// Stretches in resolved recorded runs, and their turns.
    pub recorded_stretches: [u64; 2],
}

/// Detection on both sides, as shares from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// The simulated share.
    pub simulated: f64,
    /// The recorded share, in trajectories.
    pub recorded: ClusteredShare,
}

/// All stacks, and how well the two sides agree.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// One for each stack, in the order asked for.
    pub stacks: Vec<StackFigures>,
    /// The weights of the recorded kinds that the simulation has.
    pub kinds: Kinds,
    /// The weights of the recorded kinds that it does not have.
    pub without_counterpart: Kinds,
}

impl Comparison {
    /// Puts the simulated and the recorded side of each stack together. `skeletons` are the units of the simulated
    /// runs.
    #[must_use]
    pub fn new(stacks: Vec<(String, Side, Side)>, skeletons: &BTreeMap<Arc<str>, Arc<str>>) -> Self {
        let mut kinds = stacks.first().map(|(_, _, recorded)| kinds(&recorded.judged)).unwrap_or_default();
        let has = |kind: &str| {
            stacks.first().is_some_and(|(_, simulated, _)| {
                simulated.judged.tally(|point| *point.kind == *kind).points > 0
            })
        };
        let without_counterpart: Kinds = kinds
            .iter()
            .filter(|(kind, _)| !has(kind))
            .map(|(kind, weight)| (kind.clone(), *weight))
            .collect();
        kinds.retain(|kind, _| !without_counterpart.contains_key(kind));
        let skeleton = |point: &Point| skeletons.get(&point.trajectory).unwrap_or(&point.trajectory).clone();
        let stacks = stacks
            .into_iter()
            .map(|(stack, simulated, recorded)| figures(stack, &simulated, &recorded, &kinds, &skeleton));
        Self { stacks: stacks.collect(), kinds, without_counterpart }
    }

    /// The mean absolute difference between simulated and recorded detection over the stacks, from 0 to 1; none
    /// without stacks.
    #[must_use]
    pub fn mean_difference(&self) -> Option<f64> {
        let differences: Vec<f64> = self
            .stacks
            .iter()
            .filter_map(|it| Some((it.all.simulated - it.all.recorded.share?).abs()))
            .collect();
        let n = differences.len();
        (n > 0).then(|| differences.iter().sum::<f64>() / n as f64)
    }

    /// Whether both sides put the stacks in the same order.
    #[must_use]
    pub fn tau(&self) -> Tau {
        let pairs: Vec<[f64; 2]> =
            self.stacks.iter().filter_map(|it| Some([it.all.simulated, it.all.recorded.share?])).collect();
        Tau::new(&pairs)
    }
}

fn figures(
    stack: String,
    simulated: &Side,
    recorded: &Side,
    kinds: &Kinds,
    skeleton: &dyn Fn(&Point) -> Arc<str>,
) -> StackFigures {
    let trajectory = |point: &Point| point.trajectory.clone();
    let of_kind = |kind: &str| {
        let has = |point: &Point| *point.kind == *kind;
        [hits(&simulated.judged, &has, skeleton), hits(&recorded.judged, &has, &trajectory)]
    };
    let by_kind: BTreeMap<Box<str>, [ClusteredShare; 2]> =
        kinds.keys().map(|kind| (kind.clone(), of_kind(kind))).collect();
    let (mut sum, mut of) = (0.0, 0.0);
    for (kind, [simulated, _]) in &by_kind {
        let weight = kinds[kind] as f64;
        sum += weight * simulated.share.unwrap_or(0.0);
        of += weight;
    }
    StackFigures {
        stack,
        all: Figures {
            simulated: if of > 0.0 { sum / of } else { 0.0 },
            recorded: hits(&recorded.judged, &|point| kinds.contains_key(&point.kind), &trajectory),
        },
        by_kind,
        precision: recorded.judged.rates(Some(CAP)).precision,
        simulated_stretches: [simulated.stretches, simulated.turns],
        recorded_stretches: [recorded.stretches, recorded.turns],
    }
}

/// The share of the weight of these stuck points that was hit.
fn hits(judged: &Judged, has: &dyn Fn(&Point) -> bool, unit: &dyn Fn(&Point) -> Arc<str>) -> ClusteredShare {
    let mut clusters: BTreeMap<Arc<str>, Cluster> = BTreeMap::new();
    for it in judged.points().iter().filter(|it| it.point.label == Label::Stuck && has(&it.point)) {
        if let Some(hit) = it.hit() {
            let Weight(weight) = it.point.weight.min(CAP);
            let cluster = clusters.entry(unit(&it.point)).or_default();
            cluster.of += weight;
            cluster.count += if hit { weight } else { 0 };
        }
    }
    ClusteredShare::new(&clusters.into_values().collect::<Vec<_>>())
}
