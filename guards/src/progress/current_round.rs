//! The round that is going on, as the rules look at it.

use std::sync::Arc;

use super::look::{Before, Look, Step};
use super::rounds::{LOOKS, Rounds};
use crate::failure::{Failure, is_failure};
use balk_contract::{Origin, ToolCall, ToolResult};

/// The round that is going on: its calls and, once they ran, their answers.
#[derive(Clone, Copy)]
pub(super) struct CurrentRound<'n> {
    pub(super) calls: &'n [Arc<ToolCall>],
    pub(super) results: Option<&'n [ToolResult]>,
    /// How the first [`LOOKS`] of them failed, told once for all rules; empty where none did.
    pub(super) failures: &'n [Option<Failure>],
}

impl<'n> CurrentRound<'n> {
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

    /// So many rounds, and this one once its calls ran.
    pub(super) fn counted(self, rounds: usize) -> u32 {
        u32::try_from(rounds).unwrap_or(u32::MAX).saturating_add(u32::from(self.results.is_some()))
    }

    /// How a call follows on what ran before this round, if it is all of it.
    pub(super) fn step(self, before: &Before, call: &ToolCall) -> Step {
        match self.results {
            // What is refused goes on with what went on before.
            None => before.step_unanswered(call),
            Some([result]) => before.step_answered(call, result, self.failures.first().copied().flatten()),
            Some(_) => Step::Other,
        }
    }
}
