//! What each guard can do: its rules, and the rungs of each. A note names its rule and its level; this table says
//! which there are, so that a rung that nothing reaches can be told from one that does not exist.

use crate::attempt::AttemptCause;
use crate::entry::{Intervention, InterventionKind};

/// One rule of a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name, as in [`Note::rule`](crate::Note); of a resend, the cause of the failed attempt
    /// ([`AttemptCause::name`]).
    pub name: &'static str,
    /// What is done under it, the first step first.
    pub rungs: &'static [Rung],
}

/// One thing that is done under a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rung {
    /// What is done.
    pub step: Step,
    /// The level at which it is done; none where the level only counts how often.
    pub level: Option<u8>,
}

/// What a guard can do: the kinds of interventions, and what neither model nor user sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A completion is refused, and the model told why.
    Feedback,
    /// The model is told something beside the results.
    Note,
    /// The user is asked.
    Question,
    /// The user is told something.
    Notice,
    /// A call is refused.
    Block,
    /// A tool is missing from the next offer.
    Withheld,
    /// The run is ended.
    Stop,
    /// The end of a run is explained.
    Conclusion,
    /// A request is sent again.
    Resend,
    /// A call is run again.
    Rerun,
}

impl Step {
    /// The step as records spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Feedback => "feedback",
            Self::Note => "note",
            Self::Question => "question",
            Self::Notice => "notice",
            Self::Block => "block",
            Self::Withheld => "withheld",
            Self::Stop => "stop",
            Self::Conclusion => "conclusion",
            Self::Resend => "resend",
            Self::Rerun => "rerun",
        }
    }

    /// The step that records spell so.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        const ALL: [Step; 10] = [
            Step::Feedback,
            Step::Note,
            Step::Question,
            Step::Notice,
            Step::Block,
            Step::Withheld,
            Step::Stop,
            Step::Conclusion,
            Step::Resend,
            Step::Rerun,
        ];
        ALL.into_iter().find(|step| step.name() == name)
    }

    /// The step that an intervention is.
    #[must_use]
    pub const fn of(intervention: &Intervention) -> Self {
        match intervention.kind {
            InterventionKind::Feedback => Self::Feedback,
            InterventionKind::Note => Self::Note,
            InterventionKind::Question(_) => Self::Question,
            InterventionKind::Notice => Self::Notice,
            InterventionKind::Block => Self::Block,
            InterventionKind::Withheld(_) => Self::Withheld,
            InterventionKind::Stop => Self::Stop,
        }
    }
}

/// A rung whose level only counts.
const fn counted(step: Step) -> Rung {
    Rung { step, level: None }
}

/// A rung at one level.
const fn at(level: u8, step: Step) -> Rung {
    Rung { step, level: Some(level) }
}

const fn rule(name: &'static str, rungs: &'static [Rung]) -> Rule {
    Rule { name, rungs }
}

/// A rule by which a request is sent again after this failure.
const fn resend(cause: AttemptCause) -> Rule {
    const AGAIN: &[Rung] = &[counted(Step::Resend)];
    rule(cause.name(), AGAIN)
}

/// Of [`Abandonment`](crate::Abandonment).
pub const ABANDONMENT: &[Rule] = &[
    rule("fence-after-failures", &[at(1, Step::Feedback)]),
    rule("unacknowledged", &[counted(Step::Feedback)]),
    rule("files-not-created", &[at(1, Step::Notice)]),
    rule("words-first", &[counted(Step::Feedback)]),
    rule("ask-the-user", &[at(4, Step::Question)]),
    rule("failing-call", &[counted(Step::Rerun)]),
];

/// Of [`NoTools`](crate::NoTools).
pub const NO_TOOLS: &[Rule] = &[
    rule("no-call", &[counted(Step::Feedback)]),
    rule("thinking-only", &[counted(Step::Feedback)]),
    rule("message", &[counted(Step::Feedback)]),
    rule("limit", &[counted(Step::Question)]),
    rule("questions-spent", &[counted(Step::Stop)]),
];

