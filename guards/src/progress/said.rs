//! What the model says without calling anything: the same text again, or replies that are refused in a row.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::finding::{Finding, Rule};
use crate::acknowledgement::says_it_cannot;
use balk_contract::{Completion, ResultKey, Speaker, Subject, UserMessage, identity};

/// Texts that are remembered, to find one that comes back after others.
const TEXTS: usize = 8;
/// A shorter text says little: a greeting, a closing, "done".
const TEXT_BYTES: usize = 60;
/// A person says the same again in fewer bytes ("good, and the next one?"); a harness has a form.
const FORM_BYTES: usize = 100;
/// How much of an answer is compared.
const COMPARED_BYTES: usize = 2_048;

/// Replies without a call, since the last one with a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Said {
    texts: VecDeque<ResultKey>,
    /// How often the newest of them was said.
    same: u32,
    /// Whether the newest completion called nothing, and nobody has answered it yet.
    open: bool,
    /// Whether the model has called anything yet: who never does may be asked for one paragraph after the other.
    has_acted: bool,
    /// What the last replies were answered with, and how many of them in a row.
    complaint: Option<u64>,
    refused: u32,
}

impl Said {
    /// Takes up a completion.
    pub(super) fn observe(&mut self, completion: &Completion) {
        if !completion.calls.is_empty() {
            self.texts.clear();
            self.has_acted = true;
            (self.same, self.open, self.complaint, self.refused) = (0, false, None, 0);
            return;
        }
        self.open = true;
        let longest = completion.texts().max_by_key(|text| text.len());
        let Some(text) = longest.filter(|text| text.len() >= TEXT_BYTES) else {
            self.same = 0;
            return;
        };
        let key = identity(text);
        // To say again that it cannot be done is an answer, whoever asks again.
        if self.texts.contains(&key) && says_it_cannot(text) {
            self.same = 0;
            return;
        }
        self.same = 1 + u32::try_from(self.texts.iter().filter(|it| **it == key).count()).unwrap_or(u32::MAX);
        if self.texts.len() == TEXTS {
            self.texts.pop_front();
        }
        self.texts.push_back(key);
    }

    /// Takes up what was said in the user's role. True where it is what the last reply was answered with: a
    /// harness that refuses replies says the same each time, and a person who has something new to say does not.
    pub(super) fn answered(&mut self, message: &UserMessage) -> bool {
        let complaint = complaint(message, self.has_acted);
        if !std::mem::take(&mut self.open) {
            return false;
        }
        let again = complaint.is_some() && complaint == self.complaint;
        self.refused = if again { self.refused.saturating_add(1) } else { u32::from(complaint.is_some()) };
        self.complaint = complaint;
        again
    }

    /// What the newest completion goes on with, if it called nothing.
    pub(super) fn findings(&self, turn: u64) -> [Finding; 2] {
        let find = |rule, seen| Finding::new(rule, Subject::Run, if self.open { seen } else { 0 }, turn);
        [find(Rule::RefusedReplies, self.refused), find(Rule::RepeatedText, self.same)]
    }
}

/// What is compared of an answer to a reply, if it is a form; on demand without digits, for it may count.
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
