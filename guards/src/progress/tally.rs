//! The number that a harness writes at the end of every answer: of the calls so far, of the state of the workspace.
//!
//! It makes every answer new, and says nothing about the call. No word tells it from "8 passed"; what it does tells it:
//! it rises with every answer, whichever call was answered. The counts of a test rise only from one of its own runs to
//! the next, and what is done in between is answered without one. A number that the call names is not the harness's.

use memchr::memrchr;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use balk_contract::key::CallKey;
use balk_contract::{Origin, ResultKey, ToolResult, identity};

/// Answers in a row in which the number has risen, to two calls at least, before it is known for one. By chance three
/// numbers rise in one of six cases; such a number does no harm, because all the rest of an answer is still compared.
const ANSWERS: u32 = 3;
/// Bytes of the longest last line that is looked at, and numbers in it.
const LINE: usize = 120;
const NUMBERS: usize = 4;

/// The numbers at the end of the last answers that have risen with each of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tally {
    /// The last line without its numbers, as a hash.
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

/// The last line of an answer.
struct Ending<'t> {
    /// Without its numbers, as a hash.
    form: u64,
    numbers: [u32; NUMBERS],
    /// Where its numbers are.
    places: [(usize, usize); NUMBERS],
    line: &'t str,
    before: &'t str,
}

impl Tally {
    /// Folds one answer.
    pub(super) fn answered(&mut self, result: &ToolResult) {
        if result.origin != Origin::Executed {
            return;
        }
        let Some(ending) = Ending::of(&result.text) else {
            self.seen = 0;
            return;
        };
        let rising = self.rising_in(&ending);
        if self.seen > 0 && rising.contains(&true) {
            self.seen = self.seen.saturating_add(1).min(ANSWERS);
            self.several |= self.call != Some(result.call.key);
            self.rising = rising;
        } else {
            let call = Some(result.call.key);
            *self = Self { form: ending.form, rising: [true; NUMBERS], seen: 1, call, ..Self::default() };
        }
        self.numbers = ending.numbers;
    }

    fn rising_in(&self, ending: &Ending<'_>) -> [bool; NUMBERS] {
        let rises =
            |at: usize| self.rising[at] && ending.form == self.form && ending.numbers[at] > self.numbers[at];
        std::array::from_fn(rises)
    }

    /// What is compared of an answer to the same call: all but the numbers that rise with every answer.
    pub(super) fn key(&self, result: &ToolResult) -> ResultKey {
        self.uncounted(result).map_or_else(|| result.text.key(), |(key, _)| key)
    }

    /// What is compared of an answer to another call: the same, if the numbers have a line of their own. A tool that
    /// makes one thing after another may number them in its answers.
    pub(super) fn key_of_any(&self, result: &ToolResult) -> ResultKey {
        let own = self.uncounted(result).filter(|(_, has_own_line)| *has_own_line);
        own.map_or_else(|| result.text.key(), |(key, _)| key)
    }

    /// Whether the answer goes on counting.
    pub(super) fn counts(&self, result: &ToolResult) -> bool {
        self.uncounted(result).is_some()
    }

    /// The key of an answer that goes on counting, and whether it counts in a line of its own.
    fn uncounted(&self, result: &ToolResult) -> Option<(ResultKey, bool)> {
        if self.seen < ANSWERS || !self.several {
            return None;
        }
        let ending = Ending::of(&result.text)?;
        let rising = self.rising_in(&ending);
        let counted = ending.places.iter().zip(rising).filter(|(_, rises)| *rises).map(|(place, _)| *place);
        let mut counted = counted
            .filter(|(start, end)| !result.call.arguments.contains(&ending.line[*start..*end]))
            .peekable();
        counted.peek()?;
        let mut rest = in_letters(identity(ending.before));
        let mut from = 0;
        for (start, end) in counted {
            rest.push_str(&ending.line[from..start]);
            from = end;
        }
        rest.push_str(&ending.line[from..]);
        Some((identity(&rest), !ending.before.trim_ascii().is_empty()))
    }
}

/// A key without a digit, because hexadecimal digits are an id, which an identity leaves out.
fn in_letters(key: ResultKey) -> String {
    let letter = |it: char| it.to_digit(16).and_then(|digit| char::from_digit(digit + 16, 32)).unwrap_or(it);
    key.to_string().chars().map(letter).collect()
}

impl<'t> Ending<'t> {
    /// The last line, if it is short and has words and numbers.
    fn of(text: &'t str) -> Option<Self> {
        let text = text.trim_ascii_end();
        let floor = text.len().saturating_sub(LINE + 1);
        let start = memrchr(b'\n', &text.as_bytes()[floor..]).map_or(0, |at| floor + at + 1);
        let (before, line) = text.split_at(start);
        let bytes = line.as_bytes();
        if bytes.len() > LINE || !bytes.iter().any(u8::is_ascii_digit) {
            return None;
        }
        let (mut numbers, mut places) = ([0; NUMBERS], [(0, 0); NUMBERS]);
        let (mut form, mut length, mut count, mut at) = ([0; LINE], 0, 0, 0);
        let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
        let mut is_named = false;
        while at < bytes.len() {
            let word = &bytes[at..at + bytes[at..].iter().take_while(is_word).count()];
            let end = at + word.len().max(1);
            if !word.iter().any(u8::is_ascii_digit) {
                is_named |= !word.is_empty();
                form[length..length + end - at].copy_from_slice(&bytes[at..end]);
                length += end - at;
            } else {
                // A word with a digit in it may be an id, and one beside another a time, a version or a size.
                let is_number =
                    |at: Option<usize>| at.and_then(|it| bytes.get(it)).is_some_and(u8::is_ascii_digit);
                let joins =
                    |at: Option<usize>| at.and_then(|it| bytes.get(it)).is_some_and(|it| b".:,".contains(it));
                let goes_on = joins(Some(end)) && is_number(Some(end + 1));
                let continues = joins(at.checked_sub(1)) && is_number(at.checked_sub(2));
                let is_alone = !goes_on && !continues;
                if is_alone
                    && count < NUMBERS
                    && let Ok(number) = line[at..end].parse()
                {
                    (numbers[count], places[count]) = (number, (at, end));
                    count += 1;
                }
                form[length] = b'#';
                length += 1;
            }
            at = end;
        }
        (count > 0 && is_named).then(|| Self {
            form: xxh3_64(&form[..length]),
            numbers,
            places,
            line,
            before,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&[u32]>) {
        let found =
            Ending::of(text).map(|it| it.numbers.into_iter().filter(|it| *it > 0).collect::<Vec<_>>());
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
        let form = |text: &str| Ending::of(text).expect("a number").form;
        assert_eq!(
            form("x\n[12:03:11] (request 1acd447a) call 12"),
            form("y\n[23:59:59] (request 00ff00ff) call 13")
        );
        assert_ne!(form("x\ncall 12"), form("x\ncalls 12"));
    }
}
