//! What really went on in the turns of a live run. No script declares it: the world shows it.
//!
//! A round is a completion and what came of it. It **moved** if its calls changed the world, or if one of them got a
//! result that was not yet in the transcript; a new error is new, too. A round that moved is productive. One whose
//! result says that something is still in progress waits. Words without a call are finished work where the goal holds;
//! else the model is stuck. It is also stuck in a round that did not move. A round whose calls were all refused says
//! nothing about the model, unless an equal call moved nothing before. Where a guard has repaired the completion, what
//! the repair made of it counts.

use std::collections::BTreeSet;
use std::sync::Arc;

use balk_guards::{
    CallKey, Completion, Entry, Intervention, InterventionKind, Origin, ResultKey, Status, ToolResult, fence,
};
use balk_scenarios::{Environment, Stuck, Truth};

use crate::engine::Host;

/// The rounds of a run, judged one by one.
#[derive(Clone, Debug, Default)]
pub(super) struct Rounds {
    /// The rounds that are over.
    over: Vec<Round>,
    open: Option<Open>,
    /// The results that the transcript has.
    known: BTreeSet<ResultKey>,
    /// The calls of rounds that did not move.
    idle: BTreeSet<CallKey>,
}

/// A round that is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    /// What went on.
    pub(super) truth: Truth,
    /// Whether it changed the world.
    pub(super) changed: bool,
}

/// The round that is under way.
#[derive(Clone, Debug)]
struct Open {
    /// The world before its calls.
    before: Environment,
    /// The index of its completion in the transcript.
    entry: usize,
}

impl Rounds {
    /// A completion comes.
    pub(super) fn open(&mut self, host: &Host<'_>) {
        self.open = Some(Open { before: host.environment().clone(), entry: host.transcript().len() });
    }

    /// What came of the last completion is in the transcript.
    pub(super) fn close(&mut self, host: &Host<'_>) {
        let Some(Open { before, entry }) = self.open.take() else { return };
        let after = &host.transcript()[entry..];
        let results: Vec<&ToolResult> = after.iter().filter_map(result).collect();
        let changed = !host.environment().is_like(&before);
        let learnt = results.iter().any(|it| !self.known.contains(&it.text.key()));
        let Some(Entry::Completion(said)) = after.first() else { return };
        // What runs is what a guard's repair made of it.
        let completion = after.iter().rev().find_map(repaired).unwrap_or(said);
        let truth = if changed || learnt {
            Truth::Productive
        } else {
            self.idle(completion, &results, host.environment().goal())
        };
        self.known.extend(results.iter().map(|it| it.text.key()));
        if truth.is_stuck() {
            self.idle.extend(results.iter().map(|it| it.call.key));
        }
        self.over.push(Round { truth, changed });
    }

    /// The truth of the last round that is over.
    pub(super) fn last(&self) -> Option<Truth> {
        self.over.last().map(|it| it.truth)
    }

    /// The rounds that are over.
    pub(super) fn into_rounds(self) -> Vec<Round> {
        self.over
    }

    /// The truth of a round that moved nothing.
    fn idle(&self, completion: &Completion, results: &[&ToolResult], goal: bool) -> Truth {
        if completion.calls.is_empty() {
            return without_calls(completion, goal);
        }
        if results.iter().any(|it| it.text.goes_on()) {
            return Truth::Waiting;
        }
        let again = completion.calls.iter().any(|call| self.idle.contains(&call.key));
        if again {
            return Truth::Stuck(Stuck::IdenticalCall);
        }
        if results.is_empty() {
            return Truth::Waiting;
        }
        let all_failed = results.iter().all(|it| it.status != Status::Ok);
        Truth::Stuck(if all_failed { Stuck::SameFailure } else { Stuck::NoOp })
    }
}

/// The truth of a round without a call.
fn without_calls(completion: &Completion, goal: bool) -> Truth {
    if goal {
        return Truth::Finished;
    }
    let shows_code = completion.texts().any(|text| fence::fences(text).next().is_some());
    Truth::Stuck(match (shows_code, completion.has_text()) {
        (true, _) => Stuck::Fence,
        (false, true) => Stuck::TextOnly,
        (false, false) => Stuck::ThinkingOnly,
    })
}

/// The completion that a repair made.
fn repaired(entry: &Entry) -> Option<&Arc<Completion>> {
    let Entry::Intervention(Intervention { kind: InterventionKind::Repair(repaired), .. }) = entry else {
        return None;
    };
    Some(repaired)
}

/// A result of a call that ran.
fn result(entry: &Entry) -> Option<&ToolResult> {
    match entry {
        Entry::Result(result) => Some(result).filter(|it| it.origin == Origin::Executed),
        Entry::Start(_)
        | Entry::User(_)
        | Entry::Completion(_)
        | Entry::Failed(_)
        | Entry::Tried(_)
        | Entry::Intervention(_)
        | Entry::Answer(_)
        | Entry::Compaction(_)
        | Entry::Conclusion(_)
        | Entry::End(_) => None,
    }
}
