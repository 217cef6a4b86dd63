//! The last rounds: the calls of each, their answers, and whether there was progress since.

use std::collections::VecDeque;
use std::mem;

use serde::{Deserialize, Serialize};

use super::look::{Before, Look};
use super::offer_index::OfferIndex;
use super::pointed::Pointed;
use super::same_answer::{SameAnswer, is_yes};
use super::says::is_long;
use super::standing::Standing;
use super::tally::Tally;
use super::tries::Tries;
use super::workspace::Workspace;
use crate::call_memory::Wanted;
use crate::change::Change;
use crate::circling::Circling;
use crate::failure::is_failure;
use crate::filter::Filter;
use crate::unseen::is_unseen;
use balk_contract::key::CallKey;
use balk_contract::{Origin, ResultKey, ToolResult};

/// How many rounds are remembered. A call that returns after so many others is new.
const ROUNDS: usize = 64;
/// How many looks of one round are kept; a wider fan-out equals no other round.
pub(super) const LOOKS: usize = 16;

/// The calls of one completion that ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Round {
    pub(super) turn: u64,
    /// In the order of the calls; rounds are compared as sets.
    pub(super) looks: Vec<Look>,
    /// The marker at its end.
    marker: u64,
    /// False once its answers are no longer in the view.
    in_view: bool,
    /// Whether it returned anything that was not already in the view.
    is_new: bool,
    /// Whether any of that says more than that something failed.
    is_news: bool,
    /// Whether it had more looks than are kept: then it equals no other round.
    is_cut: bool,
}

/// The last rounds, and the current one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rounds {
    turn: u64,
    /// Identifies the state of the workspace; increases with all evidence of progress.
    marker: u64,
    past: VecDeque<Round>,
    open: Round,
    circling: Circling,
    before: Before,
    workspace: Workspace,
    standing: Standing,
    tally: Tally,
    tries: Tries,
    same_answer: SameAnswer,
    pointed: Pointed,
    /// The calls of the finished rounds.
    #[serde(skip)]
    filter: Filter,
    /// Their answers.
    #[serde(skip)]
    answers: Filter,
}

impl Round {
    /// The same calls with the same answers, in any order.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        !self.is_cut
            && !other.is_cut
            && self.looks.len() == other.looks.len()
            && self.looks.iter().all(|look| other.has(look.call, look.result))
    }

    /// The same calls, in any order, whatever they were answered.
    pub(super) fn has_calls_of(&self, other: &Self) -> bool {
        !self.is_cut
            && !other.is_cut
            && self.looks.len() == other.looks.len()
            && self.looks.iter().all(|look| other.calls(look.call))
    }

    /// Its look, if it has exactly one.
    pub(super) fn only(&self) -> Option<&Look> {
        if let [look] = &*self.looks { Some(look) } else { None }
    }

    /// Whether anything in it waits, or says that something is still in progress.
    pub(super) fn waits(&self) -> bool {
        self.looks.iter().any(|look| look.waits)
    }

    /// Whether a call of unknown effect in it may have changed something.
    pub(super) fn may_change(&self) -> bool {
        self.looks.iter().any(|look| look.may_change)
    }

    /// Whether such a call seems to write.
    pub(super) fn seems_to_write(&self) -> bool {
        self.looks.iter().any(|look| look.seems_to_write)
    }

    /// Whether all its calls failed.
    pub(super) fn fails(&self) -> bool {
        self.looks.iter().all(|look| look.failed)
    }

    /// Whether the user may mean one of its calls, where they say how often they want something.
    pub(super) fn is_wanted(&self) -> bool {
        self.looks.iter().any(|look| look.is_wanted)
    }

    pub(super) fn is_new(&self) -> bool {
        self.is_new
    }

    /// Whether it returned anything new that says more than that something failed. What may pass says that something
    /// goes on.
    pub(super) fn is_news(&self) -> bool {
        self.is_news
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

/// Records that a newer round makes this call again.
fn made_again<'r>(older: impl Iterator<Item = &'r mut Round>, call: CallKey) {
    for look in older.flat_map(|round| &mut round.looks).filter(|look| look.call == call) {
        look.is_made_again = true;
    }
}

impl Rounds {
    /// The current turn, from 1.
    pub(super) fn turn(&self) -> u64 {
        self.turn
    }

    /// Increases with all evidence of progress.
    pub(super) fn marker(&self) -> u64 {
        self.marker
    }

