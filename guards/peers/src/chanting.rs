//! Text that repeats itself, by the rule of gemini-cli (5411f113ca; `docs/peers.md#chanting`).
//!
//! A window of 50 characters slides over the last 5,000. The text chants if one window occurs at least ten times, the
//! last ten at most 250 characters apart on average, with at most five different texts between them. The last
//! condition exempts lists of different things that begin alike. Code in fences is ignored, and a fence, a table, a
//! list item, a heading, a quote or a dividing line begins anew; a dividing line itself is passed over.
//!
//! The product reads pieces of a stream, whose bounds no transcript has. Here each line of each text is a piece. Two of
//! its character classes have unintended ranges, and the rule here keeps them: `- ` begins no list item, and
//! capitals, digits and most punctuation divide.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

const WINDOW_CHARS: usize = 50;
const HISTORY_CHARS: usize = 5_000;
const TIMES: usize = 10;
const APART_CHARS: usize = 250;
const DIFFERENT: usize = 5;
/// Characters before the window that a report of it shows.
const BEFORE_CHARS: usize = 20;

/// The text since the last call, structure or prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Chant {
    text: String,
    /// How many windows of the text have been looked at.
    seen: usize,
    is_code: bool,
    /// Whether the last window that was looked at chants: the product looks at it again with the next piece.
    is_at: bool,
}

impl Chant {
    /// Begins anew, as a tool call does.
    pub(super) fn reset(&mut self) {
        *self = Self { is_code: self.is_code, ..Self::default() };
    }

    /// Reads more text; returns where it chants, if it does.
    pub(super) fn read(&mut self, text: &str) -> Option<String> {
        let found = text.split_inclusive('\n').find_map(|piece| self.piece(piece));
        found.or_else(|| self.find())
    }

    /// Takes one piece; the text is looked at when it ends, or when a piece begins anew.
    fn piece(&mut self, piece: &str) -> Option<String> {
        let line = piece.strip_suffix('\n').unwrap_or(piece);
        let fences = piece.matches("```").count();
        let divides = !line.is_empty() && line.chars().all(is_divider);
        if fences > 0 || divides || is_structure(piece) {
            if !self.is_at
                && let Some(found) = self.find()
            {
                return Some(found);
            }
            self.reset();
        }
        let was_code = self.is_code;
        self.is_code ^= fences % 2 == 1;
        if was_code || self.is_code || divides {
            return None;
        }
        self.text.push_str(piece);
        if self.is_at { self.find() } else { None }
    }

    /// Forgets what is too old.
    fn cut(&mut self) {
        let chars = self.text.chars().count();
        let Some(too_many) = chars.checked_sub(HISTORY_CHARS).filter(|it| *it > 0) else { return };
        let at = self.text.char_indices().nth(too_many).map_or(0, |(at, _)| at);
        self.text.drain(..at);
        self.seen = self.seen.saturating_sub(too_many);
    }

    fn find(&mut self) -> Option<String> {
        let starts: Vec<usize> =
            self.text.char_indices().map(|(at, _)| at).chain([self.text.len()]).collect();
        let windows = starts.len().saturating_sub(WINDOW_CHARS);
        if windows <= self.seen {
            return None;
        }
        let span = |from: usize, to: usize| &self.text[starts[from]..starts[to]];
        let shown =
            |from: usize| span(from.saturating_sub(BEFORE_CHARS), from + WINDOW_CHARS).trim().to_owned();
        if self.is_at {
            return Some(shown(self.seen));
        }
        let mut places: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
        for from in 0..windows {
            let of_this = places.entry(span(from, from + WINDOW_CHARS)).or_default();
            of_this.push_back(from);
            while of_this.len() > TIMES || of_this[0] + HISTORY_CHARS < from + WINDOW_CHARS {
                of_this.pop_front();
            }
            if from < self.seen || of_this.len() < TIMES || from - of_this[0] > APART_CHARS * (TIMES - 1) {
                continue;
            }
            let after = of_this.iter().skip(1);
            let between: BTreeSet<&str> =
                of_this.iter().zip(after).map(|(from, to)| span(*from, *to)).collect();
            if between.len() <= DIFFERENT {
                let sample = shown(from);
                (self.seen, self.is_at) = (from, true);
                self.cut();
                return Some(sample);
            }
        }
        self.seen = windows;
        self.cut();
        None
    }
}

