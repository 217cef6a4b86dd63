//! What a gate of `balk triage` can judge.

use std::fmt;

use balk_reports::report::gate::{Measured, named};

use super::Counts;

/// A count over all runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Runs that were stuck.
    StuckRuns,
    /// Turns in which they were.
    StuckTurns,
}

const NAMES: [(&str, Metric); 2] = [("stuck_runs", Metric::StuckRuns), ("stuck_turns", Metric::StuckTurns)];

impl Metric {
    /// Its value.
    #[must_use]
    pub const fn of(self, counts: &Counts) -> u64 {
        match self {
            Self::StuckRuns => counts.stuck_runs,
            Self::StuckTurns => counts.stuck_turns,
        }
    }
}

impl Measured for Metric {
    const EXAMPLE: &str = "stuck_runs>0 or stuck_turns>20";

    fn named(name: &str) -> Result<Self, String> {
        named(name, &NAMES)
    }
}

/// The name in a gate.
impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAMES.iter().find(|(_, it)| it == self).map_or("", |(name, _)| name))
    }
}
