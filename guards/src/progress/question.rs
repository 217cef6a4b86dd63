//! Whether two calls ask the same in other words: the same words in another order, in another form, with a word more
//! that says nothing.
//!
//! A search that found nothing finds nothing either with its words turned round, in capitals, in quotes, or with an
//! ending more (`price`, `prices`). Another word is another question, and so is a question with fewer words: names that
//! are tried one by one rule each other out. A question with one or two words more asks the same, if the one before it
//! had exactly the words: after "hotel Bremen", a "please hotel Bremen" says nothing new, but after "hotel Bremen
//! Krone", a "hotel Bremen Adler" does.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::arguments::{beginning, save_beginning};
use balk_contract::ToolCall;

/// Words of one text, beyond which it is no question.
const WORDS: usize = 32;
/// Words that may be more in the same question, and in the same command.
const FILLERS: usize = 2;
const MORE: usize = 8;
/// Letters that two forms of a word have in common at least, and letters of one that may be an ending.
const STEM: usize = 4;
const ENDING: usize = 1;
/// Questions of one row that are remembered, the newest last.
const QUESTIONS: usize = 4;

/// The questions of a row of calls of one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Questions {
    asked: Vec<Question>,
    /// The newest call asked the last of them, in just its words.
    is_exact: bool,
    #[serde(serialize_with = "save_beginning")]
    newest: Arc<str>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Question {
    #[serde(serialize_with = "save_beginning")]
    arguments: Arc<str>,
    seen: u32,
    turn: u64,
}

impl Questions {
    /// Begins a row with this call.
    pub(super) fn begin(&mut self, call: &ToolCall, turn: u64) {
        self.asked.clear();
        self.add(call, turn);
    }

    /// Folds a call of the row.
    pub(super) fn asked(&mut self, call: &ToolCall, turn: u64) {
        // Equal calls are for other rules.
        if self.newest == call.arguments {
            return;
        }
        let Some((at, is_exact)) = self.find(&call.arguments) else { return self.add(call, turn) };
        let mut question = self.asked.remove(at);
        question.seen = question.seen.saturating_add(u32::from(question.turn != turn));
        question.turn = turn;
        self.asked.push(question);
        (self.is_exact, self.newest) = (is_exact, call.arguments.clone());
    }

    /// Whether any was asked more than once.
    pub(super) fn are_again(&self) -> bool {
        self.asked.iter().any(|it| it.seen > 1)
    }

    /// How often this call's question was asked, and when last, if it is asked in other words now.
    pub(super) fn again(&self, call: &ToolCall) -> Option<(u32, u64)> {
        if self.asked.is_empty() || self.newest == call.arguments {
            return None;
        }
        let (at, _) = self.find(&call.arguments)?;
        Some((self.asked[at].seen, self.asked[at].turn))
    }

    fn add(&mut self, call: &ToolCall, turn: u64) {
        if self.asked.len() == QUESTIONS {
            self.asked.remove(0);
        }
        self.asked.push(Question { arguments: call.arguments.clone(), seen: 1, turn });
        (self.is_exact, self.newest) = (true, call.arguments.clone());
    }

    /// Which of the questions this is, and whether in just its words.
    fn find(&self, arguments: &str) -> Option<(usize, bool)> {
        let words = words(beginning(arguments))?;
        let own = |it: &Question| Some(differences(&self::words(beginning(&it.arguments))?, &words));
        let exact = self.asked.iter().rposition(|it| own(it).is_some_and(|it| it.are_none()));
        let more = || {
            let last = self.asked.last().filter(|_| self.is_exact)?;
            own(last).filter(|it| it.lacks == 0 && it.more <= FILLERS && !it.has_number)?;
            Some((self.asked.len() - 1, false))
        };
        exact.map(|at| (at, true)).or_else(more)
    }
}

/// Whether one of two commands has all the words of the other, and few more.
pub(super) fn is_same_command(before: &str, after: &str) -> bool {
    let (Some(before), Some(after)) = (words(before), words(after)) else { return false };
    let Differences { lacks, more, .. } = differences(&before, &after);
    lacks.min(more) == 0 && lacks.max(more) <= MORE
}

/// How the words of a text differ from those of the one before it.
struct Differences {
    /// Words that it lacks, and words that it has more.
    lacks: usize,
    more: usize,
    /// Whether one of those has a digit in it.
    has_number: bool,
}

impl Differences {
    fn are_none(&self) -> bool {
        self.lacks == 0 && self.more == 0
    }
}

