//! What the user's request says, and what was done about it.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::instead::says_it_changed;
use super::open::{Open, StillOpen};
use super::recent::Recent;
use super::vocabulary::{List, Words, plain};
use crate::change::Change;
use crate::failure::is_failure;
use crate::files::files;
use crate::search;
use crate::sentences::sentences;
use crate::showing::Wish;
use crate::showing::follow_up::FollowUp;
use balk_contract::wording::is_longer;
use balk_contract::{Effect, Origin, Status, ToolResult};

/// Files of a request that are remembered; a longer list is work for a tool.
const ASKED: usize = 16;
/// Files that calls named, of the whole run. Once one is forgotten, a file that is not among them proves nothing.
const TOUCHED: usize = 128;
/// Bytes of the arguments that are searched for files, at either end: paths come first or last.
const SEARCHED: usize = 256;
/// The same of a result.
const SHOWN: usize = 2_048;
/// The longest request that asks to be asked, in characters: a longer one may only speak of a quiz.
const QUIZ_CHARS: usize = 400;

/// What is known about the user's request and the work on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Request {
    /// It speaks of calls or of JSON, so that a printed call may be an answer.
    pub(super) wants_calls: bool,
    /// It asks to be shown or told something, so that words may be an answer.
    wants_words: bool,
    /// It asks whether something is so, so that the answer may be yes.
    wonders: bool,
    /// It wants no tool called, or goes on with one that did.
    runs_nothing: bool,
    /// It asks for a plan.
    pub(super) wants_plan: bool,
    /// It asks what the model will do, so that an announcement is the answer.
    pub(super) asks_what_comes: bool,
    /// It says that the user does not want to be asked.
    trusts: bool,
    /// It asks to be asked, and no tool was called since.
    pub(super) wants_questions: bool,
    /// The files that it names.
    asked: Vec<u64>,
    /// What it names and what came of that.
    open: Open,
    /// The files that calls named and that did not fail, in the whole run, oldest first.
    touched: VecDeque<u64>,
    /// The files that results named, in the whole run, oldest first.
    shown: Recent,
    /// The files that calls named that may have changed something, in the whole run, oldest first.
    written: VecDeque<u64>,
    /// Whether something was changed in the run, or may have been, and whether it may have been any file.
    ever_changed: bool,
    ever_blind: bool,
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
        let said = Said::of(&plain, words);
        let asks_for_more = || FollowUp::of(text) == FollowUp::Surely;
        self.wants_calls =
            wish.speaks_of_calls() || wish.holds() || self.wants_calls && !self.called && asks_for_more();
        self.wants_plan = words.has(List::Plans);
        self.wonders = said.wonders;
        self.runs_nothing = words.has(List::Unrun) || self.runs_nothing && !self.called && asks_for_more();
        self.wants_words =
            wish.asks_to_see() || words.has(List::Explains) || self.runs_nothing || self.wonders;
        self.asks_what_comes = wish.holds() || self.runs_nothing || said.asks_what_comes;
        self.trusts = said.trusts;
        self.wants_questions |= words.has(List::Quizzes) && !is_longer(text, QUIZ_CHARS);
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
        (self.called, self.acted, self.wants_questions) = (true, true, false);
    }

    /// A call has a result. Returns whether it was a step: whether it failed, may have changed something, or touched a
    /// file for the first time.
    pub(super) fn observe(&mut self, result: &ToolResult) -> bool {
        self.open.observe(result);
        let is_failed = result.origin == Origin::Synthetic || has_failed(result);
        self.failed |= is_failed;
        self.last_failed = is_failed;
        let (head, tail) = ends(&result.text, SHOWN);
        for file in files(head).chain(files(tail)) {
            self.shown.push(file);
        }
        if is_failed {
            return true;
        }
        let may_change = Change::of(result) != Change::Nothing;
        self.changed |= may_change;
        self.blind |= may_change && result.call.effect == Effect::Unknown;
        self.ever_changed |= may_change;
        self.ever_blind |= self.blind;
        let all = &*result.call.arguments;
        let (head, tail) = ends(all, SEARCHED);
        let mut is_step = may_change;
        for file in files(head).chain(files(tail)) {
            let (is_new, forgot) = push(&mut self.touched, file);
            is_step |= is_new;
            self.forgot |= forgot;
            if may_change {
                push(&mut self.written, file);
            }
        }
        is_step
    }

    /// Whether no call has done what the user asked for last.
    pub(super) fn is_open(&self, last: &str) -> bool {
        !self.open.is_earlier() && !self.still_open(Some(last)).is_empty()
    }

    /// What the request names and no call has done.
    pub(super) fn still_open(&self, last: Option<&str>) -> StillOpen<'_> {
        self.open.still(|file| self.forgot || self.touched.contains(&file), last)
    }

    /// What the files that a text names say about it. Nothing, if a call may have touched files that it did not name,
    /// or if a result named one that the user did not: the model speaks of what it saw.
    pub(super) fn named_in(&self, text: &str) -> Named {
        let is_shown = |file| !self.asked.contains(&file) && self.shown.contains(file);
        if files(text).any(is_shown) { Named::default() } else { self.acted_on(text) }
    }

    /// The same, whatever results named.
    pub(super) fn acted_on(&self, text: &str) -> Named {
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

    /// Whether a text that says that the model changed something is contradicted: the model only looked since the
    /// request, and nothing in the run can have changed what the text names, or anything.
    pub(super) fn contradicts_change(&self, text: &str) -> bool {
        let is_written = |file| self.written.contains(&file);
        let knows_files = !self.ever_blind && !self.forgot && files(text).next().is_some();
        let is_left = !self.ever_changed || knows_files && !files(text).any(is_written);
        !self.wonders && self.called && !self.changed && is_left && says_it_changed(text)
    }

    /// Whether the model may begin without a question: the user said so, and it has tried nothing.
    pub(super) fn is_allowed(&self) -> bool {
        self.trusts && !self.called
    }

    /// Whether words alone may be what the user asked for.
    pub(super) fn wants_words(&self) -> bool {
        self.wants_words || self.wants_plan || self.wants_calls
    }
}

