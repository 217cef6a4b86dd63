//! Text that repeats itself, by the rule of gemini-cli (5411f113ca; `docs/peers.md#chanting`).
//!
//! A window of 50 characters slides over the last 5,000. The text chants if one window occurs at least ten times, the
//! last ten at most 250 characters apart on average, with at most five different texts between them. The last
//! condition exempts lists of different things that begin alike. Code in fences is ignored, and a fence, a table, a
//! list item, a heading, a quote or a dividing line begins anew; a dividing line itself is passed over.
//!
//! After a detection the product looks at the same window once more, and so counts it twice. That is mostly a second
//! detection; it is none if the empty text between the two is one different text too many.
//!
//! The product reads pieces of a stream, whose bounds no transcript has. Here each line of each text is a piece, with
//! its line break, so that only the last line of a text can be a dividing line. Two of the product's character classes
//! have unintended ranges, and the rule here keeps them: `- ` begins no list item, and capitals, digits and most
//! punctuation divide. Characters are those of Unicode; the product counts one beyond the first 65,536 twice.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::mem::take;

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
    /// Where it chanted: windows that count once more.
    again: Vec<usize>,
    is_code: bool,
}

impl Chant {
    /// Begins anew, as a tool call does.
    pub(super) fn reset(&mut self) {
        *self = Self { is_code: self.is_code, ..Self::default() };
    }

    /// Reads more text; returns where it chants, if it does. What comes after that is not read.
    pub(super) fn read(&mut self, text: &str) -> Option<String> {
        let mut ends = Vec::new();
        for piece in text.split_inclusive('\n') {
            let fences = piece.matches("```").count();
            let divides = piece.chars().all(is_divider);
            if fences > 0 || divides || is_structure(piece) {
                if let Some(found) = self.look(&ends) {
                    return Some(found);
                }
                ends.clear();
                self.reset();
            }
            let was_code = self.is_code;
            self.is_code ^= fences % 2 == 1;
            if !(was_code || self.is_code || divides) {
                self.text.push_str(piece);
                ends.push(self.text.len());
            }
        }
        self.look(&ends)
    }

    /// Looks at the windows of new pieces, which end at these bytes. With each piece, what is too old is forgotten.
    fn look(&mut self, ends: &[usize]) -> Option<String> {
        if ends.is_empty() {
            return None;
        }
        let (text, again) = (take(&mut self.text), take(&mut self.again));
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let span = |from: usize, to: usize| &text[starts[from]..starts[to]];
        let window = |from: usize| span(from, from + WINDOW_CHARS);
        // A state from elsewhere may name windows that the text does not have.
        let windows = starts.len().saturating_sub(WINDOW_CHARS);
        let seen = self.seen.min(windows);
        let mut looked: Vec<usize> =
            (0..seen).chain(again.iter().copied().filter(|it| *it < windows)).collect();
        looked.sort_unstable();
        let mut places: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
        for from in looked {
            places.entry(window(from)).or_default().push_back(from);
        }
        let (mut from, mut oldest, mut last, mut swept) = (seen, 0, 0, 0);
        let mut found = None;
        for end in ends {
            last = starts.binary_search(end).expect("a piece ends where a character begins");
            oldest = last.saturating_sub(HISTORY_CHARS);
            from = from.max(oldest);
            // Else a long text would take a hundred times its bytes.
            if oldest - swept >= HISTORY_CHARS {
                places.retain(|_, it| it.back().is_some_and(|it| *it >= oldest));
                swept = oldest;
            }
            while found.is_none() && from + WINDOW_CHARS <= last {
                let of_this = places.entry(window(from)).or_default();
                of_this.push_back(from);
                while of_this.len() > TIMES || of_this[0] < oldest {
                    of_this.pop_front();
                }
                if chants(of_this, span) {
                    let shown = from.saturating_sub(BEFORE_CHARS).max(oldest);
                    found = Some(span(shown, from + WINDOW_CHARS).trim().to_owned());
                } else {
                    from += 1;
                }
            }
            if found.is_some() {
                break;
            }
        }
        let again = again.into_iter().chain(found.is_some().then_some(from));
        self.again = again.filter_map(|it| it.checked_sub(oldest)).collect();
        self.seen = from - oldest;
        self.text = span(oldest, last).to_owned();
        found
    }
}

/// Whether a window at these places, the last ones, makes the text chant.
fn chants<'t>(places: &VecDeque<usize>, span: impl Fn(usize, usize) -> &'t str) -> bool {
    let (Some(first), Some(last)) = (places.front(), places.back()) else { return false };
    if places.len() < TIMES || last - first > APART_CHARS * (TIMES - 1) {
        return false;
    }
    let after = places.iter().skip(1);
    let between: BTreeSet<&str> = places.iter().zip(after).map(|(from, to)| span(*from, *to)).collect();
    between.len() <= DIFFERENT
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

    fn chants_in(texts: &[&str]) -> bool {
        let mut chant = Chant::default();
        texts.iter().any(|text| chant.read(text).is_some())
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

    #[test]
    fn the_second_look_at_a_window_adds_an_empty_text_between() {
        let far = |n: usize| format!("{SENTENCE}{}", "x".repeat(n));
        // Ten times, with five texts between them; the next piece makes the empty text the sixth.
        let between = [5, 1, 2, 3, 4, 5, 5, 5, 5];
        let mut chant = Chant::default();
        assert!(chant.read(&(between.map(far).concat() + SENTENCE.trim_end())).is_some());
        assert_eq!(chant.read("So."), None);
        let between = [4, 1, 2, 3, 4, 4, 4, 4, 4];
        let mut chant = Chant::default();
        assert!(chant.read(&(between.map(far).concat() + SENTENCE.trim_end())).is_some());
        assert!(chant.read("So.").is_some());
    }

    #[test]
    fn only_the_last_line_of_a_text_can_divide() {
        let half = SENTENCE.repeat(6);
        assert!(!chants_in(&[&half, "=====", &half]));
        assert!(chants_in(&[&half, "=====\n", &half]));
    }

    #[test]
    fn the_last_characters_count_from_the_end_of_a_line() {
        let numbers = (0..2_000).fold(String::new(), |all, n| all + &n.to_string() + " ");
        assert!(chants(&format!("{}\n{numbers}", SENTENCE.repeat(10))));
        assert!(!chants(&format!("{} {numbers}", SENTENCE.repeat(10))));
    }
}
