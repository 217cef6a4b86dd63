//! A memory of calls: the last distinct ones, their results, and whether anything has changed since.
//!
//! *Nothing changed* means that no later result says otherwise (`change.rs`). A user's message is a possible change,
//! because the user may have changed something, unless it says "go on" and nothing else, or is a nudge that was said
//! before ([`nudge`](balk_contract::nudge)). One that says "again" asks for it each time. So is a compaction: the
//! result is no longer in the view.
//!
//! A *step* (scroll, louder, undo, next) names no file, carries no text and is acknowledged in a line, so nothing shows
//! that it is done: how often it is meant is up to the user. Each message of theirs may ask for it once more.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

pub(crate) use self::remembered::Remembered;
use self::remembered::{Step, is_done_anew};
pub(crate) use self::wanted::Wanted;
pub(crate) use self::wanted::says_again;
use crate::arguments::{beginning, inserted, save_beginning};
use crate::change::Change;
use crate::failure::{follows_a_log, is_failure, is_waiting, pauses};
use crate::filter::Filter;
use crate::ladder::Ladder;
use crate::unseen::is_unseen;
use balk_contract::key::CallKey;
use balk_contract::nudge::{is_go_ahead, is_nudge};
use balk_contract::reading::Prospect;
use balk_contract::{Effect, Entry, Origin, Purpose, ResultKey, Speaker, Status, ToolCall, ToolResult};

mod numbers;
mod remembered;
mod wanted;

/// How many distinct calls are remembered. A call that returns after so many others counts as new. The memory does
/// not grow with the run, and no recorded repetition is that wide.
pub(crate) const CALLS: usize = 64;
/// How many nudges are remembered; people use few.
const NUDGES: usize = 4;
/// How many pauses are counted for one call: a job that is never done is waited for, but not for ever.
const PAUSES: u32 = 5;
/// Equal results in a row before another spelling of a call counts as the same call: with two, a third is a repeat
/// ([`duplicate`](crate::duplicate)).
const VARIED: u32 = 2;
/// The factor by which more looks are allowed where the user wants something to be waited for, as at what has moved by
/// itself: pauses allow more. Assumed.
const AWAITED_PATIENCE: u32 = 3;
/// How many characters of a result are kept, to show it to the model again (spec D2).
const RESULT_CHARS: usize = 1_000;

/// The last distinct calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallMemory {
    /// The keys alone, at the same indices as `calls`: a search touches only one kilobyte.
    keys: Vec<CallKey>,
    /// The turn in which each call last ran, at the same indices.
    turns: Vec<u64>,
    calls: Vec<Remembered>,
    /// The indices, in the order in which their calls last ran; within one turn, the lowest index first.
    #[serde(skip)]
    order: Vec<u8>,
    /// Avoids the search for most calls that are not remembered, so that a full memory is as fast as an empty one.
    #[serde(skip)]
    filter: Filter,
    /// The call that ran last, with its arguments: one that adds to it may be the same once more.
    last: Option<Last>,
    /// The tools on offer that wait.
    waiting: Vec<Arc<str>>,
    /// The user's last nudges, as hashes.
    nudges: VecDeque<u64>,
    /// Messages of the user.
    messages: u64,
    /// How often their last request wants something.
    wanted: Wanted,
    /// Turns in which the model waited for something.
    pauses: u32,
    /// The last of them.
    paused: u64,
    /// Increases with everything that may have changed something.
    possible_changes: u64,
    /// Increases with everything that is known to have changed something.
    applied_changes: u64,
    /// Increases with everything new that a call answered which may have changed something, and did not only wait: a
    /// job may have begun.
    begun: u64,
    turn: u64,
}

/// A call with its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Last {
    call: CallKey,
    #[serde(serialize_with = "save_beginning")]
    arguments: Arc<str>,
}

impl CallMemory {
    /// The current turn, from 1.
    pub(crate) fn turn(&self) -> u64 {
        self.turn
    }

    /// What is remembered about this call, if it is among the last ones.
    pub(crate) fn get(&self, key: CallKey) -> Option<&Remembered> {
        self.place_of(key).map(|at| &self.calls[at])
    }

    /// Whether nothing can have changed since this call last ran.
    pub(crate) fn is_unchanged_since(&self, call: &Remembered) -> bool {
        call.possible_changes == self.possible_changes
    }

