//! The record of one trial.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::draw::Drawn;
use super::entry::EntryRecord;
use super::truth::Truth;

/// The version of the record format; it rises when a reader of the old format would misread the new one.
pub const SCHEMA: u32 = 2;

/// Everything about one trial: its settings, its transcript, and its grade.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialRecord {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The version of Balk that wrote it.
    pub balk: Cow<'static, str>,
    /// The scenario's name.
    pub scenario: String,
    /// What the trial is without its surface: trials with the same skeleton are not independent. A written scenario has
    /// one, its name.
    pub skeleton: String,
    /// The seed, as text: JSON readers round large numbers.
    pub seed: String,
    /// The guards, as on the command line.
    pub guard: String,
    /// Settings that differ from the scenario's file: key and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<Drawn>,
    /// What the seed drew.
    pub world: Vec<Drawn>,
    /// The transcript.
    pub entries: Vec<EntryRecord>,
    /// What really happened, turn by turn.
    pub turns: Vec<TurnRecord>,
    /// The same for failed attempts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedRecord>,
    /// The result in numbers.
    pub grade: Grade,
}

/// What no guard sees of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnRecord {
    /// The index of its completion among the entries.
    pub entry: usize,
    /// What really happened.
    pub truth: Truth,
    /// Whether the model honestly told the user that the task is not done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tells_user: bool,
    /// Attempts that failed before it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed_attempts: u32,
}

/// What no guard sees of a failed attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailedRecord {
    /// The index of the attempt among the entries.
    pub entry: usize,
    /// What really happened.
    pub truth: Truth,
    /// Whether something ran in it, visible or not, that is not known to be read-only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsafe_effect: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The result of a trial, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grade {
    /// Whether the goal is met at the end.
    pub goal: bool,
    /// The first stuck turn, from 1.
    pub onset: Option<u32>,
    /// The first turn from the onset on with an intervention or a resend.
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
    /// Calls that ran, counting each try.
    pub calls: u32,
    /// Interventions.
    pub interventions: u32,
    /// Interventions in a healthy turn.
    pub false_interventions: u32,
    /// Requests sent again.
    pub resends: u32,
    /// Simulated time, in ticks of 1 ms.
    pub ticks: u64,
    /// Estimated tokens sent to the model over all turns (bytes / 4).
    pub tokens_in: u64,
    /// Estimated tokens that the model wrote (bytes / 4).
    pub tokens_out: u64,
    /// Questions to the user about a failed attempt that could simply have been sent again.
    pub needless_questions: u32,
    /// How often something that must happen once in the world happened again.
    pub double_effects: u32,
    /// Whether a guard broke.
    pub guard_fault: bool,
}

impl Grade {
    /// True if there was an onset and the goal is met at the end.
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
