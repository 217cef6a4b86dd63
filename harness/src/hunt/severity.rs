//! What is hunted, and how bad a trial is.

use balk_reports::records::Grade;

use crate::shrink::Shows;
use balk_reports::records::Slip;

/// What is hunted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Prey {
    /// Interventions in healthy turns.
    False,
    /// Stuck runs in which nobody steps in.
    Missed,
    /// Healthy runs that do not reach their goal.
    Lost,
    /// Something that happens twice and should happen once.
    Twice,
}

impl Prey {
    /// Everything that can be hunted.
    pub const ALL: [Self; 4] = [Self::False, Self::Missed, Self::Lost, Self::Twice];

    /// The problem that a trial shows, for shrinking it.
    #[must_use]
    pub const fn shows(self) -> Shows {
        match self {
            Self::False => Shows::Slip(Slip::FalseIntervention),
            Self::Missed => Shows::Missed,
            Self::Lost => Shows::Lost,
            Self::Twice => Shows::Slip(Slip::DoneTwice),
        }
    }
}

/// How bad a trial is in this respect; 0 is no find. The unit depends on what is hunted: interventions, stuck turns,
/// turns, effects.
#[must_use]
pub fn severity(grade: &Grade, prey: Prey) -> u64 {
    let when = |holds: bool, how: u32| if holds { u64::from(how.max(1)) } else { 0 };
    match prey {
        Prey::False => u64::from(grade.false_interventions),
        Prey::Missed => when(grade.is_missed(), grade.stuck_turns),
        Prey::Lost => when(grade.is_lost(), grade.turns),
        Prey::Twice => u64::from(grade.double_effects),
    }
}
