//! The record of one trial.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::draw::Drawn;
use super::entry::EntryRecord;
use super::truth::Truth;

/// The version of the record format; rises when a reader of the old one would misread the new one.
pub const SCHEMA: u32 = 1;

/// Everything about one trial: what was run, what happened, what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialRecord {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The version of Balk that made it.
    pub balk: Cow<'static, str>,
    /// The scenario's name.
    pub scenario: String,
    /// The seed, as text: JSON readers round large numbers.
    pub seed: String,
    /// The guards, as on the command line.
    pub guard: String,
    /// What was set differently from the scenario's file: key and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<Drawn>,
    /// What the seed drew.
    pub world: Vec<Drawn>,
    /// The transcript.
    pub entries: Vec<EntryRecord>,
    /// What was really going on, turn by turn.
    pub turns: Vec<TurnRecord>,
    /// The same of failed attempts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedRecord>,
    /// What came of it.
    pub grade: Grade,
}

/// What no guard sees of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnRecord {
    /// The index of its completion among the entries.
    pub entry: usize,
    /// What was really going on.
    pub truth: Truth,
    /// Whether the model honestly told the user that the task is not done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tells_user: bool,
    /// Attempts that failed before it came.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed_attempts: u32,
}

/// What no guard sees of a failed attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailedRecord {
    /// The index of the attempt among the entries.
    pub entry: usize,
    /// What was really going on.
    pub truth: Truth,
    /// Whether something ran in it, seen or not, that is not known to change nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsafe_effect: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What came of a trial, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grade {
    /// Whether the goal holds in the end.
    pub goal: bool,
    /// The first stuck turn, from 1.
    pub onset: Option<u32>,
    /// The first turn from it on in which somebody stepped in or a request was sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_help: Option<u32>,
    /// The last stuck turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_stuck: Option<u32>,
    /// Whether the user was told that the task is not done, by a guard or by the model.
    pub told: bool,
    /// Turns.
    pub turns: u32,
    /// Turns whose truth is stuck.
    pub stuck_turns: u32,
    /// Turns whose truth is productive, waiting or finished.
    pub healthy_turns: u32,
    /// Calls that ran, each try counted.
    pub calls: u32,
    /// Interventions.
    pub interventions: u32,
    /// Of these, in a healthy turn.
    pub false_interventions: u32,
    /// Requests sent again.
    pub resends: u32,
    /// Simulated time, in ticks of 1 ms.
    pub ticks: u64,
    /// Estimated tokens sent to the model over all turns (bytes / 4).
    pub tokens_in: u64,
    /// Estimated tokens that the model wrote (bytes / 4).
    pub tokens_out: u64,
    /// Questions to the user about a failed attempt that could have been sent again.
    pub needless_questions: u32,
    /// How often something was done again in the world that was to be done once.
    pub double_effects: u32,
    /// Whether a guard broke.
    pub guard_fault: bool,
}

impl Grade {
    /// After an onset the goal holds at the end.
    #[must_use]
    pub fn recovered(&self) -> bool {
        self.onset.is_some() && self.goal
    }

    /// The task is not done, and the user knows.
    #[must_use]
    pub fn handed_over(&self) -> bool {
        !self.goal && self.told
    }

    /// The task is not done, and the user does not know.
    #[must_use]
    pub fn not_told(&self) -> bool {
        !self.goal && !self.told
    }
}
