//! What the user's request says about repetition, in any language: a number, or the text itself.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::unit::Patience;
use balk_contract::wording::is_longer;

/// Bytes of a request that are kept.
const KEPT: usize = 4 * 1_024;
/// A request in which a number may be how often something is wanted. A long one has numbers of other things.
const SHORT_CHARS: usize = 400;
/// How often something may be wanted; larger numbers are years, ports and lines.
const WANTED: std::ops::RangeInclusive<usize> = 10..=1_000;
/// A text of the request itself may come this often.
const GIVEN_TIMES: usize = 200;
/// Characters of the shortest text that a request can give.
const GIVEN_CHARS: usize = 8;

/// The user's request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    request: Arc<str>,
    /// The longest message of the user since then that only goes on with it.
    since: Arc<str>,
}

impl Asked {
    pub(super) fn new(request: &Arc<str>) -> Self {
        Self { request: beginning(request), since: Arc::default() }
    }

    /// The user said something short that asks for nothing new, or that gives a text to repeat.
    pub(super) fn go_on(&mut self, message: &Arc<str>) {
        if message.len() > self.since.len() {
            self.since = beginning(message);
        }
    }

    /// The patience with a text of which this is one copy, from any place in it.
    pub(super) fn patience(&self, unit: &str, patience: Patience) -> Patience {
        // Sentences and rows are asked for by number, paragraphs are not.
        let is_countable = !patience.is_of_paragraph();
        let wanted = number(&self.request).max(number(&self.since)).filter(|_| is_countable);
        let wanted = 2 * wanted.unwrap_or(0);
        let is_given = gives(&self.request, unit) || gives(&self.since, unit);
        let given = if is_given { GIVEN_TIMES } else { 0 };
        Patience { times: patience.times.max(wanted).max(given), ..patience }
    }
}

/// The part of a message that is kept.
fn beginning(message: &Arc<str>) -> Arc<str> {
    if message.len() <= KEPT { message.clone() } else { message[..message.floor_char_boundary(KEPT)].into() }
}

/// The largest number that may say how often something is wanted.
fn number(request: &str) -> Option<usize> {
    if is_longer(request, SHORT_CHARS) {
        return None;
    }
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || "._/:#-@\\".contains(c);
    let numbers = request.split(|c| !is_of_word(c)).map(|word| word.trim_end_matches(['.', ':', '-']));
    numbers.filter_map(|word| word.parse().ok()).filter(|number| WANTED.contains(number)).max()
}

/// Whether the request has the text in it: its longest line or sentence.
fn gives(request: &str, unit: &str) -> bool {
    let twice = [unit, unit].concat().to_lowercase();
    let is_end = |c: char| matches!(c, '\n' | '.' | '!' | '?' | '。' | '！' | '？');
    let mut whole = twice.split(is_end).skip(1).map(|it| it.trim_matches(|c: char| !c.is_alphanumeric()));
    // Without an end there is no telling where the text begins.
    let longest = whole.by_ref().max_by_key(|it| it.len()).unwrap_or_default();
    is_longer(longest, GIVEN_CHARS - 1) && request.to_lowercase().contains(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN: Patience = Patience { times: 10, chars: 300 };

    fn times(request: &str, unit: &str) -> usize {
        Asked::new(&request.into()).patience(unit, TEN).times
    }

    #[test]
    fn x5_a_number_in_a_short_request_may_say_how_often() {
        let unit = "I am here again. ";
        for (request, expected) in [
            ("Write it 100 times.", 200),
            ("Schreib das fünfzigmal: 50.", 100),
            ("请写100遍。", 200),
            ("Generate 50 rows for 3 users", 100),
            ("Fix issue #42 in v10.12, port 8080, since 2024, at src/a.rs:120.", 10),
            ("Fix it.", 10),
        ] {
            assert_eq!(times(request, unit), expected, "{request}");
        }
        let paragraph = super::super::unit::patience(&"It has 14 edges, and I am wrong. ".repeat(12), false);
        let asked = Asked::new(&"How many corners has a pyramid of 14 edges?".into());
        assert_eq!(asked.patience(unit, paragraph), paragraph);
        assert_eq!(times(&format!("{}100", "Look at the file. ".repeat(30)), unit), 10);
    }

    #[test]
    fn x5_a_text_of_the_request_may_come_often() {
        let request = "Write \"I will not talk in class\" a hundred times!";
        for unit in ["I will not talk in class.\n", "in class. I will not talk "] {
            assert_eq!(times(request, unit), GIVEN_TIMES, "{unit}");
        }
        assert_eq!(times(request, "I will now read the file. "), 10);
        let mut asked = Asked::new(&"Help me.".into());
        asked.go_on(&"Write 'I am a dull boy' a hundred times".into());
        asked.go_on(&"Go on.".into());
        assert_eq!(asked.patience("I am a dull boy. ", TEN).times, GIVEN_TIMES);
        assert_eq!(times("把“我不再上课说话了”抄一百遍", "我不再上课说话了。"), GIVEN_TIMES);
    }
}
