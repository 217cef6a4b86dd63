//! Whether a text without a call is a mistake where text may end the task: what the transcript says against it.

use super::NoTools;
use super::instead::{CHARS, Instead, admits, denies_tools};
use super::request::{is_open_question, questions};
use super::telling::{digest, digests, has_long_value, is_value, telling};
use super::vocabulary::{List, has_any};
use crate::acknowledgement::says_it_cannot;
use crate::announcement::{self, Announcement};
use crate::call_memory::says_again;
use crate::files::files;
use crate::search::has_question_mark;
use crate::showing::asks_to_see;
use balk_contract::identity;
use balk_contract::nudge::{is_answer, takes_up};
use balk_contract::wording::is_longer;
use std::cmp::Ordering;
use std::sync::Arc;

/// Nudges in a row after which a text without a call is a mistake, whatever it says.
const NUDGES: u32 = 2;

impl NoTools {
    /// Whether this is a mistake where text may end the task.
    pub(super) fn is_out_of_place(&self, instead: Instead, text: &str) -> bool {
        let request = &self.state.request;
        // Who has tried, and says again that it cannot be done, answers the question.
        let is_honest =
            instead == Instead::Reports && request.acted && says_it_cannot(text) && !self.is_told_to_try();
        let repeats = (self.is_urged(instead, text) || self.state.corrections > 0) && self.has_said(text);
        !is_honest && (repeats || self.ignores_nudges(instead, text))
            || self.does_the_same(instead, text)
            || self.asks_what_was_answered(instead, text)
            || self.is_contradicted(instead, text)
            || self.state.dispute.is_made_again()
            || self.promises_again()
    }

    /// Whether the user told the model twice to try again, with no call in between: then it is to try, whatever it
    /// thinks of it.
    fn is_told_to_try(&self) -> bool {
        self.state.nudges >= NUDGES && self.state.nudge.as_ref().is_some_and(|nudge| says_again(nudge))
    }

    /// Whether the user nudged the model on twice, with no call in between, though what the request names is still
    /// open. A long text may be what the user wants to see, part by part, and so are words that they asked for.
    fn ignores_nudges(&self, instead: Instead, text: &str) -> bool {
        let state = &self.state;
        let is_short = || instead == Instead::ShowsCode || !is_longer(text, CHARS);
        let is_shown =
            || state.nudge.as_ref().is_some_and(|nudge| asks_to_see(nudge) || has_any(nudge, List::Rewords));
        let is_next = || instead == Instead::Asks && self.interviews(text);
        let is_due = state.nudges >= NUDGES && state.changes && is_short() && !is_next();
        is_due && !is_shown() && !state.request.wants_words() && state.request.is_open(text)
    }

    /// Whether the user had to nudge the model on, and the text is no answer to what they said.
    fn is_urged(&self, instead: Instead, text: &str) -> bool {
        self.state.nudge.as_ref().is_some_and(|nudge| {
            let is_asked_for = instead == Instead::ShowsCode && asks_to_see(nudge);
            !is_asked_for && !takes_up(text, nudge, self.state.said[0].as_deref().unwrap_or_default())
        })
    }

    /// Whether the text does what the one before it did, though the user nudged the model on or it was corrected.
    fn does_the_same(&self, instead: Instead, text: &str) -> bool {
        let state = &self.state;
        let is_same = state.instead[0] == Some(instead);
        let is_untouched = || state.request.named_in(text).untouched && !admits(text);
        let after_a_nudge = is_same
            && self.is_urged(instead, text)
            && match instead {
                Instead::PrintsCall | Instead::Announces | Instead::Denies => true,
                Instead::ShowsCode => !state.request.wants_words(),
                Instead::Asks => !state.request.wants_questions && !self.interviews(text),
                Instead::Lists => self.plans_again(text),
                Instead::Claims => {
                    let nudge = state.nudge.as_deref().unwrap_or_default();
                    !state.request.called || has_any(nudge, List::Complaints) || is_untouched()
                }
                Instead::Reports => is_untouched(),
            };
        let after_a_correction = state.ignores
            && match instead {
                Instead::PrintsCall | Instead::Announces | Instead::Denies | Instead::ShowsCode => true,
                Instead::Lists => self.plans_again(text),
                Instead::Asks => is_same && !state.request.wants_questions && !self.interviews(text),
                Instead::Claims => is_same || is_untouched(),
                Instead::Reports => is_untouched(),
            };
        after_a_nudge || after_a_correction
    }

