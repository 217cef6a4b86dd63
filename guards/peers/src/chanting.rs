//! Text that repeats itself, by the rule of gemini-cli (5411f113ca; `docs/peers.md#chanting`).
//!
//! A window of 50 characters slides over the last 5,000. The text chants if one window occurs at least ten times, the
//! last ten at most 250 characters apart on average, with at most five different texts between them. The last
//! condition exempts lists of different things that begin alike. Code in fences is ignored, and a fence, a table, a
//! list item, a heading, a quote or a dividing line resets the count.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

const WINDOW_CHARS: usize = 50;
const HISTORY_CHARS: usize = 5_000;
const TIMES: usize = 10;
const APART_CHARS: usize = 250;
const DIFFERENT: usize = 5;

/// Whether the text chants.
pub(super) fn chants(text: &str) -> bool {
    if text.len() < WINDOW_CHARS + TIMES {
        return false;
    }
    let mut is_code = false;
    let mut from = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let begins = line.trim_start();
        let is_fence = begins.starts_with("```");
        if is_fence || is_structure(begins) {
            if !is_code && stretch_chants(&text[from..at]) {
                return true;
            }
            from = at;
        }
        at += line.len();
        if is_fence {
            is_code = !is_code;
            from = at;
        }
    }
    !is_code && stretch_chants(&text[from..])
}

/// A list item, a heading, a quote, a row of a table, a dividing line.
fn is_structure(line: &str) -> bool {
    let after_digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = after_digits.len() < line.len() && after_digits.starts_with(". ");
    let is_marked = ["* ", "- ", "+ ", "#", ">", "|"].iter().any(|mark| line.starts_with(mark));
    let is_rule = line.trim_end().len() >= 3 && line.trim_end().chars().all(|c| "-=_*+─━═".contains(c));
    is_numbered || is_marked || is_rule
}

fn stretch_chants(text: &str) -> bool {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let chars = starts.len() - 1;
    let span = |from: usize, to: usize| &text[starts[from]..starts[to]];
    let mut places: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
    for from in 0..(chars + 1).saturating_sub(WINDOW_CHARS) {
        let end = from + WINDOW_CHARS;
        let of_this = places.entry(span(from, end)).or_default();
        of_this.push_back(from);
        while of_this.len() > TIMES || of_this[0] + HISTORY_CHARS < end {
            of_this.pop_front();
        }
        if of_this.len() < TIMES || from - of_this[0] > APART_CHARS * (TIMES - 1) {
            continue;
        }
        let between: BTreeSet<&str> =
            of_this.iter().zip(of_this.iter().skip(1)).map(|(from, to)| span(*from, *to)).collect();
        if between.len() <= DIFFERENT {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    const SENTENCE: &str = "I will now look at the file and then I will go on. ";

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
    fn code_and_lists_are_not() {
        assert!(!chants(&format!("```\n{}\n```\n", SENTENCE.repeat(20))));
        assert!(!chants(&format!("- {SENTENCE}\n").repeat(20)));
        assert!(chants(&format!("{SENTENCE}\n").repeat(20)));
    }
}
