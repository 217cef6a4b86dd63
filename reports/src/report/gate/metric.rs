//! The metrics that a gate can judge, and their values in a cell.

use std::fmt;

use super::measured::{Measured, named};
use crate::records::{Cell, Lapse, PlannedScenario, Sums};
use crate::report::tables::Cells;
use crate::statistics::{Rate, Share};

/// A metric of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Interventions in healthy turns.
    FalseInterventions,
    /// Repeated effects that should happen once.
    DoubleEffects,
    /// Trials in which a guard broke.
    GuardFaults,
    /// Trials that are not done, and whose user does not know it.
    NotTold,
    /// Trials that got stuck, without an intervention or a resend after the onset.
    Missed,
    /// Trials that got stuck, with no intervention or resend within eight turns of the onset, out of the stuck ones.
    Late,
    /// Trials that are done under the baseline, but not here.
    Lost,
    /// Questions about failed attempts that could have been resent.
    NeedlessQuestions,
    /// Recovered trials, out of the stuck ones.
    Recovery,
    /// Done trials, out of all.
    Done,
    /// Trials whose user was told, out of those not done.
    Told,
    /// Trials without an intervention or a resend after the onset, out of the recovered ones.
    Unprompted,
    /// False interventions per 1,000 healthy turns.
    FalseRate,
    /// The recovery, minus that of another record.
    RecoveryChange,
    /// The share of done trials, minus that of another record.
    DoneChange,
    /// The false rate, minus that of another record.
    FalseRateChange,
}

const NAMES: [(&str, Metric); 16] = [
    ("false_interventions", Metric::FalseInterventions),
    ("double_effects", Metric::DoubleEffects),
    ("guard_faults", Metric::GuardFaults),
    ("not_told", Metric::NotTold),
    ("missed", Metric::Missed),
    ("late", Metric::Late),
    ("lost", Metric::Lost),
    ("needless_questions", Metric::NeedlessQuestions),
    ("recovery", Metric::Recovery),
    ("done", Metric::Done),
    ("told", Metric::Told),
    ("unprompted", Metric::Unprompted),
    ("false_rate", Metric::FalseRate),
    ("recovery_change", Metric::RecoveryChange),
    ("done_change", Metric::DoneChange),
    ("false_rate_change", Metric::FalseRateChange),
];

/// The value of a metric in a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// A count.
    Count(u64),
    /// A rate with its 95 % interval, in the unit of the gate.
    Interval {
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
        /// As people read it, with the bounds and the n.
        text: String,
    },
    /// A rate without trials, turns or onsets, where there should be some.
    Unknown,
}

impl Measured for Metric {
    const EXAMPLE: &str = "recovery<0.9 or default@control: false_interventions>0";

    fn named(name: &str) -> Result<Self, String> {
        named(name, &NAMES)
    }
}

impl Metric {
    /// Whether it compares two records.
    #[must_use]
    pub const fn is_change(self) -> bool {
        matches!(self, Self::RecoveryChange | Self::DoneChange | Self::FalseRateChange)
    }

    /// Whether it has a meaning in this scenario: nothing recovers in a control, or if the goal cannot be reached.
    #[must_use]
    pub fn has_meaning(self, scenario: &PlannedScenario) -> bool {
        let is_reachable = scenario.unreachable.is_none();
        match self {
            Self::Recovery | Self::Unprompted | Self::RecoveryChange => {
                is_reachable && scenario.is_stubborn()
            }
            Self::Done | Self::DoneChange => is_reachable,
            Self::FalseInterventions
            | Self::DoubleEffects
            | Self::GuardFaults
            | Self::NotTold
            | Self::Missed
            | Self::Late
            | Self::Lost
            | Self::NeedlessQuestions
            | Self::Told
            | Self::FalseRate
            | Self::FalseRateChange => true,
        }
    }

