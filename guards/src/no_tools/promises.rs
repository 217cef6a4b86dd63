//! Promises of the same step, in any language: the user urges, and the model says much the same again.
//!
//! Of a promise in a language without a vocabulary, this much can be seen: it is short, asks nothing, and has hardly a
//! word that the request or the texts before it did not have. A tutor, a story or small talk says something new each
//! time or takes up what the user said, an interview asks, and a model that cannot do it says so. The user gives
//! nothing new in between: what they say would be a nudge without the words of their request ("Ticket 17 is still
//! open").

use serde::{Deserialize, Serialize};

use super::dispute::is_excused;
use super::instead::{CHARS, Instead};
use super::telling::{Message, digest, digests, is_long_value, is_value};
use crate::search::QUESTION_MARKS;
use balk_contract::nudge::{is_brief, is_closing, is_nudge, is_short};
use balk_contract::wording::is_longer;

/// Texts in a row, each after the user urged, of which the last is a mistake.
const ROW: u8 = 3;
/// Of these and the text before them, how many have a word of the request.
const ROOTED: u8 = 2;
/// A text is like those before it if one of so many of its telling words is known.
const KNOWN: usize = 3;
/// Words that are remembered.
const WORDS: usize = 128;

/// What the user asked for, and what the model said since, without a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Promises {
    /// Telling words of the request.
    request: Vec<u64>,
    /// The same of the request before it, if it follows a text of the model: what comes again was no request.
    earlier: Vec<u64>,
    /// The same of the texts since.
    said: Vec<u64>,
    /// Whether the user urged after the last text.
    urged: bool,
    /// The telling words of it that were new.
    given: Vec<u64>,
    /// Texts in a row that were alike, each after the user urged.
    row: u8,
    /// Texts that had a word of the request.
    rooted: u8,
}

impl Promises {
    /// The user speaks, after a text of the model that did this, or after something else.
    pub(super) fn hear(&mut self, message: &Message<'_>, after: Option<Instead>, is_again: bool) {
        let text = message.text;
        if after == Some(Instead::Asks) && is_short(text) {
            // An answer belongs to the request.
            let room = WORDS.saturating_sub(self.request.len());
            self.request.extend(message.digests().take(room));
            self.act();
            return;
        }
        let is_reply = after.is_some() && !self.request.is_empty();
        self.urged = is_reply && (is_again || self.is_urging(text));
        if !self.urged {
            let request = message.digests().collect();
            let earlier = if is_reply { std::mem::take(&mut self.request) } else { Vec::new() };
            *self = Self { request, earlier, ..Self::default() };
        } else {
            if is_again && !self.earlier.is_empty() {
                self.returns_to_the_earlier();
            }
            let is_new = |word: &u64| !self.request.contains(word) && !self.said.contains(word);
            self.given = message.digests().filter(is_new).take(WORDS).collect();
        }
    }

    /// Whether a message has nothing that the request had not.
    fn is_urging(&self, text: &str) -> bool {
        let text = text.trim();
        let asked = text.trim_end_matches(QUESTION_MARKS).trim_end_matches(['!', '！']);
        let text = if is_brief(asked) { asked } else { text };
        if is_nudge(text) {
            return true;
        }
        if !is_short(text) || is_closing(text) {
            return false;
        }
        let is_known = |word: &&str| {
            let words = digests(word);
            !words.is_empty() && words.iter().all(|it| self.request.contains(it))
        };
        let rest: Vec<&str> = text.split_whitespace().filter(|word| !is_known(word)).collect();
        rest.is_empty() || is_nudge(&rest.join(" "))
    }

    /// Whether the user has said the telling words of this message before: all, or all values and all but one of
    /// several words ("As I said: four people, Friday"), or all but two beside a long value ("You have it already:
    /// 448120").
    pub(super) fn knows(&self, message: &Message<'_>) -> bool {
        let is_known = |word: &&str| self.request.contains(&digest(word));
        let (known, unknown): (Vec<&str>, Vec<&str>) = message.words.iter().partition(|word| is_known(word));
        let has_long_value = || known.iter().any(|it| is_long_value(it));
        let is_enough = match unknown.len() {
            0 => !known.is_empty(),
            1 => known.len() > 1 || has_long_value(),
            2 => has_long_value(),
            _ => false,
        };
        is_enough && !unknown.iter().any(|it| is_value(it))
    }

    /// Whether the request has this telling word.
    pub(super) fn asked_for(&self, word: u64) -> bool {
        self.request.contains(&word)
    }

    /// A tool was called.
    pub(super) fn act(&mut self) {
        self.said.clear();
        (self.row, self.rooted, self.urged) = (0, 0, false);
    }

    /// The request was only what a harness says each time. The text after it may be alike as well.
    fn returns_to_the_earlier(&mut self) {
        self.request = std::mem::take(&mut self.earlier);
        self.rooted = u8::from(self.said.iter().any(|it| self.request.contains(it)));
        self.row = self.rooted;
    }

    /// The model says this in place of a call.
    pub(super) fn say(&mut self, text: &str, instead: Instead) {
        let may_promise = || match instead {
            Instead::Reports | Instead::Claims | Instead::Announces => {
                !is_longer(text, CHARS) && !text.contains('\n') && !is_excused(text)
            }
            Instead::PrintsCall | Instead::Denies | Instead::ShowsCode | Instead::Lists | Instead::Asks => {
                false
            }
        };
        if self.request.is_empty() || !may_promise() {
            self.act();
            return;
        }
        let words = digests(text);
        let is_of_request = |word: &u64| self.request.contains(word);
        let is_known = |it: &&u64| is_of_request(it) || self.said.contains(it);
        let known = words.iter().filter(is_known).count();
        let is_alike = !words.is_empty() && known * KNOWN >= words.len();
        let is_rooted = words.iter().any(is_of_request);
        self.rooted = self.rooted.saturating_add(u8::from(is_rooted));
        match (self.urged, is_alike) {
            // It answers what the user said.
            (true, _) if words.iter().any(|it| self.given.contains(it)) => {}
            (true, true) => self.row = self.row.saturating_add(1),
            (true, false) if !is_rooted => self.row = 0,
            (true | false, false) | (false, true) => {}
        }
        let room = WORDS.saturating_sub(self.said.len());
        self.said.extend(words.into_iter().take(room));
    }

    /// Whether the last text is one too many.
    pub(super) fn is_too_many(&self) -> bool {
        self.urged && self.row >= ROW && self.rooted >= ROOTED
    }
}
