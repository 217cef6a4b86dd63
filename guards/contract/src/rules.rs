//! What a guard can do: its rules, and the rungs of each.
//!
//! A note names its rule and its level. A guard lists the rules and levels that exist, so an audit can tell a rung
//! that no scenario reaches from one that does not exist.

use crate::attempt::AttemptCause;
use crate::entry::{Intervention, InterventionKind};

/// One rule of a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name, as in [`Note::rule`](crate::Note); for a resend, the cause of the failed attempt
    /// ([`AttemptCause::name`]).
    pub name: &'static str,
    /// What the guard does under it, first step first.
    pub rungs: &'static [Rung],
}

impl Rule {
    /// A rule with its rungs.
    #[must_use]
    pub const fn new(name: &'static str, rungs: &'static [Rung]) -> Self {
        Self { name, rungs }
    }

    /// A rule for sending a request again after this failure.
    #[must_use]
    pub const fn resend(cause: AttemptCause) -> Self {
        const AGAIN: &[Rung] = &[Rung::counted(Step::Resend)];
        Self::new(cause.name(), AGAIN)
    }
}

/// One thing that a guard does under a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rung {
    /// What it does.
    pub step: Step,
    /// The level at which it happens; `None` if the level only counts repetitions.
    pub level: Option<u8>,
}

impl Rung {
    /// A rung at one level.
    #[must_use]
    pub const fn at(level: u8, step: Step) -> Self {
        Self { step, level: Some(level) }
    }

    /// A rung whose level only counts repetitions.
    #[must_use]
    pub const fn counted(step: Step) -> Self {
        Self { step, level: None }
    }
}

/// What a guard can do: the kinds of interventions, and the steps that neither the model nor the user sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A completion is rewritten.
    Repair,
    /// A completion is refused, and the model is told why.
    Feedback,
    /// The model is told something in addition to the results.
    Note,
    /// The user is asked.
    Question,
    /// The user is told something.
    Notice,
    /// A call is refused.
    Block,
    /// The run ends.
    Stop,
    /// The end of a run is explained.
    Conclusion,
    /// A request is sent again.
    Resend,
    /// A call runs again.
    Rerun,
}

impl Step {
    /// The step as records spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Repair => "repair",
            Self::Feedback => "feedback",
            Self::Note => "note",
            Self::Question => "question",
            Self::Notice => "notice",
            Self::Block => "block",
            Self::Stop => "stop",
            Self::Conclusion => "conclusion",
            Self::Resend => "resend",
            Self::Rerun => "rerun",
        }
    }

    /// The step with this spelling in records.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        const ALL: [Step; 10] = [
            Step::Repair,
            Step::Feedback,
            Step::Note,
            Step::Question,
            Step::Notice,
            Step::Block,
            Step::Stop,
            Step::Conclusion,
            Step::Resend,
            Step::Rerun,
        ];
        ALL.into_iter().find(|step| step.name() == name)
    }

    /// The step for an intervention.
    #[must_use]
    pub const fn of(intervention: &Intervention) -> Self {
        match intervention.kind {
            InterventionKind::Repair(_) => Self::Repair,
            InterventionKind::Feedback => Self::Feedback,
            InterventionKind::Note => Self::Note,
            InterventionKind::Question(_) => Self::Question,
            InterventionKind::Notice => Self::Notice,
            InterventionKind::Block => Self::Block,
            InterventionKind::Stop => Self::Stop,
        }
    }
}
