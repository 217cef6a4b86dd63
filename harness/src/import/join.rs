//! Makes a valid transcript of entries from recorded messages.
//!
//! In a transcript every call has exactly one result before the next completion, in call order. Recordings break this
//! rule: results are missing, come late or twice, and ids are reused.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::AddAssign;
use std::sync::Arc;

use balk_guards::{
    AttemptFailure, AttemptResponse, Completion, Entry, FailedAttempt, FinishReason, Offer, Origin, Part,
    Protocol, RawCall, Speaker, Start, Status, Tool, ToolCall, ToolResult, UserMessage,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::recording::{Answer, Call, Message, Outcome, Recording, Said};
use super::tools::ToolTable;

/// Facts that a recording lacks and the caller knows.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// How a task ends in the recorded agents.
    pub protocol: Protocol,
    /// What their tools can change.
    pub tools: ToolTable,
}

/// One recorded run, as entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its id; empty where it has none.
    pub id: Arc<str>,
    /// The model's name; empty where it has none.
    pub model: Arc<str>,
    /// How it ended, as the source says.
    pub outcome: Outcome,
    /// The entries, the first an [`Entry::Start`](balk_guards::Entry::Start).
    pub entries: Vec<Placed>,
    /// When a message was said, as [`Recording::times`] has it.
    pub times: Vec<(usize, Timestamp)>,
    /// The defects of the recording.
    pub oddities: Oddities,
}

/// An entry, and its message in the recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Index in [`Recording::messages`], which is that in the `messages` of the neutral form; for a missing result, of
    /// the message with the call.
    pub message: usize,
    /// The entry.
    pub entry: Entry,
}

/// Counts of defects of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
        self.missing_results = self.missing_results.saturating_add(missing_results);
        self.late_results = self.late_results.saturating_add(late_results);
        self.reused_ids = self.reused_ids.saturating_add(reused_ids);
        self.unknown_status = self.unknown_status.saturating_add(unknown_status);
        self.empty_messages = self.empty_messages.saturating_add(empty_messages);
    }
}

/// The entries of a transcript.
#[must_use]
pub fn join(recording: Recording, setting: &Setting) -> Recorded {
    let offer = Arc::new(offer(&recording, &setting.tools));
    let Recording { id, model, outcome, tools: _, messages, times, reused_ids } = recording;
    let start = Start { model: model.clone(), protocol: setting.protocol, offer: offer.clone() };
    let mut entries = Entries::new(start, reused_ids);
    for (at, message) in messages.into_iter().enumerate() {
        match message {
            Message::System(_) => {}
            Message::User(text) => entries.user(at, UserMessage { from: Speaker::User, text }),
            Message::Assistant(said) => entries.assistant(at, completion(said, &offer)),
            Message::Result(answer) => entries.result(at, answer),
        }
    }
    let (entries, oddities) = entries.finish();
    Recorded { id, model, outcome, entries, times, oddities }
}

/// The tools that are listed, then those that were only called, in order of their first call. What they can change is
/// in the table.
fn offer(recording: &Recording, table: &ToolTable) -> Offer {
    let tool = |name: &str| {
        let declared = table.declared(name);
        Tool::new(name).effect(declared.effect).purpose(declared.purpose)
    };
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut tools = Vec::new();
    for listed in &recording.tools {
        if seen.insert(&listed.name) {
            let mut tool = tool(&listed.name).description(&listed.description);
            if let Some(schema) = &listed.parameters {
                tool = tool.parameters(schema);
            }
            tools.push(tool);
        }
    }
    for message in &recording.messages {
        let Message::Assistant(said) = message else { continue };
        for call in &said.calls {
            if seen.insert(&call.tool) {
                tools.push(tool(&call.tool));
            }
        }
    }
    Offer::new(tools)
}

fn completion(said: Said, offer: &Offer) -> Completion {
    let Said { thinking, text, calls, usage } = said;
    let thinking = thinking.map(|text| Part::Thinking { text, signature: None });
    let parts = thinking.into_iter().chain(text.map(Part::Text));
    let calls = calls.into_iter().map(|Call { id, tool, arguments }| {
        let tool = offer.by_original(&tool).map_or(tool, |tool| tool.name.clone());
        RawCall { id, tool, arguments }
    });
    Completion::new(parts, calls, FinishReason::NotGiven, usage, offer)
}

/// Takes messages in order and makes a valid transcript from them.
struct Entries {
    entries: Vec<Placed>,
    /// The calls of the last completion.
    open: Vec<Open>,
    /// The calls without an answer, by id: one completion may have too many calls to scan them for each answer.
    unanswered: BTreeMap<Arc<str>, VecDeque<usize>>,
    /// Messages of the user from before all calls were answered.
    waiting: Vec<Placed>,
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

impl Entries {
    fn new(start: Start, reused_ids: u64) -> Self {
        Self {
            entries: vec![Placed { message: 0, entry: Entry::Start(start) }],
            open: Vec::new(),
            unanswered: BTreeMap::new(),
            waiting: Vec::new(),
            attempts: 0,
            oddities: Oddities { reused_ids, ..Oddities::default() },
        }
    }

    fn user(&mut self, message: usize, said: UserMessage) {
        let placed = Placed { message, entry: Entry::User(said) };
        if self.open.is_empty() {
            self.entries.push(placed);
        } else {
            self.waiting.push(placed);
        }
    }

    fn assistant(&mut self, message: usize, completion: Completion) {
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
            self.unanswered.entry(call.id.clone()).or_default().push_back(self.open.len());
            self.open.push(Open { message, call: call.clone(), answer: None });
        }
        self.entries.push(Placed { message, entry: Entry::Completion(Arc::new(completion)) });
    }

    fn result(&mut self, message: usize, answer: Answer) {
        let Answer { id, status, text } = answer;
        if status == Status::Unknown {
            self.oddities.unknown_status += 1;
        }
        // Earlier completions are closed, so the waiting calls are the latest. If one completion has an id twice, its
        // answers count as being in the order of the calls.
        match self.unanswered.get_mut(&*id).and_then(VecDeque::pop_front) {
            Some(at) => {
                let open = &mut self.open[at];
                let call = open.call.clone();
                let result =
                    ToolResult { call, origin: Origin::Executed, status, tries: 1, text: text.into() };
                open.answer = Some(Placed { message, entry: Entry::Result(result) });
            }
            None => self.oddities.late_results += 1,
        }
    }

    fn finish(mut self) -> (Vec<Placed>, Oddities) {
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
