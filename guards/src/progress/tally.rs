//! The number that a harness writes at one end of every answer: of the calls so far, of the state of the workspace.
//!
//! It makes every answer new, and says nothing about the call. No word tells it from "8 passed"; what it does tells it:
//! it rises with every answer, whichever call was answered. The counts of a test rise only from one of its own runs to
//! the next, and what is done in between is answered without one. A number that the call names is not the harness's.

use memchr::{memchr, memrchr};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::says::is_nothing;
use crate::search::find;
use balk_contract::key::CallKey;
use balk_contract::{ResultKey, ToolCall, ToolResult, identity, places};

/// Answers in a row in which the number has risen, to two calls at least, before it is known for one. By chance three
/// numbers rise in one of six cases; such a number does no harm, because all the rest of an answer is still compared.
const ANSWERS: u32 = 3;
/// Bytes of the longest line that is looked at, and numbers in it.
const LINE: usize = 120;
const NUMBERS: usize = 4;
/// The longest answer, in bytes, that says in words that nothing was found ("No matches found").
const NOTHING_BYTES: usize = 20;

/// What the last line of the answers counts, and the first one of answers of several lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tally {
    last: Counter,
    first: Counter,
}

/// The numbers in one line of the last answers that have risen with each of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Counter {
    /// The line without its numbers, as a hash.
    form: u64,
    numbers: [u32; NUMBERS],
    /// Which of them have risen with every answer.
    rising: [bool; NUMBERS],
    /// Answers in a row with this form, up to [`ANSWERS`].
    seen: u32,
    /// The call that got the first of these answers, and whether another one did too.
    call: Option<CallKey>,
    several: bool,
}

/// What is compared of an answer.
#[derive(Clone, Copy)]
pub(super) struct Compared {
    /// Beside answers to the same call: all but the numbers that rise with every answer.
    pub(super) own: ResultKey,
    /// Beside answers to another call: the same, if the numbers have a line of their own. A tool that makes one thing
    /// after another may number them in its answers.
    pub(super) any: ResultKey,
    /// Whether the answer goes on counting.
    pub(super) counts: bool,
}

/// An answer, and the lines at its ends that have words and numbers.
struct Answer<'t> {
    text: &'t str,
    last: Option<Line<'t>>,
    first: Option<Line<'t>>,
}

/// A line with words and numbers.
struct Line<'t> {
    /// Without its numbers, as a hash.
    form: u64,
    numbers: [u32; NUMBERS],
    /// Where its numbers are.
    places: [(usize, usize); NUMBERS],
    line: &'t str,
}

impl Tally {
    /// Folds one answer to a call that ran. Returns what is compared of it, beside the answers before.
    pub(super) fn answered(&mut self, result: &ToolResult) -> Compared {
        let answer = Answer::of(&result.text, true, true);
        let compared = self.compared_with(result, &answer);
        self.last.answered(&result.call, answer.last.as_ref());
        self.first.answered(&result.call, answer.first.as_ref());
        compared
    }

    /// What is compared of an answer.
    pub(super) fn compared(&self, result: &ToolResult) -> Compared {
        match (self.last.is_known(), self.first.is_known()) {
            (false, false) => Compared::whole(result),
            (last, first) => self.compared_with(result, &Answer::of(&result.text, last, first)),
        }
    }

    fn compared_with(&self, result: &ToolResult, answer: &Answer<'_>) -> Compared {
        let arguments = &*result.call.arguments;
        let last = answer.last.as_ref().and_then(|line| self.last.uncounted(line, arguments));
        let first = answer.first.as_ref().and_then(|line| self.first.uncounted(line, arguments));
        if last.is_none() && first.is_none() {
            return Compared::whole(result);
        }
        let bytes = |line: &Option<Line<'_>>, counts: bool| {
            line.as_ref().filter(|_| counts).map_or(0, |it| it.line.len())
        };
        let start = bytes(&answer.first, first.is_some());
        let end = answer.text.len() - bytes(&answer.last, last.is_some());
        let rest = &answer.text[start..end];
        let mut compared = in_letters(identity(rest));
        compared.extend(last.into_iter().chain(first));
        let own = identity(&compared);
        let any = if rest.trim_ascii().is_empty() { result.text.key() } else { own };
        Compared { own, any, counts: true }
    }
}

impl Compared {
    fn whole(result: &ToolResult) -> Self {
        let key = result.text.key();
        let text = result.text.trim_ascii();
        // Programs that find nothing say so in more than one way.
        let has_nothing = text.is_empty() || text.len() <= NOTHING_BYTES && is_nothing(text);
        Self { own: key, any: if has_nothing { ResultKey::default() } else { key }, counts: false }
    }
}

impl Counter {
    /// Folds the line of an answer to this call.
    fn answered(&mut self, call: &ToolCall, line: Option<&Line<'_>>) {
        let Some(line) = line else {
            self.seen = 0;
            return;
        };
        let rising = self.rising_in(line);
        if self.seen > 0 && rising.contains(&true) {
            self.seen = self.seen.saturating_add(1).min(ANSWERS);
            self.several |= self.call != Some(call.key);
            self.rising = rising;
        } else {
            let call = Some(call.key);
            *self = Self { form: line.form, rising: [true; NUMBERS], seen: 1, call, ..Self::default() };
        }
        self.numbers = line.numbers;
    }

    fn rising_in(&self, line: &Line<'_>) -> [bool; NUMBERS] {
        let rises =
            |at: usize| self.rising[at] && line.form == self.form && line.numbers[at] > self.numbers[at];
        std::array::from_fn(rises)
    }