    /// Completes a saved state; `None` if it exceeds a limit.
    pub(super) fn restored(mut self) -> Option<Self> {
        let too_wide = |round: &Round| round.looks.len() > LOOKS;
        if self.past.len() > ROUNDS
            || !self.tries.is_sound()
            || self.past.iter().any(too_wide)
            || too_wide(&self.open)
        {
            return None;
        }
        for look in self.past.iter().flat_map(|round| &round.looks) {
            self.filter.add(look.call);
            self.answers.add(look.result);
        }
        for newer in 1..self.past.len() {
            for at in 0..self.past[newer].looks.len() {
                let call = self.past[newer].looks[at].call;
                made_again(self.past.range_mut(..newer), call);
            }
        }
        Some(self)
    }

    /// Whether this call is in one of the finished rounds.
    pub(super) fn has(&self, call: CallKey) -> bool {
        self.may_have(call) && self.past.iter().any(|round| round.calls(call))
    }

    /// A quick test for the same; false is certain, true is not.
    fn may_have(&self, call: CallKey) -> bool {
        self.filter.may_have(call)
    }

    /// The newest finished round, if there was no progress since.
    pub(super) fn newest(&self) -> Option<&Round> {
        self.past.back().filter(|round| round.marker == self.marker)
    }

    /// The finished rounds since the last progress, newest first.
    pub(super) fn still(&self) -> impl Iterator<Item = &Round> + Clone {
        self.past.iter().rev().take_while(|round| round.marker == self.marker)
    }

    /// The looks at this call since the last progress, newest first.
    pub(super) fn looks(&self, call: CallKey) -> impl Iterator<Item = (&Round, &Look)> {
        self.still().flat_map(move |round| {
            round.looks.iter().filter(move |look| look.call == call).map(move |look| (round, look))
        })
    }

    /// Rounds since the last progress that returned only what was known; a new result halves the count.
    pub(super) fn circling(&self) -> u32 {
        self.circling.rounds()
    }

    /// Whether an answer to this call is in the view.
    pub(super) fn is_known(&self, call: CallKey) -> bool {
        self.may_have(call) && self.past.iter().any(|round| round.in_view && round.calls(call))
    }

    /// Whether this answer to this call is in the view.
    pub(super) fn has_brought(&self, call: CallKey, result: ResultKey) -> bool {
        self.may_have(call) && self.past.iter().any(|round| round.in_view && round.has(call, result))
    }

    /// Whether another call has shown this text, which is in the view: a file that was read, and then printed by a
    /// command. What failed and what was changed are other matters, and so are short answers, which many calls give.
    fn is_shown(&self, result: &ToolResult, look: &Look) -> bool {
        !look.failed
            && !look.waits
            && !result.call.effect.is_known_change()
            && self.answers.may_have(look.result)
            && is_long(result.text.trim_ascii().as_bytes())
            && self.past.iter().any(|round| {
                round.in_view && round.looks.iter().any(|it| it.result == look.result && !it.failed)
            })
    }

    /// The call that ran last.
    pub(super) fn before(&self) -> &Before {
        &self.before
    }

    /// The files that were written.
    pub(super) fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// What stands still whatever changes.
    pub(super) fn standing(&self) -> &Standing {
        &self.standing
    }

    /// The last tries, if they failed.
    pub(super) fn tries(&self) -> &Tries {
        &self.tries
    }

    /// The finished rounds, newest first.
    pub(super) fn past(&self) -> impl Iterator<Item = &Round> {
        self.past.iter().rev()
    }

    /// What the harness counts at the end of its answers.
    pub(super) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// What is compared of an answer.
    pub(super) fn key(&self, result: &ToolResult) -> ResultKey {
        self.tally.compared(result).own
    }

    /// The last calls that differed and got the same answer.
    pub(super) fn same_answer(&self) -> &SameAnswer {
        &self.same_answer
    }

    /// The elements of a page that were used.
    pub(super) fn pointed(&self) -> &Pointed {
        &self.pointed
    }

    /// The user spoke: there may have been progress.
    pub(super) fn user_spoke(&mut self) {
        self.close();
        self.moved();
        self.tries.end();
        self.standing.user_spoke();
        self.same_answer.user_spoke();
        self.pointed.user_spoke();
    }

    /// There was progress, or there may have been.
    pub(super) fn moved(&mut self) {
        self.marker = self.marker.saturating_add(1);
        self.circling = Circling::default();
        self.workspace.moved();
    }

