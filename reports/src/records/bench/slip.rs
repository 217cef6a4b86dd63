//! What should not happen in any trial.

use balk_contract::record::Grade;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::records::counts::Counts;

/// Something that should not happen in any trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Slip {
    /// Something happened twice that was to happen once.
    DoneTwice,
    /// A guard broke.
    GuardFault,
    /// The task is not done, and the user does not know.
    NotTold,
    /// Somebody stepped in in a healthy turn.
    FalseIntervention,
}

impl Slip {
    /// All of them, the gravest first.
    pub const ALL: [Self; 4] = [Self::DoneTwice, Self::GuardFault, Self::NotTold, Self::FalseIntervention];

    /// What happened, in a few words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DoneTwice => "done twice",
            Self::GuardFault => "guard fault",
            Self::NotTold => "not done and not told",
            Self::FalseIntervention => "false intervention",
        }
    }

    /// Whether it happened in a trial.
    #[must_use]
    pub const fn is_in(self, grade: &Grade) -> bool {
        match self {
            Self::DoneTwice => grade.double_effects > 0,
            Self::GuardFault => grade.guard_fault,
            Self::NotTold => !grade.goal && !grade.told,
            Self::FalseIntervention => grade.false_interventions > 0,
        }
    }

    /// In how many trials it happened; of false interventions, how many there were.
    #[must_use]
    pub const fn count(self, counts: &Counts) -> u64 {
        match self {
            Self::DoneTwice => counts.doubled,
            Self::GuardFault => counts.guard_faults,
            Self::NotTold => counts.not_told,
            Self::FalseIntervention => counts.false_interventions,
        }
    }
}