fn differences(before: &[Cow<'_, str>], after: &[Cow<'_, str>]) -> Differences {
    let lacks = |words: &[Cow<'_, str>], word: &str| !words.iter().any(|it| is_form(word, it));
    let more = || after.iter().filter(|it| lacks(before, it));
    Differences {
        lacks: before.iter().filter(|it| lacks(after, it)).count(),
        more: more().count(),
        has_number: more().any(|it| it.bytes().any(|byte| byte.is_ascii_digit())),
    }
}

/// The words of a text in small letters, each once; `None` if there are too many. In scripts without blanks, each sign
/// that is a word is one, and so is what compares in a condition (`<`).
fn words(text: &str) -> Option<Vec<Cow<'_, str>>> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if is_sign(first) => first.len_utf8(),
            _ if first.is_alphanumeric() => {
                let ascii = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
                let ends = |c: char| is_sign(c) || !c.is_alphanumeric();
                rest[ascii..].find(ends).map_or(rest.len(), |more| ascii + more)
            }
            _ => {
                rest = &rest[first.len_utf8()..];
                continue;
            }
        };
        let (word, behind) = rest.split_at(length);
        let word = in_small_letters(word);
        if !words.contains(&word) {
            words.push(word);
        }
        if words.len() > WORDS {
            return None;
        }
        rest = behind;
    }
    Some(words)
}

fn is_sign(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '<' | '>' | '=' | '!')
}

fn in_small_letters(word: &str) -> Cow<'_, str> {
    let is_small = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if word.bytes().all(is_small) { word.into() } else { word.chars().flat_map(char::to_lowercase).collect() }
}

/// Whether two words are one in two forms: the shorter one, but for an ending, begins the longer one.
fn is_form(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let has_digit = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    if same < STEM {
        return false;
    }
    let shorter = one.chars().count().min(other.chars().count());
    same + ENDING >= shorter && !has_digit(one) && !has_digit(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often the last of these is asked so far.
    fn seen(texts: &[&str]) -> u32 {
        let mut questions = Questions::default();
        let call = |text: &str| {
            let arguments = serde_json::json!({ "q": text }).to_string();
            let raw =
                balk_contract::RawCall { id: "1".into(), tool: "search".into(), arguments: arguments.into() };
            ToolCall::new(raw, &balk_contract::Offer::default())
        };
        questions.begin(&call(texts[0]), 1);
        for (turn, text) in (2..).zip(&texts[1..]) {
            questions.asked(&call(text), turn);
        }
        questions.asked.last().map_or(0, |it| it.seen)
    }

    #[test]
    fn the_same_words_ask_the_same_in_any_order_and_form() {
        assert_eq!(seen(&["Ann Miller", "Miller Ann", "\"Ann Miller\"", "ANN MILLER", "Mrs Ann Miller"]), 5);
        assert_eq!(seen(&["price of the ticket", "the price of tickets", "Tickets: the prices of"]), 3);
        assert_eq!(seen(&["билет в музей", "музей билеты в"]), 2);
        assert_eq!(seen(&["博物館 料金", "料金 博物館", "博物館の料金"]), 3);
    }

    #[test]
    fn another_word_or_one_less_asks_something_else() {
        assert_eq!(
            seen(&["hotel Bremen", "hotel Bremen Adler", "hotel Bremen Krone", "hotel Bremen Post"]),
            1
        );
        assert_eq!(seen(&["Meyer", "Meier", "Maier", "Mayer"]), 1);
        assert_eq!(seen(&["Schmidt", "Schmitt", "Schmied"]), 1);
        assert_eq!(seen(&["Ann Miller", "Miller", "Ann"]), 1);
        assert_eq!(seen(&["order", "order 4711", "order 4712"]), 1);
        assert_eq!(seen(&["東京", "京都"]), 1);
        assert_eq!(seen(&["where a > 3", "where a < 3", "where a = 3"]), 1);
    }

    #[test]
    fn a_command_with_more_words_or_fewer_is_the_same_command() {
        let is_same = |one: &str, other: &str| is_same_command(one, other);
        assert!(is_same("make integration", "cd . && env CI=1 make integration 2>&1"));
        assert!(is_same("npm run dev", "npx npm run-script dev -- --port 5173"));
        assert!(is_same("make -B all", "make all"));
        assert!(!is_same("make all", "make docs"));
        assert!(!is_same("make all", "docker info"));
    }
}
