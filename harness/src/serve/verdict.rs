//! What came of a conversation, as far as the server can know it.

use std::sync::Arc;

use serde::Serialize;

use super::record::{Called, Step};

/// What came of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The scenario.
    pub scenario: Arc<str>,
    /// The seed, as text: not every reader of JSON has whole numbers of this size.
    pub seed: String,
    /// Whether the task is done in the scenario's own world, in which every call ran that the agent ran.
    pub goal: bool,
    /// Requests of the task and beside it.
    pub requests: u64,
    /// What the agent said to the model of its own accord.
    pub interventions: usize,
    /// The largest number of turns in a row with the same calls.
    pub identical_calls: usize,
}

/// The largest number of acts in a row with the same calls. The calls of an answer that broke off are no calls yet.
pub(super) fn identical_calls(steps: &[Step]) -> usize {
    let (mut most, mut row) = (0, 0);
    let mut last: Option<&[Called]> = None;
    for step in steps {
        let Step::Act { calls, broke: None, .. } = step else { continue };
        row = if calls.is_empty() {
            0
        } else if last == Some(calls) {
            row + 1
        } else {
            1
        };
        last = Some(calls);
        most = most.max(row);
    }
    most
}

/// How many interventions there were.
pub(super) fn interventions(steps: &[Step]) -> usize {
    steps.iter().filter(|it| matches!(it, Step::Intervention { .. })).count()
}
