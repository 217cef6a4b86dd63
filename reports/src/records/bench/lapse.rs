//! Lapses: what should not happen in any trial.

use balk_contract::record::Grade;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::records::counts::Counts;

/// Something that should not happen in any trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lapse {
    /// An effect that should happen once was repeated.
    DoneTwice,
    /// A guard broke.
    GuardFault,
    /// The task is not done, and the user does not know it.
    NotTold,
    /// A guard intervened in a healthy turn; in a live record, where the two rounds before changed the world.
    FalseIntervention,
}

impl Lapse {
    /// All lapses, the most serious first.
    pub const ALL: [Self; 4] = [Self::DoneTwice, Self::GuardFault, Self::NotTold, Self::FalseIntervention];

    /// The name, as people read it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DoneTwice => "done twice",
            Self::GuardFault => "guard fault",
            Self::NotTold => "not done and not told",
            Self::FalseIntervention => "false intervention",
        }
    }

    /// The name in a live record, where the world says which interventions disturb.
    #[must_use]
    pub const fn name_in_live(self) -> &'static str {
        match self {
            Self::DoneTwice | Self::GuardFault | Self::NotTold => self.name(),
            Self::FalseIntervention => "disturbing intervention",
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

    /// The number of trials with it; for false interventions, the number of interventions.
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
