//! What the rules look at, and what they find.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::rounds::{Look, Rounds};
use super::{cycle, failure, repeat, waiting, wandering};
use crate::completion::ToolCall;
use crate::entry::{Origin, Subject, ToolResult};

/// A description of standstill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Rule {
    /// The same call, and each time the answer that something is still going on.
    Waiting,
    /// The same few rounds in the same order.
    Cycle,
    /// The same call with the same answer, between others.
    Repeat,
    /// Different arguments, the same failure.
    SameFailure,
    /// A long run of look-ups that brings only what was seen.
    Wandering,
}

impl Rule {
    /// In the order in which they are asked: the tightest description first, so that the words fit.
    pub(super) const ALL: [Self; 5] =
        [Self::Waiting, Self::Cycle, Self::Repeat, Self::SameFailure, Self::Wandering];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Cycle => "cycle",
            Self::Repeat => "repeat",
            Self::SameFailure => "same-failure",
            Self::Wandering => "wandering",
        }
    }

    /// What this rule finds about a call.
    pub(super) fn find(self, rounds: &Rounds, call: &ToolCall, now: Now<'_>) -> Option<Finding> {
        match self {
            Self::Waiting => waiting::find(rounds, call, now),
            Self::Cycle => cycle::find(rounds, call, now),
            Self::Repeat => repeat::find(rounds, call, now),
            Self::SameFailure => failure::find(rounds, call, now),
            Self::Wandering => wandering::find(rounds, call, now),
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
}

/// The round that is going on: its calls and, once they ran, their answers.
#[derive(Clone, Copy)]
pub(super) struct Now<'n> {
    pub(super) calls: &'n [Arc<ToolCall>],
    pub(super) results: Option<&'n [ToolResult]>,
}

impl Now<'_> {
    /// One, once the calls ran.
    pub(super) fn rounds(self) -> u32 {
        u32::from(self.results.is_some())
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
}
