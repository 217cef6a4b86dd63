//! A claim that the user disputes, and that the model makes again after nothing but the same look.
//!
//! The user asks for a change, the model looks, and says that it is made. The user says that it is not; the model takes
//! the same look, gets the same answer, and says again that it is made. What it says is known by what it repeats: a
//! value of the request (a number, an address, a name with a digit, what is in quotation marks) that no call carried
//! and no answer shows, or, from the third time on, any telling word of the request. A report is another thing: it says
//! what the look showed, so it has a value of the answer. What cannot be done may be said as often as the user asks.
//!
//! A call of unknown effect that has the same answer again may be a look, or what the user asked for again ("Louder."
//! "Still too low."). It is known to be a look if the user's objection has a word that its answer shows and the request
//! has not ("I still see 8080 there"). Else words must say that the user objects, the answer must say more than that
//! something is done, and the claim must repeat a value, or say in words that are known that the model changed
//! something.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::instead::{CHARS, admits, says_it_changed};
use super::telling::{Message, digest, is_value, telling};
use super::vocabulary::{List, has_any};
use crate::acknowledgement::excuses;
use crate::change::Change;
use crate::search::has_question_mark;
use balk_contract::key::CallKey;
use balk_contract::nudge::{is_closing, is_go_ahead, is_short};
use balk_contract::wording::is_longer;
use balk_contract::{Effect, ResultKey, ToolResult};

/// Words of a request that are remembered, and the longest quotation, in characters.
const TERMS: usize = 24;
const QUOTED: usize = 40;
/// The longest objection in words that are known, in characters.
const OBJECTION: usize = 200;
/// Looks that are remembered.
const LOOKS: usize = 16;
/// The longest arguments and results, in bytes, that are searched. What is longer may have any word.
const ARGUMENTS: usize = 512;
const RESULT: usize = 4_096;
/// Values of answers that are remembered.
const SHOWN: usize = 64;
/// Claims in a row after which any telling word counts.
const CLAIMS: u8 = 3;
/// Telling words of an answer that says more than that something is done.
const RICH: usize = 3;

/// What the request names, what the model says of it, and what its calls saw.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Dispute {
    /// Telling words of the request that no call carried and no answer showed.
    terms: Vec<Term>,
    /// All telling words of the request.
    request: Vec<u64>,
    /// The last calls since the request, each with its answer.
    looks: VecDeque<(CallKey, ResultKey)>,
    /// Whether one of the last claims in a row said that the model changed something.
    changed: bool,
    /// Claims in a row with nothing but looks in between.
    claims: u8,
    heard: Heard,
    /// The telling words of what the user said last, but for those of the request.
    stated: Vec<u64>,
    /// Whether a call of the request has shown what the user stated.
    is_look: bool,
    /// Whether a call of this round had an answer that says something.
    is_rich: bool,
    /// What the calls since the user's last message did.
    round: Round,
    /// Values in their answers, if there was an objection.
    shown: Vec<u64>,
    /// Whether the last text is such a claim.
    is_made_again: bool,
}

/// A telling word of the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Term {
    word: String,
    is_value: bool,
    /// Whether the last text has it.
    said: bool,
}

/// What the user said to a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Heard {
    #[default]
    Nothing,
    /// A statement, which may be an objection.
    Statement,
    /// An objection, by its words.
    Complaint,
}

/// What the calls of a round did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Round {
    /// There was none.
    #[default]
    Empty,
    /// They only read, or failed.
    Looked,
    /// One of unknown effect was made before and had the same answer.
    Repeated,
    /// One may have changed something.
    Moved,
}

/// What two texts in a row have of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Again {
    Word,
    Value,
}

impl Dispute {
    /// The user speaks, after a text of the model or after something else.
    pub(super) fn hear(&mut self, message: &Message<'_>, after_text: bool) {
        let text = message.text;
        (self.round, self.is_made_again) = (Round::Empty, false);
        self.is_rich = false;
        self.shown.clear();
        self.stated.clear();
        let complains = !is_longer(text, OBJECTION) && has_any(text, List::Complaints);
        let may_object = is_short(text) || complains;
        if !(after_text && self.claims > 0 && may_object && !is_closing(text)) {
            let request = message.digests().take(TERMS).collect();
            *self = Self { terms: terms(message), request, ..Self::default() };
            return;
        }
        self.heard = match complains {
            true => Heard::Complaint,
            false if is_go_ahead(text) || has_question_mark(text) => Heard::Nothing,
            false => Heard::Statement,
        };
        if self.heard != Heard::Nothing {
            self.stated.extend(message.digests().filter(|it| !self.request.contains(it)));
        }
    }

    /// A call has a result.
    pub(super) fn observe(&mut self, result: &ToolResult) {
        let call = &result.call;
        let look = (call.key, result.text.key());
        let is_known = || self.looks.contains(&look);
        let round = match Change::of(result) {
            Change::Nothing => Round::Looked,
            Change::Possible if is_known() => Round::Repeated,
            Change::Possible if self.heard == Heard::Nothing && !call.seems_to_write(&result.text) => {
                Round::Looked
            }
            Change::Possible | Change::Known => Round::Moved,
        };
        self.round = self.round.max(round);
        if self.terms.is_empty() && !self.changed {
            return;
        }
        if !is_known() {
            if self.looks.len() == LOOKS {
                self.looks.pop_front();
            }
            self.looks.push_back(look);
        }
        if call.effect != Effect::ReadOnly {
            self.forget_those_in(&call.arguments, ARGUMENTS);
        }
        if self.heard != Heard::Nothing {
            self.sees(&result.text);
        }
    }