/// What a request says in one of its sentences.
#[derive(Default)]
struct Said {
    /// It has a question that asks for an answer, and not for work.
    wonders: bool,
    /// It asks what the model will do ("What will you do first?", "Before you begin, tell me what you would change."),
    /// and not that it does it ("Would you add it?").
    asks_what_comes: bool,
    /// Its user does not want to be asked.
    trusts: bool,
}

impl Said {
    /// Of a plain text with these words.
    fn of(text: &str, words: Words) -> Self {
        let mut said = Self::default();
        // Most requests have none of these words.
        if ![List::Wonders, List::Intents, List::Trusts, List::Unasked].iter().any(|it| words.has(*it)) {
            return said;
        }
        for sentence in sentences(text) {
            let it = Words::of(sentence);
            said.wonders |= it.has(List::Wonders) && !it.has(List::Pleas) && is_question(sentence);
            said.asks_what_comes |= it.has(List::Intents) && (it.has(List::Opens) || it.has(List::Explains));
            said.trusts |= it.has(List::Trusts) || it.has(List::Unasked) && !it.has(List::Nots);
        }
        said
    }
}

/// Whether a call failed, by its status or, without one, by its text. An answer that is data (JSON) may have a word of
/// failure among its values (`"status": "cancelled"` after a cancellation), so one of its words must be of an error.
pub(super) fn has_failed(result: &ToolResult) -> bool {
    let text = &*result.text;
    let says_so = || {
        let (head, _) = ends(text, SHOWN);
        ["rror", "fail", "xception"].iter().any(|word| head.contains(word))
    };
    let is_data = text.trim_start().starts_with(['{', '[']);
    is_failure(result) && (result.status == Status::Error || !is_data || says_so())
}