    /// Whether it is a step, and the user has spoken since it last ran.
    pub(crate) fn may_be_wanted_again(&self, call: &Remembered) -> bool {
        call.messages != self.messages && call.is_step()
    }

    /// How often the user wants it, if they gave a number: any call if they said "times", and a step by any number
    /// that it does not have itself ("Confirm booking 12" is about one booking).
    /// What will fail again is worth no second try.
    pub(crate) fn times_wanted(&self, call: &Remembered) -> u32 {
        let lasts = call.status == Status::Error && call.prospect == Prospect::Lasting && !call.counts;
        let times = self.wanted.times(call.status == Status::Error);
        match (lasts || call.changed_nothing || !call.is_meant, call.is_step()) {
            (true, _) => 0,
            (false, true) if !call.has_number => times.max(self.wanted.number),
            (false, true | false) => times,
        }
    }

    /// Whether the user wants something to be waited for that this call may show. What has moved and stands still may
    /// have come, and is given as many looks anyway.
    pub(crate) fn is_awaited(&self, call: &Remembered) -> bool {
        self.wanted.awaits && !call.effect.is_known_change() && !call.moves
    }

    /// The factor by which more equal results are allowed than of a call that nobody wants again.
    pub(crate) fn patience(&self, call: &Remembered) -> u32 {
        call.patience().max(if self.is_awaited(call) { AWAITED_PATIENCE } else { 1 })
    }

    /// Pauses since the first of its equal results, at most [`PAUSES`].
    pub(crate) fn pauses_since(&self, call: &Remembered) -> u32 {
        self.pauses.saturating_sub(call.pauses_before).min(PAUSES)
    }

    /// The level that the escalation about this call has reached; a known change since then resets it.
    pub(crate) fn level(&self, call: &Remembered) -> u8 {
        call.ladder.level(self.applied_changes, 0)
    }

    /// Records a step of the escalation about this call.
    pub(crate) fn escalated(&mut self, key: CallKey, level: u8) {
        if let Some(at) = self.place_of(key) {
            self.calls[at].ladder = Ladder::at(level, self.turn, self.applied_changes);
        }
    }

    /// Records that a call ran that counts as this one.
    pub(crate) fn ran(&mut self, key: CallKey) {
        if let Some(at) = self.place_of(key) {
            self.ran_at(at);
            self.calls[at].turn = self.turn;
        }
    }

    /// Records that the call at this index ran now, so that it is forgotten last.
    fn ran_at(&mut self, at: usize) {
        if self.turns[at] == self.turn {
            return;
        }
        self.turns[at] = self.turn;
        let is_later = |&&it: &&u8| usize::from(it) > at && self.turns[usize::from(it)] == self.turn;
        let later = self.order.iter().rev().take_while(is_later).count();
        let end = self.order.len() - later;
        let from = self.order.iter().position(|&it| usize::from(it) == at).unwrap_or(end);
        self.order[from..end].rotate_left(1);
    }

    /// Completes a saved state; `None` if its parts do not match.
    pub(crate) fn restored(mut self) -> Option<Self> {
        let places = self.calls.len();
        if places > CALLS || self.keys.len() != places || self.turns.len() != places {
            return None;
        }
        for &key in &self.keys {
            self.filter.add(key);
        }
        self.order = (0..).take(places).collect();
        self.order.sort_by_key(|&at| self.turns[usize::from(at)]);
        Some(self)
    }

