//! What came of a conversation, as far as the server can know it.

use std::sync::Arc;

use serde::Serialize;

use super::record::{Called, History, Step};
use crate::told::{Heard, Printed, printed};

/// What came of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The scenario.
    pub scenario: Arc<str>,
    /// The seed, as text: not every reader of JSON has whole numbers of this size.
    pub seed: String,
    /// Whether the task is done in the scenario's own world, in which every call ran that the agent ran.
    pub goal: bool,
    /// Whether the model was stuck in at least one of its turns.
    pub stuck: bool,
    /// Whether the model was stuck, and the task is done all the same.
    pub recovered: bool,
    /// The line with which the agent told its user that the task is not done: of what it said to them last or, if that
    /// is not known, of the model's last words. `None` if it did not.
    pub told: Option<String>,
    /// Requests of the task and beside it.
    pub requests: u64,
    /// What the agent said to the model of its own accord.
    pub interventions: usize,
    /// The largest number of turns in a row with the same calls.
    pub identical_calls: usize,
}

/// The largest number of turns in a row with the same calls. The calls of an answer that broke off are no calls yet,
/// and an answer that is given again before anything came of it is one turn.
pub(super) fn identical_calls(steps: &[Step]) -> usize {
    let mut turns: Vec<&[Called]> = Vec::new();
    let mut is_again = false;
    for step in steps {
        match step {
            Step::Act { calls, broke: None, .. } => {
                if std::mem::replace(&mut is_again, true) {
                    turns.pop();
                }
                turns.push(calls);
            }
            Step::Opened { .. } | Step::History { how: History::Forked | History::Restarted } => {
                // What comes next is in no row with what was before.
                turns.push(&[]);
                is_again = false;
            }
            Step::Result { .. } | Step::User { .. } | Step::Intervention { .. } => is_again = false,
            Step::Act { .. } | Step::Side { .. } | Step::System { .. } | Step::History { .. } => {}
        }
    }
    let rows = turns.chunk_by(|before, next| before == next).filter(|it| !it[0].is_empty());
    rows.map(<[_]>::len).max().unwrap_or(0)
}

/// How many interventions there were.
pub(super) fn interventions(steps: &[Step]) -> usize {
    steps.iter().filter(|it| matches!(it, Step::Intervention { .. })).count()
}

/// Whether the model was stuck in a turn.
pub(super) fn stuck(steps: &[Step]) -> bool {
    steps.iter().any(|it| matches!(it, Step::Act { truth, .. } if truth.is_stuck()))
}

/// What the user of an agent reads at last, after these steps: what it printed, or the model's last words where that is
/// not known.
pub fn user_read(steps: &[Step], stdout: Option<&str>, stderr: &str) -> Printed {
    let mut others: Vec<&str> = Vec::new();
    let mut last = None;
    for step in steps {
        match step {
            Step::Act { texts, calls, .. } => {
                others.extend(last.take());
                let mut texts = texts.iter().map(|it| &**it);
                last = if calls.is_empty() { texts.next_back() } else { None };
                others.extend(texts);
            }
            Step::Result { text, .. } | Step::User { text, .. } => others.push(text),
            Step::Opened { .. }
            | Step::Intervention { .. }
            | Step::Side { .. }
            | Step::System { .. }
            | Step::History { .. } => {}
        }
    }
    let stdout = stdout.or(last).unwrap_or_default();
    printed(stdout, stderr, &Heard { last, others: &others })
}