    /// Its value in a cell; none if it has no meaning there or nothing to count. A change has no value in a single
    /// record. Without trials nothing is known, not even that a count is 0.
    #[must_use]
    pub fn of(self, scenario: &PlannedScenario, cell: &Cell) -> Option<Found> {
        let counts = &cell.counts;
        if !self.has_meaning(scenario) || self.is_change() {
            return None;
        }
        if counts.trials == 0 {
            return Some(Found::Unknown);
        }
        let cells = Cells::one(cell);
        let share =
            |is_about: bool, of: fn(&Sums) -> [u64; 2]| is_about.then(|| Found::share(&cells.share(of)));
        let count = |count: u64| Some(Found::Count(count));
        match self {
            Self::FalseInterventions => count(counts.false_interventions),
            Self::DoubleEffects => count(counts.double_effects),
            Self::GuardFaults => count(counts.guard_faults),
            Self::NotTold => count(counts.not_told),
            Self::Missed => count(counts.missed),
            Self::Late => share(counts.onsets > 0, |it| [it.late, it.onsets]),
            Self::Lost => count(cell.paired.lost),
            Self::NeedlessQuestions => count(counts.needless_questions),
            Self::Recovery => share(true, |it| [it.recovered, it.onsets]),
            Self::Done => share(true, |it| [it.done, it.trials]),
            Self::Told => share(counts.trials > counts.done, |it| [it.handed_over, it.trials - it.done]),
            Self::Unprompted => share(counts.recovered > 0, |it| [it.unprompted, it.recovered]),
            Self::FalseRate => (cell.disturbed.turns > 0).then(|| Found::rate(&cells.false_rate())),
            Self::RecoveryChange | Self::DoneChange | Self::FalseRateChange => None,
        }
    }

    /// Whether `balk scenario --seeds` has a column for it.
    pub(super) const fn is_counted(self) -> bool {
        match self {
            Self::FalseInterventions
            | Self::NotTold
            | Self::Recovery
            | Self::Done
            | Self::Told
            | Self::FalseRate
            | Self::RecoveryChange
            | Self::DoneChange
            | Self::FalseRateChange => true,
            Self::DoubleEffects
            | Self::GuardFaults
            | Self::Missed
            | Self::Late
            | Self::Lost
            | Self::NeedlessQuestions
            | Self::Unprompted => false,
        }
    }

    /// The lapse that it counts; a cell knows the lowest seed of each.
    pub(super) const fn lapse(self) -> Option<Lapse> {
        match self {
            Self::FalseInterventions | Self::FalseRate | Self::FalseRateChange => {
                Some(Lapse::FalseIntervention)
            }
            Self::DoubleEffects => Some(Lapse::DoneTwice),
            Self::GuardFaults => Some(Lapse::GuardFault),
            Self::NotTold | Self::Told => Some(Lapse::NotTold),
            Self::Missed
            | Self::Late
            | Self::Lost
            | Self::NeedlessQuestions
            | Self::Recovery
            | Self::Done
            | Self::Unprompted
            | Self::RecoveryChange
            | Self::DoneChange => None,
        }
    }
}

impl Found {
    fn share(share: &Share) -> Self {
        if share.of == 0 {
            return Self::Unknown;
        }
        let [low, high] = share.bounds();
        Self::Interval {
            low: share.low,
            high: share.high,
            text: format!("{} of {} ({low} to {high})", share.count, share.of),
        }
    }

    #[expect(clippy::float_arithmetic, reason = "bounds of intervals are floats; no trial depends on them")]
    fn rate(rate: &Rate) -> Self {
        let (Some(shown), [low, high]) = rate.per_thousand() else { return Self::Unknown };
        Self::Interval {
            low: 1_000.0 * rate.low,
            high: 1_000.0 * rate.high,
            text: format!("{shown} ({low} to {high}) in {} healthy turns", rate.turns),
        }
    }
}

/// The name in a gate.
impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAMES.iter().find(|(_, it)| it == self).map_or("", |(name, _)| name))
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Interval { text, .. } => f.write_str(text),
            Self::Unknown => f.write_str("unknown, nothing to count"),
        }
    }
}
