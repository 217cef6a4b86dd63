//! What the rules find.

use serde::{Deserialize, Serialize};

use balk_contract::Subject;

/// A description of a standstill, most specific first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Rule {
    /// The same call, each time with the answer that something is still in progress.
    Waiting,
    /// Calls of tools that are not on offer.
    UnknownTool,
    /// Calls without arguments that their tool requires.
    Arguments,
    /// The task is declared finished but is not.
    Finish,
    /// A call that grows and gets the same answer.
    Growing,
    /// The same few rounds in the same order.
    Cycle,
    /// A file is brought back to an earlier state.
    Rewrite,
    /// A write of the content that the file already has.
    NoOp,
    /// A whole file is written again and again, and nothing else is done.
    Rewriting,
    /// The same call with the same answer, between other calls.
    Repeat,
    /// The same call with the same failure, whatever was changed in between.
    Persisting,
    /// Nearly the same arguments, exactly the same answer or failure.
    NearCall,
    /// Different arguments, the same failure.
    SameFailure,
    /// Different calls, the same answer.
    SameAnswer,
    /// A long run of look-ups that return only what was already seen.
    Wandering,
    /// Replies without a call that get the same answer several times in a row.
    RefusedReplies,
    /// The same text without a call.
    RepeatedText,
}

impl Rule {
    /// The rules about calls, in the order in which they are tried: most specific first, so that the message fits.
    pub(super) const OF_CALLS: [Self; 15] = [
        Self::Waiting,
        Self::UnknownTool,
        Self::Arguments,
        Self::Finish,
        Self::Growing,
        Self::Cycle,
        Self::Rewrite,
        Self::NoOp,
        Self::Rewriting,
        Self::Repeat,
        Self::Persisting,
        Self::NearCall,
        Self::SameFailure,
        Self::SameAnswer,
        Self::Wandering,
    ];

    const OF_TEXTS: [Self; 2] = [Self::RefusedReplies, Self::RepeatedText];

    /// The rule with this name.
    pub(super) fn of(name: &str) -> Option<Self> {
        Self::OF_CALLS.into_iter().chain(Self::OF_TEXTS).find(|rule| rule.name() == name)
    }

    /// Whether the rule looks past changes, so that its ladder outlasts them.
    pub(super) const fn outlasts_changes(self) -> bool {
        matches!(self, Self::Persisting | Self::Rewriting | Self::SameAnswer)
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
            Self::Rewriting => "rewriting",
            Self::Repeat => "repeat",
            Self::Persisting => "persisting-failure",
            Self::NearCall => "near-call",
            Self::SameFailure => "same-failure",
            Self::SameAnswer => "same-answer",
            Self::Wandering => "wandering",
            Self::RefusedReplies => "refused-replies",
            Self::RepeatedText => "repeated-text",
        }
    }
}

/// A pattern that a call continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) rule: Rule,
    /// Identifies the pattern: every call of the same pattern gives the same subject.
    pub(super) subject: Subject,
    /// How often it was seen: looks, rounds or failures.
    pub(super) seen: u32,
    /// The number of rounds in one lap.
    pub(super) period: u32,
    /// The turn in which it was last seen.
    pub(super) turn: u64,
    /// Whether the call failed, or one of the cycle.
    pub(super) failed: bool,
    /// Whether the call carries what it does, as a program does.
    pub(super) is_whole: bool,
    /// Whether a message of the user or a write that worked is a reason to send the call again.
    pub(super) has_reason: bool,
    /// Whether everything since it was first seen failed: then `seen` counts rounds.
    pub(super) only_failures: bool,
    /// Whether the call that was seen first is not this one, but nearly this one, or this one in another spelling.
    pub(super) is_near: bool,
    /// Whether what is waited for shows no sign of life: each answer was the same.
    pub(super) is_still: bool,
    /// Whether what was rewritten was never looked at in between.
    pub(super) is_unread: bool,
    /// Whether the same answer is the user's "go on" to a question.
    pub(super) is_consent: bool,
    /// Whether the calls do or ask the same, and differ only in a reference, or in the order or form of words.
    pub(super) is_same: bool,
    /// Whether there were several answers, none of them new.
    pub(super) varies: bool,
    /// A factor: how many times as often it must be seen as other findings of its rule.
    pub(super) patience: u32,
    /// False if something may have changed in between.
    pub(super) is_sure: bool,
    /// Whether the user may want it several times, if they want anything so.
    pub(super) is_wanted: bool,
}

impl Finding {
    /// How many halves of what a note needs must be seen before a call is refused.
    pub(super) fn halves(&self) -> u32 {
        let is_patient = matches!(self.rule, Rule::Waiting | Rule::NearCall | Rule::SameFailure)
            || self.rule.outlasts_changes();
        match (self.is_still, is_patient || !self.is_sure) {
            (true, _) => 3,
            (false, true) => 4,
            (false, false) => 2,
        }
    }

    pub(super) fn new(rule: Rule, subject: Subject, seen: u32, turn: u64) -> Self {
        Self {
            rule,
            subject,
            seen,
            period: 1,
            turn,
            failed: false,
            is_whole: false,
            has_reason: false,
            only_failures: false,
            is_near: false,
            is_still: false,
            is_unread: false,
            is_consent: false,
            is_same: false,
            varies: false,
            patience: 1,
            is_sure: true,
            is_wanted: false,
        }
    }
}
