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
    complaint: Option<u64>,
    refused: u32,
}

impl Said {
    /// Records a completion.
    pub(super) fn observe(&mut self, completion: &Completion) {
        if !completion.calls.is_empty() {
            self.texts.clear();
            self.beginnings.clear();
            self.has_acted = true;
            (self.same, self.open, self.complaint, self.refused) = (0, false, None, 0);
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

    /// Records a message in the user's role. True if it equals the answer to the previous reply: a harness that
    /// refuses replies repeats its answer, and a person with something new to say does not.
    pub(super) fn answered(&mut self, message: &UserMessage) -> bool {
        if message.from == Speaker::User && !is_nudge(&message.text) {
            self.short = None;
        }
        let complaint = complaint(message, self.has_acted);
        self.beginnings.clear();
        if !std::mem::take(&mut self.open) {
            return false;
        }
        let again = complaint.is_some() && complaint == self.complaint;
        self.refused = if again { self.refused.saturating_add(1) } else { u32::from(complaint.is_some()) };
        self.complaint = complaint;
        again
    }

    /// The patterns that the newest completion continues, if it called nothing.
    pub(super) fn findings(&self, turn: u64) -> [Finding; 2] {
        let find = |rule, seen| Finding::new(rule, Subject::Run, if self.open { seen } else { 0 }, turn);
        let shorts = if self.short.is_some() { self.shorts / PER_SHORT } else { 0 };
        [find(Rule::RefusedReplies, self.refused), find(Rule::RepeatedText, self.same.max(shorts))]
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

/// The part of an answer that is compared, if the answer is a form; optionally without digits, because it may count.
fn complaint(message: &UserMessage, without_digits: bool) -> Option<u64> {
    let bytes = message.text.as_bytes();
    if message.from == Speaker::User && bytes.len() < FORM_BYTES {
        return None;
    }
    let mut masked = [0; COMPARED_BYTES];
    let mut end = 0;
    for &byte in bytes.iter().take(COMPARED_BYTES) {
        let digit = without_digits && byte.is_ascii_digit();
        if !(digit && end > 0 && masked[end - 1] == b'#') {
            masked[end] = if digit { b'#' } else { byte };
            end += 1;
        }
    }
    Some(xxh3_64(&masked[..end]))
}
