//! Waiting: the same call, and each time the answer that something is still going on.
//!
//! A tool can be declared as one that waits ([`Purpose::Wait`](crate::Purpose)). Else it is told from the call,
//! where that is a short one with a `sleep` in it, or from words of the tools, in short answers. They only buy
//! patience: where they are not recognised, the other rules apply. An answer whose volatile parts alone differ is
//! no sign of waiting by itself: so does that of `date`.

use std::sync::LazyLock;

use memchr::memchr2_iter;
use memchr::memmem::Finder;

use super::finding::{Finding, Now, Rule, counted};
use super::rounds::Rounds;
use crate::completion::ToolCall;
use crate::entry::{Origin, Subject, ToolResult};
use crate::failure::is_failure;

/// How long an answer may be that tells of a state; longer ones are logs.
const ANSWER_BYTES: usize = 400;
/// How long a call may be that does little else but wait.
const PAUSE_BYTES: usize = 200;
/// Words that say it, and where each of them has its first `d` or `g`: the search looks for these two letters.
const WORDS: [(&str, usize); 12] = [
    ("running", 6),
    ("in progress", 6),
    ("in_progress", 6),
    ("pending", 3),
    ("queued", 5),
    ("waiting", 6),
    ("not ready", 7),
    ("not finished", 11),
    ("not done", 4),
    ("processing", 9),
    ("building", 4),
    ("elapsed", 6),
];

/// The search, made once.
static SLEEP: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("sleep"));

/// Whether this call waits, or found that something is still going on.
pub(crate) fn is_waiting(result: &ToolResult) -> bool {
    let arguments = result.call.arguments.as_bytes();
    // `sleep 5`, `time.sleep(5)`, and no file of that name.
    let is_pause = |at: usize| {
        let rest = &arguments[at + "sleep".len()..];
        matches!(rest, [b' ' | b'(', digit, ..] if digit.is_ascii_digit())
    };
    let pauses = || arguments.len() <= PAUSE_BYTES && SLEEP.find_iter(arguments).any(is_pause);
    (result.text.goes_on() || pauses()) && !is_failure(result)
}

/// Whether this answer says that something is still going on.
pub(crate) fn says_it_goes_on(answer: &str) -> bool {
    let answer = answer.as_bytes();
    let has_word = |at: usize| WORDS.iter().any(|(word, letter)| stands(word, *letter, answer, at));
    answer.len() <= ANSWER_BYTES
        && (memchr2_iter(b'd', b'g', answer).any(has_word) || memchr2_iter(b'D', b'G', answer).any(has_word))
}

/// Whether the word stands there in the answer that has this letter of it at `at`.
fn stands(word: &str, letter: usize, answer: &[u8], at: usize) -> bool {
    let of_its_length = |start: usize| answer.get(start..start + word.len());
    at.checked_sub(letter)
        .and_then(of_its_length)
        .is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
}

/// Looks at what is still going on, in a row or not.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: Now<'_>) -> Option<Finding> {
    let waiting = || rounds.looks(call.key).take_while(|(_, look)| look.waits);
    let (newest, _) = waiting().next()?;
    let goes_on = now.results.is_none_or(|results| {
        let mut of_call = results.iter().filter(|it| it.call.key == call.key).peekable();
        of_call.peek().is_some()
            && of_call.all(|it| {
                it.origin == Origin::Executed && waiting().any(|(_, look)| look.result == it.text.key())
            })
    });
    let count = waiting().count();
    goes_on.then(|| Finding::new(Rule::Waiting, Subject::Call(call.key), counted(count, now), newest.turn))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_found_by_its_letter() {
        for (word, letter) in WORDS {
            assert_eq!(word.find(['d', 'g']), Some(letter), "{word}");
            assert!(says_it_goes_on(&format!("The job: {}.", word.to_uppercase())), "{word}");
            assert!(says_it_goes_on(word), "{word}");
        }
        assert!(!says_it_goes_on("nothing to do, not at all"));
        assert!(!says_it_goes_on(&"still running ".repeat(40)), "a log");
    }
}
