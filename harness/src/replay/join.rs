//! Joins results to their calls, and so makes a valid transcript from a list of recorded messages.
//!
//! In a transcript every call has exactly one result before the next completion, in call order. Recordings break this
//! rule: results are missing, come late or twice, and ids are reused.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::AddAssign;
use std::sync::Arc;

use balk_guards::{
    AttemptFailure, AttemptResponse, Completion, Entry, FailedAttempt, Origin, Start, Status, ToolCall,
    ToolResult, UserMessage,
};
use serde::Serialize;

use super::bad::BadLine;

/// An entry, and its message in the recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Index in `messages` or `contents`; for a missing result, of the message with the call.
    pub message: usize,
    /// The entry.
    pub entry: Entry,
}

/// Counts of defects of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Oddities {
    /// Calls that got no result before the next assistant message.
    pub missing_results: u64,
    /// Results that came after the next assistant message, or a second time. They are not folded.
    pub late_results: u64,
    /// Calls whose id an earlier call of the trajectory has.
    pub reused_ids: u64,
    /// Results for which the recording does not say whether the tool failed.
    pub unknown_status: u64,
    /// Empty assistant messages.
    pub empty_messages: u64,
}

impl AddAssign for Oddities {
    fn add_assign(&mut self, other: Self) {
        let Self { missing_results, late_results, reused_ids, unknown_status, empty_messages } = other;
        self.missing_results += missing_results;
        self.late_results += late_results;
        self.reused_ids += reused_ids;
        self.unknown_status += unknown_status;
        self.empty_messages += empty_messages;
    }
}

/// Takes messages in order and makes a valid transcript from them.
pub(super) struct Joiner {
    entries: Vec<Placed>,
    /// The calls of the last completion.
    open: Vec<Open>,
    /// The calls without an answer, by id: one completion may have too many calls to scan them for each answer.
    unanswered: BTreeMap<Arc<str>, VecDeque<usize>>,
    /// Messages of the user from before all calls were answered.
    waiting: Vec<Placed>,
    ids: BTreeSet<Arc<str>>,
    /// Failed attempts since the last completion.
    attempts: u32,
    oddities: Oddities,
}

/// A call of the last completion, and its answer once it has come.
struct Open {
    message: usize,
    call: Arc<ToolCall>,
    answer: Option<Placed>,
}

impl Joiner {
    pub(super) fn new(start: Start) -> Self {
        Self {
            entries: vec![Placed { message: 0, entry: Entry::Start(start) }],
            open: Vec::new(),
            unanswered: BTreeMap::new(),
            waiting: Vec::new(),
            ids: BTreeSet::new(),
            attempts: 0,
            oddities: Oddities::default(),
        }
    }

    pub(super) fn user(&mut self, message: usize, said: UserMessage) {
        let placed = Placed { message, entry: Entry::User(said) };
        if self.open.is_empty() {
            self.entries.push(placed);
        } else {
            self.waiting.push(placed);
        }
    }

    pub(super) fn assistant(&mut self, message: usize, completion: Completion) {
        self.close();
        if completion.is_empty() {
            self.oddities.empty_messages += 1;
            self.attempts += 1;
            let failure = AttemptFailure::empty(self.attempts);
            // The recording continues, so the model was asked again; the delay is not recorded.
            let response = AttemptResponse::Resent { after: 0 };
            let entry = Entry::Failed(FailedAttempt { failure, response });
            self.entries.push(Placed { message, entry });
            return;
        }
        self.attempts = 0;
        for call in &completion.calls {
            if !self.ids.insert(call.id.clone()) {
                self.oddities.reused_ids += 1;
            }
            self.unanswered.entry(call.id.clone()).or_default().push_back(self.open.len());
            self.open.push(Open { message, call: call.clone(), answer: None });
        }
        self.entries.push(Placed { message, entry: Entry::Completion(Arc::new(completion)) });
    }

    /// Whether a call with this id came before.
    pub(super) fn has_call(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// The result of the call with this id; `place` is the member that says so.
    pub(super) fn result(
        &mut self,
        message: usize,
        id: &str,
        status: Status,
        text: Arc<str>,
        place: impl FnOnce() -> String,
    ) -> Result<(), BadLine> {
        if !self.has_call(id) {
            let id = super::one_line::one_line(id, ID_CHARS);
            return Err(BadLine::OrphanResult { place: place(), id });
        }
        if status == Status::Unknown {
            self.oddities.unknown_status += 1;
        }
        // Earlier completions are closed, so the waiting calls are the latest. If one completion has an id twice, its
        // answers count as being in the order of the calls.
        match self.unanswered.get_mut(id).and_then(VecDeque::pop_front) {
            Some(at) => {
                let open = &mut self.open[at];
                let call = open.call.clone();
                let result =
                    ToolResult { call, origin: Origin::Executed, status, tries: 1, text: text.into() };
                open.answer = Some(Placed { message, entry: Entry::Result(result) });
            }
            None => self.oddities.late_results += 1,
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> (Vec<Placed>, Oddities) {
        self.close();
        (self.entries, self.oddities)
    }

    /// Gives every open call its one result, in call order; messages of the user follow.
    fn close(&mut self) {
        self.unanswered.clear();
        for Open { message, call, answer } in self.open.drain(..) {
            self.entries.push(answer.unwrap_or_else(|| {
                self.oddities.missing_results += 1;
                let result = ToolResult {
                    call,
                    origin: Origin::Missing,
                    status: Status::Unknown,
                    tries: 0,
                    text: "".into(),
                };
                Placed { message, entry: Entry::Result(result) }
            }));
        }
        self.entries.append(&mut self.waiting);
    }
}

/// The maximum length of an id in a report.
const ID_CHARS: usize = 80;
