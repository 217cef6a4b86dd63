//! The rules and rungs of each guard.

use balk_contract::AttemptCause;
pub use balk_contract::rules::{Rule, Rung, Step};

/// Of [`Abandonment`](crate::Abandonment).
pub const ABANDONMENT: &[Rule] = &[
    Rule::new("fence-after-failures", &[Rung::at(1, Step::Feedback)]),
    Rule::new("unacknowledged", &[Rung::counted(Step::Feedback)]),
    Rule::new("files-not-created", &[Rung::at(1, Step::Notice)]),
    Rule::new("words-first", &[Rung::counted(Step::Feedback)]),
    Rule::new("ask-the-user", &[Rung::at(4, Step::Question)]),
    Rule::new("failing-call", &[Rung::counted(Step::Rerun)]),
];

/// Of [`NoTools`](crate::NoTools).
pub const NO_TOOLS: &[Rule] = &[
    Rule::new("no-call", &[Rung::counted(Step::Feedback)]),
    Rule::new("thinking-only", &[Rung::counted(Step::Feedback)]),
    Rule::new("message", &[Rung::counted(Step::Feedback)]),
    Rule::new("limit", &[Rung::counted(Step::Question)]),
    Rule::new("questions-spent", &[Rung::counted(Step::Stop)]),
];

/// Of [`Duplicate`](crate::Duplicate).
pub const DUPLICATE: &[Rule] = &[
    Rule::new("same-call", &[Rung::at(1, Step::Block)]),
    Rule::new("same-call-after-feedback", &[Rung::at(2, Step::Block)]),
    Rule::new("same-call-after-options", &[Rung::at(3, Step::Question)]),
    Rule::new("same-call-after-question", &[Rung::at(4, Step::Stop)]),
    Rule::new("words-first", &[Rung::counted(Step::Feedback)]),
];

/// Of [`EmptyCompletion`](crate::EmptyCompletion).
pub const EMPTY_COMPLETION: &[Rule] = &[
    Rule::resend(AttemptCause::Empty),
    Rule::new("attempts-spent", &[Rung::counted(Step::Stop)]),
    Rule::new("truncated-call", &[Rung::counted(Step::Block)]),
    Rule::new("truncated-text", &[Rung::counted(Step::Feedback)]),
    Rule::new("truncated-again", &[Rung::counted(Step::Question)]),
];

/// Of [`RetrySafety`](crate::RetrySafety).
pub const RETRY_SAFETY: &[Rule] = &[
    Rule::resend(AttemptCause::Connect),
    Rule::resend(AttemptCause::TimedOut),
    Rule::resend(AttemptCause::Disconnected),
    Rule::resend(AttemptCause::Status { code: 0, retry_after: None }),
    Rule::new("unsafe-execution-started", &[Rung::counted(Step::Question)]),
    Rule::new("provider-executed-tool", &[Rung::counted(Step::Question)]),
    Rule::new("side-effect-facts-incomplete", &[Rung::counted(Step::Question)]),
    Rule::new("attempt-facts-incomplete", &[Rung::counted(Step::Question)]),
    Rule::new("ran-already", &[Rung::counted(Step::Note)]),
    Rule::new("ran-already-again", &[Rung::counted(Step::Block), Rung::counted(Step::Question)]),
    Rule::new("early-transport-failure", &[Rung::counted(Step::Stop)]),
    Rule::new("answer-cut-off", &[Rung::counted(Step::Stop)]),
    Rule::new("transport-failure", &[Rung::counted(Step::Stop)]),
    Rule::new("request-rejected", &[Rung::counted(Step::Stop)]),
    Rule::new("told-to-wait", &[Rung::counted(Step::Stop)]),
    Rule::new("budget-spent", &[Rung::counted(Step::Stop)]),
];

/// Of [`Handoff`](crate::Handoff).
pub const HANDOFF: &[Rule] = &[
    Rule::new("missing-capability", &[Rung::counted(Step::Conclusion)]),
    Rule::new("missing-input", &[Rung::counted(Step::Conclusion)]),
    Rule::new("malformed-call", &[Rung::counted(Step::Conclusion)]),
    Rule::new("no-progress", &[Rung::counted(Step::Conclusion)]),
    Rule::new("partial-work", &[Rung::counted(Step::Conclusion)]),
    Rule::new("provider", &[Rung::counted(Step::Conclusion)]),
    Rule::new("constrained", &[Rung::counted(Step::Note)]),
];

/// Of [`Progress`](crate::Progress).
pub const PROGRESS: &[Rule] = &[
    // Who waits is never ended by this guard; the questions of a stack are counted.
    Rule::new("waiting", &[Rung::at(1, Step::Note), Rung::at(2, Step::Block), Rung::at(3, Step::Question)]),
    Rule::new("unknown-tool", LADDER),
    Rule::new("invalid-arguments", LADDER),
    Rule::new("refused-finish", LADDER),
    Rule::new("growing-call", LADDER),
    Rule::new("cycle", LADDER),
    Rule::new("rewrite", LADDER),
    Rule::new("no-op", LADDER),
    Rule::new("repeat", LADDER),
    Rule::new("near-failure", LADDER),
    Rule::new("same-failure", LADDER),
    Rule::new("wandering", LADDER),
    Rule::new("refused-replies", CORRECTIONS),
    Rule::new("repeated-text", CORRECTIONS),
];

const LADDER: &[Rung] = &[
    Rung::at(1, Step::Note),
    Rung::at(2, Step::Block),
    Rung::at(3, Step::Question),
    Rung::at(4, Step::Stop),
];

/// Where there are no calls, there is nothing to refuse but the whole.
const CORRECTIONS: &[Rung] = &[
    Rung::at(1, Step::Feedback),
    Rung::at(2, Step::Feedback),
    Rung::at(3, Step::Question),
    Rung::at(4, Step::Stop),
];

/// Of the [`Stack`](crate::Stack), whose budget makes something else of what a member wants. The note stays the
/// member's.
pub const STACK: &[Rule] = &[
    Rule::new("corrections-spent", &[Rung::counted(Step::Question)]),
    Rule::new("questions-spent", &[Rung::counted(Step::Stop)]),
];
