//! The last rounds: what was called in each, what that answered, and whether anything has moved since.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::failure::{Failure, failure};
use super::waiting::says_it_goes_on;
use crate::circling::Circling;
use crate::entry::{Origin, Status, ToolResult};
use crate::identity::ResultKey;
use crate::key::CallKey;
use crate::offer::Effect;

/// How many rounds are remembered. What comes back after so many others is new.
const ROUNDS: usize = 64;
/// How many looks of one round are told apart; of a wider fan-out the first ones stand for all.
const LOOKS: usize = 8;

/// One call and what it answered; equal ones of a round are one look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Look {
    pub(super) call: CallKey,
    pub(super) tool: Arc<str>,
    pub(super) result: ResultKey,
    pub(super) failed: bool,
    /// How it failed, in a form that can be compared; none where it says too little, or did not fail.
    pub(super) failure: Option<Failure>,
    /// True where it did not fail, and the answer says that something is still going on.
    pub(super) waits: bool,
}

/// What one completion had run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Round {
    pub(super) turn: u64,
    /// In the order of the calls; rounds are compared as sets.
    pub(super) looks: Vec<Look>,
    /// How much had moved when it was over.
    marker: u64,
    /// False once its answers are no longer in the view.
    in_view: bool,
    /// Whether it brought anything that is not in the view already.
    is_new: bool,
}

/// The last rounds, and the one that is going on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rounds {
    turn: u64,
    /// Rises with all evidence of progress: the marker of the workspace.
    marker: u64,
    past: VecDeque<Round>,
    open: Round,
    circling: Circling,
}

impl Round {
    /// The same calls with the same answers, in any order.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.looks.len() == other.looks.len()
            && self.looks.iter().all(|look| other.has(look.call, look.result))
    }

    pub(super) fn is_in_view(&self) -> bool {
        self.in_view
    }

    pub(super) fn has(&self, call: CallKey, result: ResultKey) -> bool {
        self.looks.iter().any(|it| it.call == call && it.result == result)
    }

    pub(super) fn calls(&self, call: CallKey) -> bool {
        self.looks.iter().any(|it| it.call == call)
    }
}

impl Rounds {
    /// The turn that is going on, from 1.
    pub(super) fn turn(&self) -> u64 {
        self.turn
    }

    /// Rises with all evidence of progress.
    pub(super) fn marker(&self) -> u64 {
        self.marker
    }

    /// The finished rounds since anything moved, the newest first.
    pub(super) fn still(&self) -> impl Iterator<Item = &Round> + Clone {
        self.past.iter().rev().take_while(|round| round.marker == self.marker)
    }

    /// The looks at this call since anything moved, the newest first.
    pub(super) fn looks(&self, call: CallKey) -> impl Iterator<Item = (&Round, &Look)> {
        self.still().flat_map(move |round| {
            round.looks.iter().filter(move |look| look.call == call).map(move |look| (round, look))
        })
    }

    /// Whether anything said, since anything moved, that it is still going on.
    pub(super) fn waits(&self) -> bool {
        self.still().any(|round| round.looks.iter().any(|look| look.waits))
    }

    /// Rounds that brought only what was known, since anything moved; new ones take back half.
    pub(super) fn circling(&self) -> u32 {
        self.circling.rounds()
    }

    /// Whether an answer to this call is in the view.
    pub(super) fn is_known(&self, call: CallKey) -> bool {
        self.past.iter().any(|round| round.in_view && round.calls(call))
    }

    /// Whether this answer to this call is in the view.
    pub(super) fn has_brought(&self, call: CallKey, result: ResultKey) -> bool {
        self.past.iter().any(|round| round.in_view && round.has(call, result))
    }

    /// Something moved, or may have: the user spoke.
    pub(super) fn moved(&mut self) {
        self.marker += 1;
        self.circling = Circling::default();
    }

    /// The round that was going on is over.
    pub(super) fn close(&mut self) {
        if self.open.looks.is_empty() {
            return;
        }
        let waits = self.open.looks.iter().any(|look| look.waits);
        if self.open.is_new {
            self.circling.something_new();
        } else if !waits {
            self.circling.nothing_new();
        }
        self.open.marker = self.marker;
        let oldest = if self.past.len() < ROUNDS { None } else { self.past.pop_front() };
        let mut next = oldest.unwrap_or_default();
        next.looks.clear();
        self.past.push_back(mem::replace(&mut self.open, next));
    }

    /// A new turn begins.
    pub(super) fn begin(&mut self) {
        self.close();
        self.turn += 1;
        (self.open.turn, self.open.in_view, self.open.is_new) = (self.turn, true, false);
    }

    /// What was answered is no longer in the view. The identities stay: a loop goes on through a compaction.
    pub(super) fn compact(&mut self) {
        self.close();
        for round in &mut self.past {
            round.in_view = false;
        }
    }

    /// Folds one result. What never ran is neither progress nor evidence of a loop.
    pub(super) fn result(&mut self, result: &ToolResult) {
        match result.origin {
            Origin::Synthetic => {}
            Origin::Missing if result.call.effect == Effect::ReadOnly => {}
            Origin::Missing => self.moved(),
            Origin::Executed => self.look(result),
        }
    }

    fn look(&mut self, result: &ToolResult) {
        let (call, key) = (result.call.key, result.text.key());
        if self.is_evidence(result, key) {
            self.moved();
        }
        if self.open.has(call, key) {
            return;
        }
        self.open.is_new |= !self.has_brought(call, key);
        if self.open.looks.len() < LOOKS {
            let failed = result.status == Status::Error;
            self.open.looks.push(Look {
                call,
                tool: result.call.tool.clone(),
                result: key,
                failed,
                failure: if failed { failure(&result.call, &result.text) } else { None },
                waits: !failed && says_it_goes_on(&result.text),
            });
        }
    }

    /// Whether this result shows that something moved: an answer that this call never gave, or the first
    /// answer to a call that may have changed something and did not fail. What was answered before shows
    /// nothing: a write that is made again leaves behind what was there before.
    pub(super) fn is_evidence(&self, result: &ToolResult, key: ResultKey) -> bool {
        let call = result.call.key;
        let mut asked = self.past.iter().filter(|round| round.calls(call)).peekable();
        if asked.peek().is_some() {
            return !asked.any(|round| round.has(call, key));
        }
        result.call.effect != Effect::ReadOnly && result.status != Status::Error
    }
}