    /// Folds one entry.
    pub(crate) fn observe(&mut self, entry: &Entry) {
        match entry {
            Entry::Start(start) => {
                let waiting = start.offer.tools().iter().filter(|tool| tool.purpose == Purpose::Wait);
                self.waiting = waiting.map(|tool| tool.name.clone()).collect();
            }
            Entry::Completion(_) => self.turn = self.turn.saturating_add(1),
            Entry::Result(result) => self.result(result),
            Entry::User(message) if message.from == Speaker::User => self.user_spoke(&message.text),
            Entry::Compaction(_) => self.possible_changes = self.possible_changes.saturating_add(1),
            Entry::User(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Intervention(_)
            | Entry::Answer(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }

    fn user_spoke(&mut self, text: &Arc<str>) {
        self.messages = self.messages.saturating_add(1);
        self.wanted.hear(text);
        if is_go_ahead(text) {
            return;
        }
        if is_nudge(text) && !says_again(text) {
            let nudge = xxh3_64(text.trim().as_bytes());
            if self.nudges.contains(&nudge) {
                return;
            }
            if self.nudges.len() == NUDGES {
                self.nudges.pop_front();
            }
            self.nudges.push_back(nudge);
        }
        self.possible_changes = self.possible_changes.saturating_add(1);
    }

    fn result(&mut self, result: &ToolResult) {
        let before = (self.possible_changes, self.begun);
        if let Some(call) = self.variant_of(result) {
            self.remember(result, before);
            return self.ran(call);
        }
        let change = if self.is_kept(result) { Change::Nothing } else { Change::of(result) };
        self.begun =
            self.begun.saturating_add(u64::from(change != Change::Nothing && self.may_begin(result)));
        match change {
            Change::Nothing => {}
            Change::Possible => self.possible_changes = self.possible_changes.saturating_add(1),
            Change::Known => {
                self.possible_changes = self.possible_changes.saturating_add(1);
                self.applied_changes = self.applied_changes.saturating_add(1);
            }
        }
        if result.origin == Origin::Executed {
            let at = self.remember(result, before);
            self.calls[at].changed_nothing =
                change == Change::Nothing && result.call.effect.is_known_change() && !is_failure(result);
            self.last = Some(Last { call: result.call.key, arguments: result.call.arguments.clone() });
        }
    }

    /// Whether this write left what it wrote the last time, because nothing has changed that since (spec D5).
    fn is_kept(&self, result: &ToolResult) -> bool {
        result.call.effect == Effect::IdempotentWrite
            && (result.origin, result.status) == (Origin::Executed, Status::Ok)
            && self
                .get(result.call.key)
                .is_some_and(|it| it.status == Status::Ok && self.is_unchanged_since(it))
    }

    /// The call of which this one is a variant: it ran last and got the same answer several times in a row, and this
    /// one adds something to it (a comment, a flag, a pipe) or takes it away, and gets that answer too. So it did no
    /// more than that one.
    fn variant_of(&self, result: &ToolResult) -> Option<CallKey> {
        let last = self.last.as_ref().filter(|it| it.call != result.call.key)?;
        let before = self.get(last.call)?;
        let is_again = result.origin == Origin::Executed
            && before.equal_results >= VARIED
            && before.tool == result.call.tool
            && !result.call.effect.is_known_change()
            && !is_failure(result)
            && before.result_key == result.text.key();
        let [one, other] = [&last.arguments, &result.call.arguments].map(|it| beginning(it).as_bytes());
        (is_again && (inserted(one, other).is_some() || inserted(other, one).is_some())).then_some(last.call)
    }

    /// Whether this answer, to a call that may change something, is new and may be that of something that has begun.
    fn may_begin(&self, result: &ToolResult) -> bool {
        let known = self.get(result.call.key);
        !is_waiting(result) && known.is_none_or(|it| it.result_key != result.text.key())
    }

    /// Remembers a result, and returns the index of its call.
    fn remember(
        &mut self,
        result: &ToolResult,
        (possible_changes_before, begun_before): (u64, u64),
    ) -> usize {
        let result_key = result.text.key();
        let at = match self.place_of(result.call.key) {
            Some(at) => at,
            None => self.place_for(&result.call),
        };
        self.ran_at(at);
        let call = &mut self.calls[at];
        let status = if is_failure(result) { Status::Error } else { result.status };
        let same = call.result_key == result_key
            && call.status == status
            && call.equal_results > 0
            && !is_unseen(result);
        // A look belongs to what it looks at: after something new has begun, that may be another job. What fails does
        // not look at anything.
        let of_another = call.begun != begun_before && status != Status::Error;
        if !same || of_another {
            call.ladder.restart();
        }
        let unchanged = call.possible_changes == possible_changes_before;
        let is_other = call.equal_results > 0 && call.result_key != result_key;
        call.moves |= unchanged && is_other && call.may_move_to(status, result);
        // A model that does something else between two looks may be waiting for the result; a failure counts all the
        // same.
        let in_a_row =
            status == Status::Error || self.turn.saturating_sub(call.turn.max(call.ladder.turn())) <= 1;
        let is_wanted = call.messages != self.messages && call.may_be_step_with(&result.text);
        // It is no look, and nothing is waited for, if it did something each time.
        let is_anew = same && status != Status::Error && is_done_anew(&call.result, &result.text);
        let again = same && unchanged && (in_a_row || is_anew) && !is_wanted;
        // Two results in one turn are one look.
        let looks = u32::from(call.turn != self.turn);
        call.equal_results = if again { call.equal_results.saturating_add(looks) } else { 1 };
        if !again {
            call.pauses_before = self.pauses;
        }
        call.status = status;
        (call.prospect, call.counts) = prospect_of(status, result);
        let arguments = &result.call.arguments;
        (call.has_number, call.is_meant) =
            (self.wanted.is_number_in(arguments), self.wanted.may_mean(arguments));
        call.is_done_anew = again && (call.is_done_anew || is_anew);
        call.is_of_log = again && status != Status::Error && follows_a_log(&result.call);
        call.waits =
            is_waiting(result) || status != Status::Error && self.waiting.contains(&result.call.tool);
        if (call.waits || pauses(&result.call)) && self.paused < self.turn {
            self.paused = self.turn;
            self.pauses = self.pauses.saturating_add(1);
        }
        call.turn = self.turn;
        call.result_key = result_key;
        call.possible_changes = self.possible_changes;
        call.begun = self.begun;
        call.messages = self.messages;
        call.result.clear();
        let cut = shown(&result.text);
        call.result.push_str(&result.text[..cut]);
        if cut < result.text.len() {
            call.result.push_str(" [… cut]");
        }
        at
    }

    fn place_of(&self, key: CallKey) -> Option<usize> {
        if !self.filter.may_have(key) {
            return None;
        }
        self.keys.iter().position(|&it| it == key)
    }

    /// An index for a call that is not remembered: a free one, or that of the call that ran longest ago. Its buffer
    /// is reused.
    fn place_for(&mut self, call: &ToolCall) -> usize {
        self.filter.add(call.key);
        if self.calls.len() < CALLS {
            self.keys.push(call.key);
            self.turns.push(self.turn);
            self.order.push(self.calls.len() as u8);
            self.calls.push(Remembered {
                tool: call.tool.clone(),
                effect: call.effect,
                status: Status::Unknown,
                turn: self.turn,
                equal_results: 0,
                prospect: Prospect::Unknown,
                counts: false,
                changed_nothing: false,
                is_of_file: call.path_key().is_some(),
                step: Step::of(call),
                messages: 0,
                is_of_log: false,
                has_number: false,
                is_meant: true,
                is_done_anew: false,
                moves: false,
                waits: false,
                result: String::new(),
                ladder: Ladder::default(),
                result_key: ResultKey::default(),
                possible_changes: 0,
                begun: 0,
                pauses_before: 0,
            });
            return self.calls.len() - 1;
        }
        let oldest = usize::from(self.order[0]);
        self.filter.remove(self.keys[oldest]);
        self.keys[oldest] = call.key;
        let place = &mut self.calls[oldest];
        if place.tool != call.tool {
            place.tool = call.tool.clone();
        }
        place.effect = call.effect;
        place.is_of_file = call.path_key().is_some();
        place.step = Step::of(call);
        (place.equal_results, place.moves) = (0, false);
        place.ladder = Ladder::default();
        oldest
    }
}

/// What a failure says of a later try, and whether it counts failures.
fn prospect_of(status: Status, result: &ToolResult) -> (Prospect, bool) {
    match status {
        Status::Error => {
            let reading = result.text.reading();
            (reading.prospect, reading.counts)
        }
        Status::Ok | Status::Unknown => (Prospect::Unknown, false),
    }
}

/// The length in bytes of the kept beginning of a result.
fn shown(text: &str) -> usize {
    match text.as_bytes().get(..RESULT_CHARS) {
        None => text.len(),
        Some(bytes) if bytes.is_ascii() => RESULT_CHARS,
        Some(_) => text.char_indices().nth(RESULT_CHARS).map_or(text.len(), |(cut, _)| cut),
    }
}

#[cfg(test)]
mod tests;