/// `[+-_=*\u2500-\u257F]`, in which `+-_` is a range.
fn is_divider(c: char) -> bool {
    matches!(c, '*' | '+'..='_' | '\u{2500}'..='\u{257F}')
}

/// A row of a table, a list item, a heading, a quote.
fn is_structure(piece: &str) -> bool {
    let marked = |text: &str, mark: &[char]| {
        text.strip_prefix(mark).is_some_and(|it| it.starts_with(char::is_whitespace))
    };
    let begins = piece.trim_start();
    let is_row = begins.strip_prefix('|').is_some_and(|rest| rest.lines().next().unwrap_or("").contains('|'))
        || begins.chars().take_while(|c| "|+-".contains(*c)).count() >= 3;
    let number = begins.trim_start_matches(|c: char| c.is_ascii_digit());
    // `[*-+]` is a range of two characters: a dash is not among them.
    let is_item = marked(begins, &['*', '+']) || (number.len() < begins.len() && marked(number, &['.']));
    let title = piece.trim_start_matches('#');
    let is_title = title.len() < piece.len() && title.starts_with(char::is_whitespace);
    is_row || is_item || is_title || marked(piece, &['>'])
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    const SENTENCE: &str = "I will now look at the file and then I will go on. ";

    fn chants(text: &str) -> bool {
        Chant::default().read(text).is_some()
    }

    fn lines(shared: &str, count: usize) -> String {
        (0..count).fold(String::new(), |mut all, n| {
            write!(all, "{shared}{}", char::from(b'a' + u8::try_from(n).expect("few")).to_string().repeat(9))
                .expect("writing to a string never fails");
            all
        })
    }

    #[test]
    fn the_tenth_time_is_chanting() {
        assert!(!chants(&SENTENCE.repeat(9)));
        assert!(chants(&SENTENCE.repeat(11)));
    }

    #[test]
    fn a_pattern_longer_than_the_window_is_found() {
        let pattern = lines("So I read the next part of the plan: ", 3);
        assert!(pattern.len() > 130, "about three windows");
        assert!(chants(&pattern.repeat(11)));
    }

    #[test]
    fn different_things_that_begin_alike_are_not() {
        let list = lines("The following file has been moved to the new folder: ", 20);
        assert!(!chants(&list));
    }

    #[test]
    fn far_apart_is_not() {
        let filler = |n: usize| lines(&format!("{n} is another number than before, "), 11);
        let text: String = (0..12).map(|n| format!("{SENTENCE}{}", filler(n))).collect();
        assert!(text.len() > 12 * 400);
        assert!(!chants(&text));
    }

    #[test]
    fn code_and_lists_are_not_and_a_dash_makes_no_list() {
        assert!(!chants(&format!("```\n{}\n```\n", SENTENCE.repeat(20))));
        assert!(!chants(&format!("* {SENTENCE}\n").repeat(20)));
        assert!(!chants(&format!("12. {SENTENCE}\n").repeat(20)));
        assert!(chants(&format!("- {SENTENCE}\n").repeat(20)));
        assert!(chants(&format!("{SENTENCE}\n").repeat(20)));
    }

    #[test]
    fn text_of_two_replies_is_one_text_and_what_was_found_is_found_again() {
        let mut chant = Chant::default();
        assert_eq!(chant.read(&SENTENCE.repeat(6)), None);
        let found = chant.read(&SENTENCE.repeat(6)).expect("twelve times");
        assert!(found.contains("look at the file"), "{found}");
        assert!(chant.read("So.").is_some());
        chant.reset();
        assert_eq!(chant.read("So."), None);
    }
}
