//! The input, the progress and the result of shrinking.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use balk_reports::records::TrialRecord;
use balk_scenarios::{Scenario, WorldOptions};

use super::shows::Shows;
use crate::guards::Recipe;

/// The trial to shrink, and the problem that it shows.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// The text of a scenario file.
    pub text: &'a str,
    /// The scenario, read from the text.
    pub scenario: &'a Arc<Scenario>,
    /// The seed.
    pub seed: u64,
    /// The stack.
    pub stack: &'a Recipe,
    /// The baseline and the oracle. One that does not show the problem at the start must not show it at the end, and
    /// one that reaches the goal at the start must reach it at the end.
    pub contrasts: &'a [Recipe],
    /// The options of the run.
    pub options: WorldOptions,
    /// The problem that the trial shows.
    pub shows: &'a Shows,
    /// The maximum number of smaller trials.
    pub tries: u32,
    /// Once it is set, no more trials are run, and the smallest so far is the result.
    pub stop: &'a AtomicBool,
}

/// The result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The text of the smaller scenario.
    pub text: String,
    /// The seed with which it shows the problem.
    pub seed: u64,
    /// The trial.
    pub record: TrialRecord,
    /// The number of smaller trials that were run.
    pub tries: u32,
    /// Whether nothing smaller is left to try; otherwise the limit of tries was reached, or somebody
    /// stopped it.
    pub is_smallest: bool,
    /// Whether the baseline or the oracle did not show the problem at the start. Otherwise the smaller trial may show
    /// it for another reason: a truncated trial shows many problems.
    pub has_contrast: bool,
}

/// The trial does not show the problem; it shows these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit(pub Vec<Shows>);

/// The progress, after each round of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Trials so far.
    pub tries: u32,
    /// Lines of the scenario.
    pub lines: usize,
    /// The seed.
    pub seed: u64,
}