    /// Ends the current round.
    pub(super) fn close(&mut self) {
        if self.open.looks.is_empty() {
            return;
        }
        let waits = self.open.waits();
        if self.open.is_new {
            self.circling.something_new();
        } else if !waits {
            self.circling.nothing_new();
        }
        self.open.marker = self.marker;
        let oldest = if self.past.len() < ROUNDS { None } else { self.past.pop_front() };
        let mut next = oldest.unwrap_or_default();
        for look in next.looks.drain(..) {
            self.filter.remove(look.call);
            self.answers.remove(look.result);
        }
        for look in &self.open.looks {
            if self.filter.may_have(look.call) {
                made_again(self.past.iter_mut(), look.call);
            }
            self.filter.add(look.call);
            self.answers.add(look.result);
        }
        self.past.push_back(mem::replace(&mut self.open, next));
    }

    /// Begins a new turn.
    pub(super) fn begin(&mut self) {
        self.close();
        self.turn = self.turn.saturating_add(1);
        let Round { turn, in_view, is_new, is_news, is_cut, .. } = &mut self.open;
        (*turn, *in_view) = (self.turn, true);
        (*is_new, *is_news, *is_cut) = (false, false, false);
    }

    /// The answers are no longer in the view. The identities stay, because a loop can continue through a compaction.
    pub(super) fn compact(&mut self) {
        self.close();
        for round in &mut self.past {
            round.in_view = false;
        }
    }

    /// Folds one result. A call that never ran is neither progress nor evidence of a loop.
    pub(super) fn result(&mut self, result: &ToolResult, offer: &OfferIndex, wanted: &Wanted) {
        match result.origin {
            Origin::Missing | Origin::Synthetic => {
                if Change::of(result) != Change::Nothing {
                    self.moved();
                }
            }
            Origin::Executed => self.look(result, offer, wanted),
        }
    }

    fn look(&mut self, result: &ToolResult, offer: &OfferIndex, wanted: &Wanted) {
        let call = &result.call;
        let compared = self.tally.answered(result);
        let look = Look::of(result, compared, &self.before, offer, wanted);
        // The same as in `is_evidence`, but this also records the write.
        let is_no_return = !look.failed && self.workspace.wrote(call);
        let answers_anew = self.answers_anew(result, compared.own);
        let is_new = answers_anew.unwrap_or(true);
        self.standing.result(result, &look, is_new, self.turn);
        let consents = offer.asks(&call.tool) && !look.failed && is_yes(&result.text);
        self.same_answer.result(result, &look, compared.any, consents, is_new, self.turn);
        self.pointed.result(result, &look, self.turn);
        let is_progress = match call.effect.is_known_change() && !look.failed {
            true => is_no_return && answers_anew.is_none() && Change::of(result) != Change::Nothing,
            false => answers_anew == Some(true),
        };
        if is_progress {
            self.moved();
        }
        self.before.ran(call, &look, compared.any);
        self.tries.ran(call, &look, self.turn);
        if self.open.has(look.call, look.result) {
            return;
        }
        let is_new = !self.has_brought(look.call, look.result) && !self.is_shown(result, &look);
        self.open.is_new |= is_new;
        self.open.is_news |= is_new && (!look.failed || look.may_pass);
        if self.open.looks.len() < LOOKS {
            self.open.looks.push(look);
        } else {
            self.open.is_cut = true;
        }
    }

    /// Whether this result is evidence of progress: an answer that this call never gave before, or the first call of
    /// its kind that is known to change something and did not fail. A repeated write is no evidence, whatever it
    /// answers: it leaves behind what was there before. Nor is a write that brings a file back to an earlier state.
    pub(super) fn is_evidence(&self, result: &ToolResult) -> bool {
        let call = &result.call;
        let answers_anew = self.answers_anew(result, self.key(result));
        match call.effect.is_known_change() && !is_failure(result) {
            true => {
                answers_anew.is_none()
                    && self.workspace.returns(call).is_none()
                    && Change::of(result) != Change::Nothing
            }
            false => answers_anew == Some(true),
        }
    }

    /// Whether the call never gave this answer before, by what is compared of it; `None` if it is in none of the
    /// finished rounds.
    fn answers_anew(&self, result: &ToolResult, compared: ResultKey) -> Option<bool> {
        let call = result.call.key;
        if !self.may_have(call) {
            return None;
        }
        let mut asked = self.past.iter().filter(|round| round.calls(call)).peekable();
        asked.peek()?;
        Some(is_unseen(result) || !asked.any(|round| round.has(call, compared)))
    }
}
