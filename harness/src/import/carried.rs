//! What recordings carry, and what they leave unknown.

use std::collections::BTreeSet;
use std::ops::AddAssign;

use balk_guards::{Status, Usage};

use super::recording::{Message, Outcome, Recording};

/// Counts over recordings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// Recordings.
    pub transcripts: u64,
    /// Answers of the model.
    pub turns: u64,
    /// Calls.
    pub calls: u64,
    /// Calls that no result came for.
    pub without_result: u64,
    /// Results for which the recording does not say whether the tool failed.
    pub unknown_status: u64,
    /// Recordings without the model's name.
    pub without_model: u64,
    /// Recordings that do not say how the run ended.
    pub without_outcome: u64,
    /// Recordings that do not list the tools on offer.
    pub without_tools: u64,
    /// Recordings that do not say when anything was said.
    pub without_times: u64,
    /// Recordings that do not say of any answer how many tokens it cost.
    pub without_tokens: u64,
}

impl Carried {
    /// The counts of one recording.
    #[must_use]
    pub fn of(recording: &Recording) -> Self {
        let mut it = Self {
            transcripts: 1,
            without_model: u64::from(recording.model.is_empty()),
            without_outcome: u64::from(recording.outcome == Outcome::Unknown),
            without_tools: u64::from(recording.tools.is_empty()),
            without_times: u64::from(recording.times.is_empty()),
            without_tokens: 1,
            ..Self::default()
        };
        let mut answered: BTreeSet<&str> = BTreeSet::new();
        for message in recording.messages.iter().rev() {
            match message {
                Message::System(_) | Message::User(_) => {}
                Message::Assistant(said) => {
                    it.turns += 1;
                    it.without_tokens &= u64::from(said.usage == Usage::default());
                    it.calls += said.calls.len() as u64;
                    // An id that is used again names the latest call.
                    let open = said.calls.iter().filter(|call| !answered.remove(&*call.id));
                    it.without_result += open.count() as u64;
                }
                Message::Result(answer) => {
                    it.unknown_status += u64::from(answer.status == Status::Unknown);
                    answered.insert(&answer.id);
                }
            }
        }
        it
    }
}

impl AddAssign for Carried {
    fn add_assign(&mut self, other: Self) {
        let Self { transcripts, turns, calls, without_result, unknown_status, .. } = other;
        self.transcripts += transcripts;
        self.turns += turns;
        self.calls += calls;
        self.without_result += without_result;
        self.unknown_status += unknown_status;
        self.without_model += other.without_model;
        self.without_outcome += other.without_outcome;
        self.without_tools += other.without_tools;
        self.without_times += other.without_times;
        self.without_tokens += other.without_tokens;
    }
}
