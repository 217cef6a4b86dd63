//! What is to shrink, how far it is, and what became of it.

use balk_reports::records::TrialRecord;
use balk_scenarios::{Scenario, WorldOptions};

use super::shows::Shows;
use crate::guards::Recipe;

/// The trial that is to shrink, and what it shows.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// The text of a scenario file.
    pub text: &'a str,
    /// What was read from the text.
    pub scenario: &'a Scenario,
    /// The seed.
    pub seed: u64,
    /// The stack.
    pub stack: &'a Recipe,
    /// The baseline and the oracle: where one of them does not show it at the start, it does not at the end.
    pub contrasts: &'a [Recipe],
    /// What the run chooses.
    pub options: WorldOptions,
    /// What the trial shows.
    pub shows: &'a Shows,
    /// How many smaller trials are run at most.
    pub tries: u32,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The text of the smaller scenario.
    pub text: String,
    /// The seed under which it shows the same.
    pub seed: u64,
    /// The trial.
    pub record: TrialRecord,
    /// Smaller trials that were run.
    pub tries: u32,
    /// Whether nothing smaller was left to try; otherwise the tries ran out.
    pub is_smallest: bool,
    /// Whether the baseline or the oracle did not show it at the start. Otherwise nothing tells why the smaller trial
    /// shows it: one that is cut short shows much.
    pub has_contrast: bool,
}

/// The trial does not show what is to be kept; here is what it does show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit(pub Vec<Shows>);

/// How far it is: after each round of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Trials that were run.
    pub tries: u32,
    /// Lines of the scenario.
    pub lines: usize,
    /// The seed.
    pub seed: u64,
}