/// Whether a text has a question that a yes does not answer.
pub(super) fn is_open_question(text: &str) -> bool {
    let plain = plain(text);
    // Spanish says "or" as Portuguese says "the".
    let is_either = |it: &str| it.contains('¿') && it.contains(" o ");
    sentences(&plain).filter(|it| is_question(it)).any(|it| Words::of(it).has(List::Opens) || is_either(it))
}

/// The questions of a text, without what is said beside them.
pub(super) fn questions(text: &str) -> String {
    sentences(text).filter(|it| is_question(it)).collect()
}

fn is_question(sentence: &str) -> bool {
    search::is_question(sentence) || sentence.ends_with("か。")
}

/// Adds a file. Returns whether it was not among them, and whether the oldest one had to go.
fn push(files: &mut VecDeque<u64>, file: u64) -> (bool, bool) {
    if files.contains(&file) {
        return (false, false);
    }
    let is_full = files.len() == TOUCHED;
    if is_full {
        files.pop_front();
    }
    files.push_back(file);
    (true, is_full)
}

/// Both ends of a text, which may be all of it.
fn ends(text: &str, length: usize) -> (&str, &str) {
    if text.len() <= 2 * length {
        return (text, "");
    }
    (&text[..text.floor_char_boundary(length)], &text[text.ceil_char_boundary(text.len() - length)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t1_questions_that_a_yes_does_not_answer_are_known_in_many_languages() {
        for question in [
            "Wessen Name soll darunter stehen?",
            "署名はどなたのお名前にしますか？",
            "누구에게 보낼까요?",
            "Kto będzie to czytał?",
            "Kdy to má být hotové?",
            "Хто це читатиме?",
            "Ne zaman lazım?",
            "Cine va citi rezultatul?",
            "När ska det vara klart?",
            "Hvem skal læse det?",
            "Milloin sen pitää olla valmis?",
            "Meddig kell kész lennie?",
            "Πότε πρέπει να είναι έτοιμο;",
            "متى يجب أن يكون جاهزًا؟",
            "עד מתי זה נחוץ?",
            "इसे कौन पढ़ेगा?",
            "এটা কে পড়বে?",
            "Bao lâu nữa thì cần xong?",
            "Siapa yang akan membacanya?",
            "Nani atasoma matokeo?",
            "ใครจะอ่านผลลัพธ์?",
        ] {
            assert!(is_open_question(question), "{question}");
        }
        for question in [
            "Czy mam zacząć?",
            "Mám začít?",
            "Başlayayım mı?",
            "Să încep?",
            "Ska jag börja?",
            "Aloitanko?",
            "Kezdjem?",
            "Να ξεκινήσω;",
            "هل أبدأ؟",
            "להתחיל?",
            "क्या मैं शुरू करूँ?",
            "আমি কি শুরু করব?",
            "Tôi bắt đầu nhé?",
            "Saya mulai, ya?",
            "Nianze?",
            "เริ่มเลยไหม?",
        ] {
            assert!(!is_open_question(question), "{question}");
        }
    }

    #[test]
    fn t3_a_request_to_be_asked_is_known_in_many_languages() {
        for request in [
            "Demande-moi ce qu'il te faut.",
            "Chiedimi quello che ti serve.",
            "Me pergunte o que precisar.",
            "Stel mij eerst je vragen.",
            "Ptej se mě, na co potřebuješ.",
            "必要なことを聞いてください。",
            "필요한 것은 먼저 물어보세요.",
            "שאל אותי מה שצריך לדעת.",
            "যা জানা দরকার আমাকে জিজ্ঞেস করো।",
            "Niulize unachohitaji kujua.",
            "ถามฉันก่อนว่าต้องรู้อะไร",
        ] {
            let mut asked = Request::default();
            asked.begin(&request.into());
            assert!(asked.wants_questions, "{request}");
        }
    }
}
