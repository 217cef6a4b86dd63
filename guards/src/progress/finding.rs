//! What the rules find.

use serde::{Deserialize, Serialize};

use balk_contract::Subject;

/// A description of standstill, the tightest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Rule {
    /// The same call, and each time the answer that something is still going on.
    Waiting,
    /// Calls of tools that are not on offer.
    UnknownTool,
    /// Calls without what their tool requires.
    Arguments,
    /// The task is declared finished, and is not.
    Finish,
    /// A call that grows, and answers the same.
    Growing,
    /// The same few rounds in the same order.
    Cycle,
    /// A file that is brought back to where it was.
    Rewrite,
    /// A write of what stands there already.
    NoOp,
    /// The same call with the same answer, between others.
    Repeat,
    /// Nearly the same arguments, exactly the same failure.
    NearFailure,
    /// Different arguments, the same failure.
    SameFailure,
    /// A long run of look-ups that brings only what was seen.
    Wandering,
    /// Replies without a call that are answered with the same words in a row.
    RefusedReplies,
    /// The same text without a call.
    RepeatedText,
}

impl Rule {
    /// Those about calls, in the order in which they are asked: the tightest description first, so that the
    /// words fit.
    pub(super) const OF_CALLS: [Self; 12] = [
        Self::Waiting,
        Self::UnknownTool,
        Self::Arguments,
        Self::Finish,
        Self::Growing,
        Self::Cycle,
        Self::Rewrite,
        Self::NoOp,
        Self::Repeat,
        Self::NearFailure,
        Self::SameFailure,
        Self::Wandering,
    ];

    const OF_TEXTS: [Self; 2] = [Self::RefusedReplies, Self::RepeatedText];

    /// The rule of this name.
    pub(super) fn of(name: &str) -> Option<Self> {
        Self::OF_CALLS.into_iter().chain(Self::OF_TEXTS).find(|rule| rule.name() == name)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::UnknownTool => "unknown-tool",
            Self::Arguments => "invalid-arguments",
            Self::Finish => "refused-finish",
            Self::Growing => "growing-call",
            Self::Cycle => "cycle",
            Self::Rewrite => "rewrite",
            Self::NoOp => "no-op",
            Self::Repeat => "repeat",
            Self::NearFailure => "near-failure",
            Self::SameFailure => "same-failure",
            Self::Wandering => "wandering",
            Self::RefusedReplies => "refused-replies",
            Self::RepeatedText => "repeated-text",
        }
    }
}

/// A pattern that a call goes on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) rule: Rule,
    /// Which pattern: the same one has the same subject, from whatever call of it it is seen.
    pub(super) subject: Subject,
    /// How often it was seen: looks, rounds or failures.
    pub(super) seen: u32,
    /// Of how many rounds one turn of it is made.
    pub(super) period: u32,
    /// When it was seen last.
    pub(super) turn: u64,
    pub(super) failed: bool,
    /// How many times as often it must be seen as others of its rule.
    pub(super) patience: u32,
    /// False where something may have changed meanwhile, as far as anybody can tell.
    pub(super) is_sure: bool,
}

impl Finding {
    pub(super) fn new(rule: Rule, subject: Subject, seen: u32, turn: u64) -> Self {
        Self { rule, subject, seen, period: 1, turn, failed: false, patience: 1, is_sure: true }
    }
}
