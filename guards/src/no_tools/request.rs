//! What the user's request says, and what was done about it.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::open::{Open, StillOpen};
use super::vocabulary::{List, Words, plain};
use crate::change::Change;
use crate::files::files;
use crate::search::has_question_mark;
use crate::showing::Wish;
use balk_contract::{Effect, Origin, Status, ToolResult};

/// Files of a request that are remembered; a longer list is work for a tool.
const ASKED: usize = 16;
/// Files that calls named, of the whole run. Once one is forgotten, a file that is not among them proves nothing.
const TOUCHED: usize = 128;
/// Bytes of the arguments that are searched for files, at either end: paths come first or last.
const SEARCHED: usize = 256;

/// What is known about the user's request and the work on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Request {
    /// It speaks of calls or of JSON, so that a printed call may be an answer.
    pub(super) wants_calls: bool,
    /// It asks to be shown or told something, so that words may be an answer.
    wants_words: bool,
    /// It asks whether something is so, so that the answer may be yes.
    wonders: bool,
    /// It asks for a plan.
    pub(super) wants_plan: bool,
    /// The files that it names.
    asked: Vec<u64>,
    /// What it names and what came of that.
    open: Open,
    /// The files that calls named and that did not fail, in the whole run, oldest first.
    touched: VecDeque<u64>,
    /// Whether one of them was forgotten.
    forgot: bool,
    /// Whether a tool was called since the request.
    pub(super) called: bool,
    /// Whether a tool was called in the run.
    pub(super) acted: bool,
    /// Whether a call failed or was refused since the request.
    pub(super) failed: bool,
    /// Whether something was changed since the request, or may have been.
    pub(super) changed: bool,
    /// Whether the last call since the request failed or was refused.
    last_failed: bool,
    /// Whether a call since the request may have done anything, without naming it.
    blind: bool,
}

/// What the files that a text names say about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// It names files, and no call of the run did anything with any of them.
    pub(super) untouched: bool,
    /// One of them is in the request.
    pub(super) asked: bool,
}

impl Request {
    /// The user asks for something new.
    pub(super) fn begin(&mut self, text: &Arc<str>) {
        let (wish, plain) = (Wish::of(text), plain(text));
        let words = Words::of(&plain);
        self.wants_calls = wish.speaks_of_calls();
        self.wants_plan = words.has(List::Plans);
        self.wonders = words.has(List::Wonders) && wonders(&plain);
        self.wants_words = wish.asks_to_see() || words.has(List::Explains) || self.wonders;
        self.asked.clear();
        self.asked.extend(files(text).take(ASKED));
        self.open.begin(text);
        (self.called, self.changed, self.blind) = (false, false, false);
        (self.failed, self.last_failed) = (false, false);
    }

    /// The user answered a question about it with other words than yes, so it may be withdrawn: "Then leave it." What
    /// it names was left undone for that question, and the user knows it.
    pub(super) fn is_decided(&mut self) {
        self.open = Open::default();
    }

    /// A call was made.
    pub(super) fn called(&mut self) {
        (self.called, self.acted) = (true, true);
    }

    /// A call has a result. Returns whether it was a step: whether it failed, may have changed something, or touched a
    /// file for the first time.
    pub(super) fn observe(&mut self, result: &ToolResult) -> bool {
        self.open.observe(result);
        let is_failed = result.origin == Origin::Synthetic || result.status == Status::Error;
        self.failed |= is_failed;
        self.last_failed = is_failed;
        if is_failed {
            return true;
        }
        let may_change = Change::of(result) != Change::Nothing;
        self.changed |= may_change;
        self.blind |= may_change && result.call.effect == Effect::Unknown;
        let all = &*result.call.arguments;
        let (head, tail) = ends(all);
        let mut is_step = may_change;
        for file in files(head).chain(files(tail)) {
            is_step |= self.touch(file);
        }
        is_step
    }

    /// Returns whether the file was not touched before.
    fn touch(&mut self, file: u64) -> bool {
        if self.touched.contains(&file) {
            return false;
        }
        if self.touched.len() == TOUCHED {
            self.touched.pop_front();
            self.forgot = true;
        }
        self.touched.push_back(file);
        true
    }

    /// Whether no call has done what the user asked for last.
    pub(super) fn is_open(&self, last: &str) -> bool {
        !self.open.is_earlier() && !self.still_open(Some(last)).is_empty()
    }

    /// What the request names and no call has done.
    pub(super) fn still_open(&self, last: Option<&str>) -> StillOpen<'_> {
        self.open.still(|file| self.forgot || self.touched.contains(&file), last)
    }

    /// What the files that a text names say about it. Nothing, if a call may have touched files that it did not name.
    pub(super) fn named_in(&self, text: &str) -> Named {
        let mut named = Named::default();
        if self.forgot || self.blind {
            return named;
        }
        for file in files(text) {
            if self.touched.contains(&file) {
                return Named::default();
            }
            named = Named { untouched: true, asked: named.asked || self.asked.contains(&file) };
        }
        named
    }

    /// Whether the transcript contradicts a text that says that something is done: no call has touched what it names,
    /// or the last call failed and nothing was changed.
    pub(super) fn contradicts_work(&self, text: &str) -> bool {
        !self.wonders && (self.last_failed && !self.changed || self.named_in(text).untouched)
    }

    /// Whether words alone may be what the user asked for.
    pub(super) fn wants_words(&self) -> bool {
        self.wants_words || self.wants_plan || self.wants_calls
    }
}

/// Whether the request has a question that asks for an answer, and not for work.
fn wonders(text: &str) -> bool {
    if !has_question_mark(text) && !text.contains("か。") {
        return false;
    }
    let ends = ['?', '？', '!', '。', '！', '\n'];
    let sentences = text.split(". ").flat_map(|it| it.split_inclusive(ends));
    let questions = sentences.filter(|it| it.ends_with(['?', '？']) || it.trim_end().ends_with("か。"));
    questions.map(Words::of).any(|it| it.has(List::Wonders) && !it.has(List::Pleas))
}

/// Both ends of a text, which may be all of it.
fn ends(text: &str) -> (&str, &str) {
    if text.len() <= 2 * SEARCHED {
        return (text, "");
    }
    (&text[..text.floor_char_boundary(SEARCHED)], &text[text.ceil_char_boundary(text.len() - SEARCHED)..])
}
