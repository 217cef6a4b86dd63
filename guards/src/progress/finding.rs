//! What the rules look at, and what they find.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::look::{Look, Step, Unfit};
use super::names::Names;
use super::rounds::{LOOKS, Rounds};
use super::{cycle, finish, growing, near_failure, repeat, rewrite, same_failure, unfit, waiting, wandering};
use crate::failure::{Failure, is_failure};
use balk_contract::{Origin, Subject, ToolCall, ToolResult};

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

    /// Those that can find something about this call: what it takes for each is told at once. `None` where none of
    /// them can, which is the usual case.
    pub(super) fn about(
        rounds: &Rounds,
        names: &Names,
        call: &ToolCall,
        now: Now<'_>,
    ) -> Option<impl Iterator<Item = Self>> {
        let is_known = rounds.has(call.key);
        let step = rounds.before().step_now(call, now);
        let returns = rounds.workspace().returns(call);
        let fails = now.fails(rounds);
        let finishes = names.finishes(&call.tool);
        let any = is_known || step != Step::Other || returns.is_some() || fails || finishes;
        let can_find = move |rule: &Self| match rule {
            Self::Waiting | Self::Cycle | Self::Repeat | Self::Wandering => is_known,
            Self::Growing => step == Step::Grown,
            Self::NearFailure => matches!(step, Step::NearFailure | Step::Grown),
            Self::Rewrite => returns.is_some_and(|it| !it.is_idle),
            Self::NoOp => returns.is_some_and(|it| it.is_idle),
            Self::UnknownTool | Self::Arguments | Self::SameFailure => fails,
            Self::Finish => finishes,
            Self::RefusedReplies | Self::RepeatedText => false,
        };
        any.then(|| Self::OF_CALLS.into_iter().filter(can_find))
    }

    /// What this rule finds about a call; the two about texts find nothing there.
    pub(super) fn find(
        self,
        rounds: &Rounds,
        names: &Names,
        call: &ToolCall,
        now: Now<'_>,
    ) -> Option<Finding> {
        match self {
            Self::Waiting => waiting::find(rounds, call, now),
            Self::UnknownTool => unfit::find(rounds, names, call, now, Unfit::UnknownTool),
            Self::Arguments => unfit::find(rounds, names, call, now, Unfit::Arguments),
            Self::Finish => finish::find(rounds, names, call, now),
            Self::Growing => growing::find(rounds, call, now),
            Self::Cycle => cycle::find(rounds, call, now),
            Self::Rewrite | Self::NoOp => rewrite::find(rounds, call, now, self),
            Self::Repeat => repeat::find(rounds, call, now),
            Self::NearFailure => near_failure::find(rounds, call, now),
            Self::SameFailure => same_failure::find(rounds, call, now),
            Self::Wandering => wandering::find(rounds, call, now),
            Self::RefusedReplies | Self::RepeatedText => None,
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

/// So many rounds, and the one that is going on once its calls ran.
pub(super) fn counted(rounds: usize, now: Now<'_>) -> u32 {
    u32::try_from(rounds).unwrap_or(u32::MAX).saturating_add(u32::from(now.results.is_some()))
}

/// The round that is going on: its calls and, once they ran, their answers.
#[derive(Clone, Copy)]
pub(super) struct Now<'n> {
    pub(super) calls: &'n [Arc<ToolCall>],
    pub(super) results: Option<&'n [ToolResult]>,
    /// How the first [`LOOKS`] of them failed, told once for all rules; empty where none did.
    pub(super) failures: &'n [Option<Failure>],
}

impl<'n> Now<'n> {
    /// How results failed, for [`failures`](Self::failures); none where none did.
    pub(super) fn failures_of(results: &[ToolResult]) -> Option<[Option<Failure>; LOOKS]> {
        let looks = &results[..results.len().min(LOOKS)];
        let is_any = looks.iter().any(is_failure);
        is_any.then(|| std::array::from_fn(|at| looks.get(at).and_then(Failure::of)))
    }

    /// The results that failures are told of, with them; none where none of them failed.
    pub(super) fn looked_at(self) -> impl Iterator<Item = (&'n ToolResult, Option<Failure>)> {
        self.results.into_iter().flatten().zip(self.failures.iter().copied())
    }

    /// Whether the call answered as it did in this look, or has not run.
    pub(super) fn agrees(self, look: &Look) -> bool {
        match self.results {
            None => true,
            Some(results) => {
                let mut of_call = results.iter().filter(|it| it.call.key == look.call).peekable();
                of_call.peek().is_some()
                    && of_call.all(|it| it.origin == Origin::Executed && it.text.key() == look.result)
            }
        }
    }

    /// Whether any call ran and failed; before they run, whether any did in the newest round since anything moved.
    fn fails(self, rounds: &Rounds) -> bool {
        match self.results {
            Some(results) => results.iter().any(|it| it.origin == Origin::Executed && is_failure(it)),
            None => rounds.newest().is_some_and(|round| round.looks.iter().any(|look| look.failed)),
        }
    }

    /// Whether the call ran and failed.
    pub(super) fn has_failed(self, call: &ToolCall) -> bool {
        self.results.is_some_and(|results| {
            results
                .iter()
                .any(|it| it.call.key == call.key && it.origin == Origin::Executed && is_failure(it))
        })
    }
}
