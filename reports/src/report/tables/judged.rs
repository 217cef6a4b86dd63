//! What a reader says of a sample of the interventions of a live record.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::records::JudgedIntervention;
use crate::statistics::{Cluster, ClusteredShare};

/// The shares of false interventions, as a reader judged a sample. Intervals treat runs as independent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LiveJudgements {
    /// Interventions where the two rounds before changed the world.
    pub disturbing: LiveJudged,
    /// All others.
    pub in_doubt: LiveJudged,
    /// Both; each judged intervention counts for all that its kind has for one in the sample.
    pub all: LiveJudged,
}

/// The judged interventions of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LiveJudged {
    /// All interventions of this kind in the record from which the sample was drawn.
    pub interventions: u64,
    /// Interventions in the sample.
    pub drawn: u64,
    /// Of these, the ones of which the reader is sure.
    pub judged: u64,
    /// Of these, the false ones.
    pub found_false: u64,
    /// The share of false ones.
    pub share: ClusteredShare,
}

impl LiveJudgements {
    pub(super) fn new(sample: &[JudgedIntervention]) -> Option<Self> {
        let of = |disturbing: bool| sample.iter().filter(move |it| it.disturbing == disturbing);
        let all = || of(true).chain(of(false));
        (!sample.is_empty()).then(|| Self {
            disturbing: LiveJudged::new(of(true)),
            in_doubt: LiveJudged::new(of(false)),
            all: LiveJudged::new(all()),
        })
    }
}

impl LiveJudged {
    fn new<'s>(sample: impl Iterator<Item = &'s JudgedIntervention> + Clone) -> Self {
        let count = |has: fn(&JudgedIntervention) -> bool| sample.clone().filter(|it| has(it)).count() as u64;
        let mut runs: BTreeMap<&str, Cluster> = BTreeMap::new();
        for it in sample.clone() {
            let Some(is_false) = it.is_false else { continue };
            let run = runs.entry(&it.run).or_default();
            run.of += it.weight;
            run.count += if is_false { it.weight } else { 0 };
        }
        let weights: u64 = sample.clone().map(|it| it.weight).sum();
        Self {
            interventions: (weights + 500) / 1_000,
            drawn: count(|_| true),
            judged: count(|it| it.is_false.is_some()),
            found_false: count(|it| it.is_false == Some(true)),
            share: ClusteredShare::new(&runs.into_values().collect::<Vec<_>>()),
        }
    }
}
