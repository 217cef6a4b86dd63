//! Counts over all runs of a pile.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Counts over all runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Files that were read, whole or in part.
    pub files: u64,
    /// Runs.
    pub runs: u64,
    /// Their completions.
    pub turns: u64,
    /// Runs that were stuck.
    pub stuck_runs: u64,
    /// Turns in which they were.
    pub stuck_turns: u64,
    /// Runs with a firing of a stuck model that were not stuck.
    pub once: u64,
    /// Runs that the source says were resolved.
    pub resolved_runs: u64,
    /// Of these, runs that were stuck.
    pub resolved_stuck: u64,
    /// Runs of which the source does not say how they ended.
    pub unknown_outcomes: u64,
    /// Runs of which the source does not say when anything was said.
    pub without_times: u64,
    /// Runs of which the source does not say of any answer how many tokens it cost.
    pub without_tokens: u64,
    /// Results of tools.
    pub results: u64,
    /// Runs in which `abandonment` sees nothing, because no tool is known or seems to write.
    pub blind: u64,
    /// Runs whose last part no guard was asked about, since guards would have ended the run too often before.
    #[serde(default)]
    pub not_whole: u64,
    /// Runs in which a guard broke.
    pub guard_faults: u64,
    /// Lines that cannot be used.
    pub bad_lines: u64,
    /// Files that could not be opened or read to their end.
    pub broken_files: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        let all = [
            (&mut self.files, other.files),
            (&mut self.runs, other.runs),
            (&mut self.turns, other.turns),
            (&mut self.stuck_runs, other.stuck_runs),
            (&mut self.stuck_turns, other.stuck_turns),
            (&mut self.once, other.once),
            (&mut self.resolved_runs, other.resolved_runs),
            (&mut self.resolved_stuck, other.resolved_stuck),
            (&mut self.unknown_outcomes, other.unknown_outcomes),
            (&mut self.without_times, other.without_times),
            (&mut self.without_tokens, other.without_tokens),
            (&mut self.results, other.results),
            (&mut self.blind, other.blind),
            (&mut self.not_whole, other.not_whole),
            (&mut self.guard_faults, other.guard_faults),
            (&mut self.bad_lines, other.bad_lines),
            (&mut self.broken_files, other.broken_files),
        ];
        for (sum, more) in all {
            *sum = sum.saturating_add(more);
        }
    }
}