/// Of [`Duplicate`](crate::Duplicate).
pub const DUPLICATE: &[Rule] = &[
    rule("same-call", &[at(1, Step::Block)]),
    rule("same-call-after-feedback", &[at(2, Step::Block)]),
    rule("same-call-after-options", &[at(3, Step::Question)]),
    rule("same-call-after-question", &[at(4, Step::Stop)]),
    rule("words-first", &[counted(Step::Feedback)]),
];

/// Of [`EmptyCompletion`](crate::EmptyCompletion).
pub const EMPTY_COMPLETION: &[Rule] = &[
    resend(AttemptCause::Empty),
    rule("attempts-spent", &[counted(Step::Stop)]),
    rule("truncated-call", &[counted(Step::Block)]),
    rule("truncated-text", &[counted(Step::Feedback)]),
    rule("truncated-again", &[counted(Step::Question)]),
];

/// Of [`RetrySafety`](crate::RetrySafety).
pub const RETRY_SAFETY: &[Rule] = &[
    resend(AttemptCause::Connect),
    resend(AttemptCause::TimedOut),
    resend(AttemptCause::Disconnected),
    resend(AttemptCause::Status { code: 0, retry_after: None }),
    rule("unsafe-execution-started", &[counted(Step::Question)]),
    rule("provider-executed-tool", &[counted(Step::Question)]),
    rule("side-effect-facts-incomplete", &[counted(Step::Question)]),
    rule("attempt-facts-incomplete", &[counted(Step::Question)]),
    rule("ran-already", &[counted(Step::Note)]),
    rule("ran-already-again", &[counted(Step::Block), counted(Step::Question)]),
    rule("early-transport-failure", &[counted(Step::Stop)]),
    rule("answer-cut-off", &[counted(Step::Stop)]),
    rule("transport-failure", &[counted(Step::Stop)]),
    rule("request-rejected", &[counted(Step::Stop)]),
    rule("told-to-wait", &[counted(Step::Stop)]),
    rule("budget-spent", &[counted(Step::Stop)]),
];

/// Of [`Handoff`](crate::Handoff).
pub const HANDOFF: &[Rule] = &[
    rule("missing-capability", &[counted(Step::Conclusion)]),
    rule("missing-input", &[counted(Step::Conclusion)]),
    rule("malformed-call", &[counted(Step::Conclusion)]),
    rule("no-progress", &[counted(Step::Conclusion)]),
    rule("partial-work", &[counted(Step::Conclusion)]),
    rule("provider", &[counted(Step::Conclusion)]),
    rule("constrained", &[counted(Step::Note)]),
];

/// Of [`Progress`](crate::Progress).
pub const PROGRESS: &[Rule] = &[
    // Who waits is never ended by this guard; the questions of a stack are counted.
    rule("waiting", &[at(1, Step::Note), at(2, Step::Block), at(3, Step::Question)]),
    rule("unknown-tool", LADDER),
    rule("invalid-arguments", LADDER),
    rule("refused-finish", LADDER),
    rule("growing-call", LADDER),
    rule("cycle", LADDER),
    rule("rewrite", LADDER),
    rule("no-op", LADDER),
    rule("repeat", LADDER),
    rule("near-failure", LADDER),
    rule("same-failure", LADDER),
    rule("wandering", LADDER),
    rule("refused-replies", CORRECTIONS),
    rule("repeated-text", CORRECTIONS),
];

const LADDER: &[Rung] = &[at(1, Step::Note), at(2, Step::Block), at(3, Step::Question), at(4, Step::Stop)];

/// Where there are no calls, there is nothing to refuse but the whole.
const CORRECTIONS: &[Rung] =
    &[at(1, Step::Feedback), at(2, Step::Feedback), at(3, Step::Question), at(4, Step::Stop)];

/// Of the [`Stack`](crate::Stack), whose budget makes something else of what a member wants. The note stays the
/// member's.
pub const STACK: &[Rule] =
    &[rule("corrections-spent", &[counted(Step::Question)]), rule("questions-spent", &[counted(Step::Stop)])];
