//! Counts over trials: integers, so that shards add up to the same as one run.

use serde::{Deserialize, Serialize};

use crate::trial::Grade;

/// What came of many trials of one scenario with one stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Trials.
    pub trials: u64,
    /// Trials that got stuck at least once.
    pub onsets: u64,
    /// Trials whose goal held in the end.
    pub done: u64,
    /// Of these, after an onset: recovered by work.
    pub recovered: u64,
    /// Trials whose goal did not hold, and the user was told.
    pub handed_over: u64,
    /// Trials whose goal did not hold, and the user was not told.
    pub not_told: u64,
    /// Interventions.
    pub interventions: u64,
    /// Of these, in healthy turns.
    pub false_interventions: u64,
    /// Healthy turns.
    pub healthy_turns: u64,
    /// Turns.
    pub turns: u64,
    /// Calls that ran.
    pub calls: u64,
    /// Requests sent again.
    pub resends: u64,
    /// Questions about failed attempts that could have been sent again.
    pub needless_questions: u64,
    /// Trials with at least one of these.
    pub asked_needlessly: u64,
    /// Effects in the world that were to happen once and happened again.
    pub double_effects: u64,
    /// Trials with at least one of these.
    pub doubled: u64,
    /// Trials in which a guard broke.
    pub guard_faults: u64,
}

impl Counts {
    /// Takes one trial in.
    pub fn add(&mut self, grade: &Grade) {
        *self = self.plus(&Self {
            trials: 1,
            onsets: u64::from(grade.onset.is_some()),
            done: u64::from(grade.goal),
            recovered: u64::from(grade.recovered()),
            handed_over: u64::from(grade.handed_over()),
            not_told: u64::from(grade.not_told()),
            interventions: grade.interventions.into(),
            false_interventions: grade.false_interventions.into(),
            healthy_turns: grade.healthy_turns.into(),
            turns: grade.turns.into(),
            calls: grade.calls.into(),
            resends: grade.resends.into(),
            needless_questions: grade.needless_questions.into(),
            asked_needlessly: u64::from(grade.needless_questions > 0),
            double_effects: grade.double_effects.into(),
            doubled: u64::from(grade.double_effects > 0),
            guard_faults: u64::from(grade.guard_fault),
        });
    }

    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            trials: self.trials + other.trials,
            onsets: self.onsets + other.onsets,
            done: self.done + other.done,
            recovered: self.recovered + other.recovered,
            handed_over: self.handed_over + other.handed_over,
            not_told: self.not_told + other.not_told,
            interventions: self.interventions + other.interventions,
            false_interventions: self.false_interventions + other.false_interventions,
            healthy_turns: self.healthy_turns + other.healthy_turns,
            turns: self.turns + other.turns,
            calls: self.calls + other.calls,
            resends: self.resends + other.resends,
            needless_questions: self.needless_questions + other.needless_questions,
            asked_needlessly: self.asked_needlessly + other.asked_needlessly,
            double_effects: self.double_effects + other.double_effects,
            doubled: self.doubled + other.doubled,
            guard_faults: self.guard_faults + other.guard_faults,
        }
    }
}
