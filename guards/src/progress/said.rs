//! What the model says without a call: the same text again, or replies that are refused several times in a row.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::finding::{Finding, Rule};
use crate::acknowledgement::says_it_cannot;
use balk_contract::nudge::{is_nudge, is_short};
use balk_contract::{Completion, ResultKey, Speaker, Subject, UserMessage, identity};

/// Texts that are remembered, to find one that recurs after others.
const TEXTS: usize = 8;
/// A short text (a greeting, a closing, "done") counts only in a row and while the user says nothing new, and one in
/// so many.
const PER_SHORT: u32 = 2;
/// Agents that talk to each other say in other words what they see, and begin with what they did. Bytes of a text that
/// are then compared; messages that page through something differ in them (`docs/labels.md#failures-that-come-back`).
const BEGINNING: usize = 240;
/// A person repeats a message in fewer bytes ("good, and the next one?"); a harness uses a form.
const FORM_BYTES: usize = 100;
/// Bytes of an answer that are compared.
const COMPARED_BYTES: usize = 2_048;

/// Replies without a call, since the last completion with a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Said {
    texts: VecDeque<ResultKey>,
    /// The beginnings of the last long ones since a message came from outside.
    beginnings: VecDeque<u64>,
    /// How often the newest of them was sent.
    same: u32,
    /// The newest text, if it is a short one, and how often it came in a row.
    short: Option<ResultKey>,
    shorts: u32,
    /// Whether the newest completion called nothing and has not been answered yet.
    open: bool,
    /// Whether the model has called anything yet: one that never does may be asked for one paragraph after another.
    has_acted: bool,
    /// The answer to the last replies, and how many of them in a row got it.
    complaint: Option<Complaint>,
    refused: u32,
    /// Whether that answer was known before these replies: it refused one that came before a call.
    is_known: bool,
}

impl Said {
    /// Records a completion.
    pub(super) fn observe(&mut self, completion: &Completion) {
        if !completion.calls.is_empty() {
            self.texts.clear();
            self.beginnings.clear();
            self.has_acted = true;
            (self.same, self.open, self.refused) = (0, false, 0);
            self.short = None;
            return;
        }
        self.open = true;
        let before = self.short.take();
        let Some(text) = completion.texts().max_by_key(|text| text.len()) else {
            self.same = 0;
            return;
        };
        let key = identity(text);
        if is_short(text) {
            self.shorts = if before == Some(key) { self.shorts.saturating_add(1) } else { 1 };
            self.short = Some(key).filter(|_| !says_it_cannot(text));
            self.same = 0;
            return;
        }
        // Repeating that it cannot be done is an answer to the question.
        if self.texts.contains(&key) && says_it_cannot(text) {
            self.same = 0;
            return;
        }
        self.same = keep(&mut self.texts, key);
        if let Some(beginning) = text.as_bytes().get(..BEGINNING) {
            self.same = self.same.max(keep(&mut self.beginnings, xxh3_64(beginning)));
        }
    }

    /// Records that an answer was empty: a harness complains about that as about a text.
    pub(super) fn fell_empty(&mut self) {
        self.open = true;
    }

    /// Records a message in the user's role. True if it equals the answer to the previous reply: a harness that
    /// refuses replies repeats its answer, and a person with something new to say does not.
    pub(super) fn answered(&mut self, message: &UserMessage) -> bool {
        if message.from == Speaker::User && !is_nudge(&message.text) {
            self.short = None;
        }
        self.beginnings.clear();
        if !std::mem::take(&mut self.open) {
            return false;
        }
        let complaint = Complaint::of(message);
        let again = complaint.zip(self.complaint).is_some_and(|(it, last)| it.is_same(last, self.has_acted));
        let is_first = self.refused == 0;
        self.refused = if again { self.refused.saturating_add(1) } else { u32::from(complaint.is_some()) };
        self.is_known = again && (is_first || self.is_known);
        self.complaint = complaint;
        again
    }

    /// The patterns that the newest completion continues, if it called nothing.
    pub(super) fn findings(&self, turn: u64) -> [Finding; 2] {
        let find = |rule, seen| Finding::new(rule, Subject::Run, if self.open { seen } else { 0 }, turn);
        let shorts = if self.short.is_some() { self.shorts / PER_SHORT } else { 0 };
        // One that came before counts as well: what is refused is known.
        let refused =
            if self.refused > 0 { self.refused.saturating_add(u32::from(self.is_known)) } else { 0 };
        [find(Rule::RefusedReplies, refused), find(Rule::RepeatedText, self.same.max(shorts))]
    }
}

/// Adds a key to the last ones. Returns how many of them are equal to it, itself included.
fn keep<K: PartialEq>(keys: &mut VecDeque<K>, key: K) -> u32 {
    let before = keys.iter().filter(|it| **it == key).count();
    if keys.len() == TEXTS {
        keys.pop_front();
    }
    keys.push_back(key);
    u32::try_from(before + 1).unwrap_or(u32::MAX)
}

/// An answer to a reply, as it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Complaint {
    /// Without what counts down.
    exact: u64,
    /// Without any digits.
    loose: u64,
}

impl Complaint {
    /// What is compared of a message, if it is a form.
    fn of(message: &UserMessage) -> Option<Self> {
        let text = &message.text;
        if message.from == Speaker::User && text.len() < FORM_BYTES {
            return None;
        }
        let text = &text[..text.floor_char_boundary(COMPARED_BYTES)];
        let mut masked = [0; COMPARED_BYTES];
        let mut end = 0;
        for &byte in text.as_bytes() {
            let digit = byte.is_ascii_digit();
            if !(digit && end > 0 && masked[end - 1] == b'#') {
                masked[end] = if digit { b'#' } else { byte };
                end += 1;
            }
        }
        Some(Self { exact: identity(text).folded(), loose: xxh3_64(&masked[..end]) })
    }

    /// Whether both are the same form, which may count. A model that calls nothing may be asked for one paragraph after
    /// another, by number.
    fn is_same(self, other: Self, has_acted: bool) -> bool {
        self.exact == other.exact || has_acted && self.loose == other.loose
    }
}
