//! What is hunted, and how bad a trial is.

use balk_reports::records::Lapse;
use clap::ValueEnum;

use crate::engine::Trial;
use crate::grade;
use crate::shrink::Shows;

/// What is hunted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Prey {
    /// Interventions in healthy turns
    False,
    /// Runs that stay stuck without an intervention
    Missed,
    /// Healthy runs that do not reach their goal
    Lost,
    /// Something that happens twice and should happen once
    Twice,
}

impl Prey {
    /// Everything that can be hunted.
    pub const ALL: [Self; 4] = [Self::False, Self::Missed, Self::Lost, Self::Twice];

    /// Its name on the command line and in the names of finds.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::False => "false",
            Self::Missed => "missed",
            Self::Lost => "lost",
            Self::Twice => "twice",
        }
    }

    /// What happens in a find, in a line.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::False => "A guard intervenes during healthy work",
            Self::Missed => "The model stays stuck, and no guard intervenes",
            Self::Lost => "Healthy work does not reach its goal",
            Self::Twice => "Something happens twice that should happen once",
        }
    }

    /// What a trial shows, for shrinking it.
    #[must_use]
    pub const fn shows(self) -> Shows {
        match self {
            Self::False => Shows::Lapse(Lapse::FalseIntervention),
            Self::Missed => Shows::Missed,
            Self::Lost => Shows::Lost,
            Self::Twice => Shows::Lapse(Lapse::DoneTwice),
        }
    }

    /// How bad a trial is in this respect; 0 is no find. The unit is an intervention, a stuck turn, a turn or an
    /// effect.
    #[must_use]
    pub fn severity(self, trial: &Trial) -> u32 {
        let grade = grade::grade(trial);
        let severity = match self {
            Self::False => grade.false_interventions,
            Self::Missed => grade.stuck_turns,
            Self::Lost => grade.turns,
            Self::Twice => grade.double_effects,
        };
        if self.shows().is_in(trial) { severity.max(1) } else { 0 }
    }
}
