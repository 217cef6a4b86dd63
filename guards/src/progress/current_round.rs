//! The current round, as the rules see it.

use std::cell::OnceCell;
use std::sync::Arc;

use super::look::{Look, Step};
use super::rounds::{LOOKS, Rounds};
use super::tally::Compared;
use crate::failure::{Failure, is_failure};
use balk_contract::{Origin, ResultKey, ToolCall, ToolResult};

/// The current round: its calls and, once they ran, their answers.
#[derive(Clone, Copy)]
pub(super) struct CurrentRound<'n> {
    pub(super) calls: &'n [Arc<ToolCall>],
    pub(super) results: Option<&'n [ToolResult]>,
    /// What was read of the answers, once a rule has asked.
    pub(super) read: &'n Read,
}

/// What was read of the answers of a round.
#[derive(Default)]
pub(super) struct Read {
    /// How the first [`LOOKS`] failed; `None` if none failed.
    failures: OnceCell<Option<[Option<Failure>; LOOKS]>>,
    /// What is compared of the only one.
    compared: OnceCell<Compared>,
}

impl<'n> CurrentRound<'n> {
    /// How the first [`LOOKS`] results failed; empty if none failed.
    pub(super) fn failures(self) -> &'n [Option<Failure>] {
        let failures = self.read.failures.get_or_init(|| {
            let mut looks = self.results.into_iter().flatten().take(LOOKS);
            let is_any = looks.clone().any(is_failure);
            is_any.then(|| std::array::from_fn(|_| looks.next().and_then(Failure::of)))
        });
        failures.as_ref().map(|it| &it[..]).unwrap_or_default()
    }

    /// What is compared of one of the answers. Most rounds have only one.
    pub(super) fn compared(self, rounds: &Rounds, result: &ToolResult) -> Compared {
        match self.results {
            Some([_]) => *self.read.compared.get_or_init(|| rounds.tally().compared(result)),
            Some(_) | None => rounds.tally().compared(result),
        }
    }

    /// The same, beside answers to the same call.
    pub(super) fn key(self, rounds: &Rounds, result: &ToolResult) -> ResultKey {
        self.compared(rounds, result).own
    }

    /// The results with their failures; empty if none failed.
    pub(super) fn looked_at(self) -> impl Iterator<Item = (&'n ToolResult, Option<Failure>)> {
        self.results.into_iter().flatten().zip(self.failures().iter().copied())
    }

    /// Whether the call gave the same answer as in this look, or has not run yet.
    pub(super) fn agrees(self, rounds: &Rounds, look: &Look) -> bool {
        match self.results {
            None => true,
            Some(results) => {
                let mut of_call = results.iter().filter(|it| it.call.key == look.call).peekable();
                of_call.peek().is_some()
                    && of_call.all(|it| it.origin == Origin::Executed && self.key(rounds, it) == look.result)
            }
        }
    }

    /// Whether any call ran and failed; before they run, whether any did in the newest round since the last progress.
    pub(super) fn fails(self, rounds: &Rounds) -> bool {
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

    /// This many rounds, plus this one once its calls ran.
    pub(super) fn counted(self, rounds: usize) -> u32 {
        u32::try_from(rounds).unwrap_or(u32::MAX).saturating_add(u32::from(self.results.is_some()))
    }

    /// How a call follows what ran before this round, if the round has no other call.
    pub(super) fn step(self, rounds: &Rounds, call: &ToolCall) -> Step {
        let before = rounds.before();
        match self.results {
            // A refused call continues what the previous one continued.
            None => before.step_unanswered(call),
            Some([result]) => {
                let failure = || self.failures().first().copied().flatten();
                before.step_answered(call, result, failure, || self.compared(rounds, result).any)
            }
            Some(_) => Step::Other,
        }
    }
}