    /// An answer after the user's statement.
    fn sees(&mut self, answer: &str) {
        self.forget_those_in(answer, RESULT);
        if answer.len() > RESULT {
            self.is_rich = true;
            return;
        }
        let lower = answer.to_lowercase();
        let words = telling(&lower);
        self.is_rich |= words.len() >= RICH;
        self.is_look |= words.iter().any(|word| self.stated.contains(&digest(word)));
        let room = SHOWN.saturating_sub(self.shown.len());
        self.shown.extend(words.into_iter().filter(|it| is_value(it)).take(room).map(digest));
    }

    /// What a call carries or shows is no empty word any more.
    fn forget_those_in(&mut self, text: &str, bytes: usize) {
        if text.len() > bytes || text.contains("\\u") {
            self.terms.clear();
        } else if !self.terms.is_empty() {
            let text = text.to_lowercase();
            self.terms.retain(|it| !text.contains(&it.word));
        }
    }

    /// The model says this in place of a call.
    pub(super) fn say(&mut self, text: &str) {
        let is_readable = !is_longer(text, CHARS) && !has_question_mark(text);
        let changed = is_readable && says_it_changed(text);
        // Where nothing was asked for in words, only a change can be a claim, and most texts say none.
        if !is_readable || self.terms.is_empty() && !changed || is_excused(text) {
            (self.claims, self.changed, self.is_made_again) = (0, false, false);
            return;
        }
        let lower = text.to_lowercase();
        let words = telling(&lower);
        let (says, again) = self.repeats(&lower, &words);
        let changed_again = changed && self.changed;
        let is_still = self.heard != Heard::Nothing && matches!(self.round, Round::Looked | Round::Repeated);
        let is_again = is_still && (again.is_some() || changed_again);
        self.claims = match self.round {
            Round::Moved => 0,
            Round::Empty | Round::Looked | Round::Repeated if is_again => self.claims.saturating_add(1),
            Round::Empty | Round::Looked | Round::Repeated => u8::from(says || changed),
        };
        self.changed = self.claims > 0 && (self.changed || changed);
        let complains = self.heard == Heard::Complaint;
        let only_looked = self.is_look || self.round == Round::Looked;
        let is_new = |word: &&&str| is_value(word) && !self.request.contains(&digest(word));
        let has_news = || words.iter().any(|it| is_new(&it));
        let reports = || words.iter().filter(is_new).any(|it| self.shown.contains(&digest(it)));
        let is_disputed = complains && (only_looked || self.is_rich);
        let is_denied = only_looked && (complains || self.is_look) && self.claims >= CLAIMS;
        self.is_made_again = is_still
            && match again {
                _ if changed_again && (only_looked || is_disputed) => true,
                Some(Again::Value) => is_disputed || only_looked && !reports() || is_denied && !has_news(),
                Some(Again::Word) => is_denied && !has_news(),
                None => false,
            };
    }

    /// Whether a text has a telling word of the request, and which kind of them the one before it had as well.
    fn repeats(&mut self, text: &str, words: &[&str]) -> (bool, Option<Again>) {
        let (mut says, mut again) = (false, None);
        for term in &mut self.terms {
            let is_said = term.is_in(text, words);
            let was_said = std::mem::replace(&mut term.said, is_said);
            says |= is_said;
            if is_said && was_said {
                again = again.max(Some(if term.is_value { Again::Value } else { Again::Word }));
            }
        }
        (says, again)
    }

    /// Whether the model's last text is a claim that the user disputed, made again after the same look.
    pub(super) fn is_made_again(&self) -> bool {
        self.is_made_again
    }
}

impl Term {
    fn is_in(&self, text: &str, words: &[&str]) -> bool {
        let is_one_of_them = self.word.chars().all(char::is_alphanumeric) && is_value(&self.word);
        words.contains(&&*self.word) || self.is_value && !is_one_of_them && text.contains(&self.word)
    }
}

/// The telling words of a request in small letters, what it quotes, and names such as addresses and files.
fn terms(Message { lower: request, words, .. }: &Message<'_>) -> Vec<Term> {
    let is_mark = |c| matches!(c, '"' | '“' | '”' | '„' | '«' | '»' | '「' | '」' | '『' | '』' | '`');
    let quoted = request.split(is_mark).skip(1).step_by(2).map(str::trim);
    let named = request.split_whitespace().map(|it| it.trim_matches(|c: char| !c.is_alphanumeric()));
    let named = named.filter(|it| it.contains(['@', '.', '/', '_']));
    let is_fit = |it: &&str| !it.is_empty() && !is_longer(it, QUOTED);
    let quoted = quoted.chain(named).filter(is_fit).map(|it| (it, true));
    // One digit counts many things.
    let words = words.iter().map(|it| (*it, is_value(it) && is_longer(it, 1)));
    let mut terms: Vec<Term> = Vec::new();
    for (word, is_value) in quoted.chain(words) {
        if terms.len() < TERMS && !terms.iter().any(|it| it.word == word) {
            terms.push(Term { word: word.to_owned(), is_value, said: false });
        }
    }
    terms
}

/// Whether a text says that something was not done, or why.
pub(super) fn is_excused(text: &str) -> bool {
    excuses(text) || admits(text)
}
