//! A part of a pile, read from the object that was written of it.

use balk_reports::records::RateSums;
use serde::Deserialize;

use super::counts::Counts;
use super::examined::Stuck;
use super::tools::Tools;
use crate::import::Oddities;

/// The members of the object from which the others are computed.
#[derive(Clone, Debug, Deserialize)]
pub struct Part {
    pub(super) counts: Counts,
    pub(super) worst: Vec<Stuck>,
    pub(super) tools: Tools,
    pub(super) oddities: Oddities,
    pub(super) disturbed_sums: RateSums,
}

impl Part {
    /// Whether its counts can be those of one pile.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let Counts { runs, stuck_runs, resolved_runs, resolved_stuck, .. } = self.counts;
        stuck_runs <= runs
            && self.worst.len() as u64 <= stuck_runs
            && resolved_runs <= runs
            && resolved_stuck <= resolved_runs.min(stuck_runs)
            && self.disturbed_sums.is_of_trials()
    }
}