    /// Whether the text is the next question of an interview: since the last call, the user gave what an earlier
    /// question asked for, and this one asks something else. Permission is asked again in words that the user gave, in
    /// the request or in an answer, and not openly ("How …?"); an interview has the form of its questions again, with
    /// something new in it. After nothing but one yes, an open question has to end in something new, and after a value
    /// that the user had to give again, any question has.
    fn interviews(&self, text: &str) -> bool {
        let state = &self.state;
        let Some(before) = &state.said[0] else { return false };
        let lower = questions(&text.to_lowercase());
        let before = digests(before);
        let is_given = |word: &&str| state.promises.asked_for(digest(word));
        let is_new = |word: &&str| !is_given(word) && !before.contains(&digest(word));
        let words = telling(&lower);
        // The end of a question is what it is about.
        let ends_anew = || words.last().is_some_and(is_new);
        let is_open = is_open_question(text);
        if !state.gave {
            return is_open && state.nudges < NUDGES && ends_anew();
        }
        if state.nudge.as_deref().is_some_and(has_long_value) {
            return ends_anew();
        }
        if is_open || words.iter().any(|it| is_value(it) && is_new(it)) {
            return true;
        }
        let count = |is_so: &dyn Fn(&&str) -> bool| words.iter().filter(|it| is_so(it)).count();
        match count(&is_new).cmp(&count(&is_given)) {
            Ordering::Less => false,
            Ordering::Equal => ends_anew(),
            Ordering::Greater => true,
        }
    }

    /// Whether the model promises the same step again and again, though there are tools that change something.
    fn promises_again(&self) -> bool {
        let state = &self.state;
        let is_work = !state.request.wants_words() && !state.request.wants_questions;
        state.changes && is_work && state.promises.is_too_many()
    }

    /// Whether the text is a list of steps like the one before it, though none was asked for and no step was taken.
    fn plans_again(&self, text: &str) -> bool {
        let request = &self.state.request;
        let is_step = |line: &str| line.trim_start().starts_with(|c: char| c.is_ascii_digit());
        let steps = text.lines().filter(|line| is_step(line)).count();
        self.state.instead[0] == Some(Instead::Lists) && steps > 1 && !request.called && !request.wants_plan
    }

    /// Whether the text asks about the file that the last question was about, and the user said yes.
    fn asks_what_was_answered(&self, instead: Instead, text: &str) -> bool {
        let about = |before: &Arc<str>| files(text).any(|file| files(before).any(|it| it == file));
        instead == Instead::Asks && self.state.allowed.as_ref().is_some_and(about)
    }

    /// Whether the transcript contradicts the text, which is the first of its kind.
    fn is_contradicted(&self, instead: Instead, text: &str) -> bool {
        let request = &self.state.request;
        let named = || request.named_in(text);
        match instead {
            Instead::Announces => self.announces_out_of_place(text),
            Instead::PrintsCall => !request.wants_calls,
            Instead::Denies => {
                let is_meant = || !request.wants_words() || denies_tools(text);
                !request.failed && (!request.called || request.acted_on(text).untouched) && is_meant()
            }
            // A model that has tried tells what came of it.
            Instead::ShowsCode => !request.failed && !request.wants_words() && named().asked,
            Instead::Claims => {
                let may_ask = request.failed && has_question_mark(text);
                let is_false = || request.contradicts_work(text) && !admits(text);
                self.state.changes && !may_ask && (request.contradicts_change(text) || is_false())
            }
            Instead::Reports => {
                let first_words = || !request.acted && named().asked;
                let says_what_comes = || has_any(text, List::Soon) && named().untouched;
                !request.wants_words()
                    && !admits(text)
                    && (first_words() || !is_longer(text, CHARS) && says_what_comes())
            }
            Instead::Asks => request.is_allowed() && !is_open_question(text),
            Instead::Lists => false,
        }
    }

    /// Whether an announcement is no answer to what the user asked, and no closing. After a change, or where words are
    /// asked for, a sentence that names no one may tell the user what to do.
    fn announces_out_of_place(&self, text: &str) -> bool {
        let request = &self.state.request;
        let is_asked = self.state.nudge.as_ref().is_none_or(|nudge| has_question_mark(nudge));
        let is_answer = request.asks_what_comes && is_asked;
        !is_answer
            && match announcement::of(text) {
                None | Some(Announcement::Outright) => true,
                Some(Announcement::Perhaps) => !request.changed && !request.wants_words(),
                Some(Announcement::AtTheEnd) => !request.wants_words(),
            }
    }

    /// Whether the user gave the model what its last question asks for. The same words to the same question did not,
    /// nor did a long value that they had given before.
    pub(super) fn is_answered(&self, text: &str, is_again: bool) -> bool {
        let last = self.state.texts.back();
        let is_asked_again = self.state.texts.iter().filter(|it| Some(*it) == last).count() > 1;
        let is_open = self.state.said[1].as_ref().is_none_or(|it| is_open_question(it));
        !(is_again && (is_asked_again || has_long_value(text))) && is_answer(text, is_open, is_again)
    }

    /// Whether an earlier text since the request was the same. The newest one may be this text itself.
    fn has_said(&self, text: &str) -> bool {
        let key = identity(text);
        self.state.texts.iter().filter(|it| **it == key).count()
            > usize::from(self.state.texts.back() == Some(&key))
    }
}