    /// Whether a number is known for the harness's.
    fn is_known(&self) -> bool {
        self.seen >= ANSWERS && self.several
    }

    /// The line without the numbers that go on rising; `None` if none does.
    fn uncounted(&self, line: &Line<'_>, arguments: &str) -> Option<String> {
        if !self.is_known() {
            return None;
        }
        let counted = line.places.iter().zip(self.rising_in(line)).filter(|(_, rises)| *rises);
        let mut counted = counted
            .map(|(place, _)| *place)
            .filter(|(start, end)| find(arguments.as_bytes(), &line.line.as_bytes()[*start..*end]).is_none())
            .peekable();
        counted.peek()?;
        let mut rest = String::with_capacity(line.line.len());
        let mut from = 0;
        for (start, end) in counted {
            rest.push_str(&line.line[from..start]);
            from = end;
        }
        rest.push_str(&line.line[from..]);
        Some(rest)
    }
}

/// A key without a digit, because hexadecimal digits are an id, which an identity leaves out.
fn in_letters(key: ResultKey) -> String {
    let letter = |it: char| it.to_digit(16).and_then(|digit| char::from_digit(digit + 16, 32)).unwrap_or(it);
    key.to_string().chars().map(letter).collect()
}

impl<'t> Answer<'t> {
    /// The answer, with these of its lines.
    fn of(text: &'t str, has_last: bool, has_first: bool) -> Self {
        let text = text.trim_ascii_end();
        let floor = text.len().saturating_sub(LINE + 1);
        let start = memrchr(b'\n', &text.as_bytes()[floor..]).map_or(0, |at| floor + at + 1);
        let end = memchr(b'\n', &text.as_bytes()[..text.len().min(LINE + 1)]).filter(|_| has_first);
        let last = Some(&text[start..]).filter(|_| has_last);
        Self { text, last: last.and_then(Line::of), first: end.and_then(|end| Line::of(&text[..end])) }
    }
}

impl<'t> Line<'t> {
    /// The line, if it is short and has words and numbers.
    fn of(line: &'t str) -> Option<Self> {
        let bytes = line.as_bytes();
        if bytes.len() > LINE {
            return None;
        }
        let (mut numbers, mut places) = ([0; NUMBERS], [(0, 0); NUMBERS]);
        let (mut form, mut length, mut count) = ([0; LINE], 0, 0);
        let is_number = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let joins = |at: usize| bytes.get(at).is_some_and(|it| b".:,".contains(it));
        // Where the last word with a digit in it ended.
        let (mut from, mut is_named) = (0, false);
        for digit in places::of(bytes, |byte: u8| byte.is_ascii_digit()) {
            if digit < from {
                continue;
            }
            let start = digit - bytes[from..digit].iter().rev().take_while(|it| is_of_word(**it)).count();
            let end = digit + bytes[digit..].iter().take_while(|it| is_of_word(**it)).count();
            // A word with a digit in it may be an id, and one beside another a time, a version or a size.
            let goes_on = joins(end) && is_number(end + 1);
            let continues = start > 1 && joins(start - 1) && is_number(start - 2);
            if !goes_on
                && !continues
                && count < NUMBERS
                && let Some(number) = number(&bytes[start..end])
            {
                (numbers[count], places[count]) = (number, (start, end));
                count += 1;
            }
            is_named = is_named || bytes[from..start].iter().any(|it| is_of_word(*it));
            let before = length + start - from;
            form[length..before].copy_from_slice(&bytes[from..start]);
            form[before] = b'#';
            (from, length) = (end, before + 1);
        }
        if count == 0 || !(is_named || bytes[from..].iter().any(|it| is_of_word(*it))) {
            return None;
        }
        let end = length + bytes.len() - from;
        form[length..end].copy_from_slice(&bytes[from..]);
        Some(Self { form: xxh3_64(&form[..end]), numbers, places, line })
    }
}

/// The number that a word is, if it has nothing but digits.
fn number(word: &[u8]) -> Option<u32> {
    word.iter().try_fold(0_u32, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u32::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// Whether a byte is of a word, which may have digits.
fn is_of_word(byte: u8) -> bool {
    !byte.is_ascii() || byte.is_ascii_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&[u32]>) {
        let found = Answer::of(text, true, false)
            .last
            .map(|it| it.numbers.into_iter().filter(|it| *it > 0).collect::<Vec<_>>());
        assert_eq!(found.as_deref(), expected, "{text}");
    }

    #[test]
    fn the_last_line_counts_if_it_is_short_and_has_words_and_numbers() {
        check("area 4\n\nworkspace revision 7\n", Some(&[7]));
        check("ok\n[12:03:11] (request 1acd447a) call no 12, revision 3 -- end --", Some(&[12, 3]));
        check("ok (状態 4)", Some(&[4]));
        check("[(4,)]\n17", None);
        for none in ["", "ok", "1.5 s", "at 10:12", "revision 4\nok", "revision 99999999999"] {
            check(none, None);
        }
    }

    #[test]
    fn ids_and_times_beside_a_number_do_not_change_the_form() {
        let form = |line: &str| Line::of(line).expect("a number").form;
        assert_eq!(
            form("[12:03:11] (request 1acd447a) call 12"),
            form("[23:59:59] (request 00ff00ff) call 13")
        );
        assert_ne!(form("call 12"), form("calls 12"));
    }
}
