//! Results joined to their calls: a list of recorded messages becomes a lawful transcript.
//!
//! In a transcript every call has exactly one result before the next completion, in call order. A recording
//! keeps no such law: results are missing, come late or twice, and ids are used again.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::AddAssign;
use std::sync::Arc;

use balk_guards::{
    AttemptFailure, AttemptResponse, Completion, Entry, FailedAttempt, Origin, Start, Status, ToolCall,
    ToolResult, UserMessage,
};
use serde::Serialize;

use super::bad::BadLine;

/// An entry, and the message of the recording that it is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Index in `messages`; for a missing result, of the message with the call.
    pub message: usize,
    /// The entry.
    pub entry: Entry,
}

/// What is odd about a recording, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Oddities {
    /// Calls that got no result before the next assistant message.
    pub missing_results: u64,
    /// Results that came after the next assistant message, or second. They are not folded.
    pub late_results: u64,
    /// Calls whose id an earlier call of the trajectory has.
    pub reused_ids: u64,
    /// Results of which nobody said whether the tool failed.
    pub unknown_status: u64,
    /// Assistant messages with nothing in them.
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

/// Takes messages in order and keeps the law.
pub(super) struct Joiner {
    entries: Vec<Placed>,
    /// The calls of the last completion.
    open: Vec<Open>,
    /// Which of them still wait for an answer, by id: one completion may hold more calls than a scan for each
    /// answer could stand.
    unanswered: BTreeMap<Arc<str>, VecDeque<usize>>,
    /// What the user said before all of them were answered.
    waiting: Vec<Placed>,
    ids: BTreeSet<Arc<str>>,
    /// Failed attempts since the last completion.
    attempts: u32,
    oddities: Oddities,
}

/// A call of the last completion, and its answer once that came.
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
            // The recording goes on, so the model was asked again; nobody wrote down how long after.
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

    pub(super) fn tool(
        &mut self,
        message: usize,
        id: &str,
        status: Status,
        text: Arc<str>,
    ) -> Result<(), BadLine> {
        if !self.ids.contains(id) {
            return Err(BadLine::OrphanResult { message, id: super::one_line::one_line(id, ID_CHARS) });
        }
        if status == Status::Unknown {
            self.oddities.unknown_status += 1;
        }
        // Earlier completions are closed, so the calls that wait are the latest. Where one completion has an
        // id twice, answers are taken to come in the order of the calls.
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

    /// Gives every open call its one result, in call order; what the user said comes after.
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

/// As much of an id as a report shows.
const ID_CHARS: usize = 80;
