//! Whether an answer says that something is still in progress.

use memchr::memchr2_iter;

/// The longest answer, in bytes, that may report a state; longer ones are logs.
const ANSWER_BYTES: usize = 400;
/// Words that say so, with the position of the first `d` or `g` in each: the search looks for these two letters.
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

/// Whether this answer says that something is still in progress.
pub(super) fn says_it_goes_on(answer: &str) -> bool {
    let answer = answer.as_bytes();
    let has_word = |at: usize| WORDS.iter().any(|(word, letter)| stands(word, *letter, answer, at));
    answer.len() <= ANSWER_BYTES
        && (memchr2_iter(b'd', b'g', answer).any(has_word) || memchr2_iter(b'D', b'G', answer).any(has_word))
}

/// Whether `answer` contains the word such that its letter number `letter` is at `at`.
fn stands(word: &str, letter: usize, answer: &[u8], at: usize) -> bool {
    let of_its_length = |start: usize| answer.get(start..start + word.len());
    at.checked_sub(letter)
        .and_then(of_its_length)
        .is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
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
