//! Searches for a word in a short text. `memmem` prepares a search for as long as it takes to read a thousand bytes;
//! here that would be most of the work.

use memchr::{memchr, memchr_iter, memchr2, memmem};

/// The longest word, in bytes, that is compared wherever its rarest byte occurs. A long one of few bytes would be
/// compared at each place of a text that was made for it; `memmem` reads any text once.
const WORD: usize = 64;

/// How often a byte occurs in texts and code, roughly.
static FREQUENCY: [u8; 256] = {
    const LETTERS: &[u8] = b"zqxjkvbywgpfmucdlhrsnioate";
    let mut frequency = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        frequency[byte] = match byte as u8 {
            b' ' => 255,
            b'\n' | b'0'..=b'9' | b'.' | b',' | b'"' | b'/' | b'-' | b'_' => 120,
            b'A'..=b'Z' => 60,
            0x80..=0xbf => 130,
            0xc0..=0xff => 240,
            _ => 40,
        };
        byte += 1;
    }
    let mut at = 0;
    while at < LETTERS.len() {
        frequency[LETTERS[at] as usize] = 70 + 6 * at as u8;
        at += 1;
    }
    frequency
};

/// Where the word occurs first. The search is for its rarest byte.
#[inline]
pub(crate) fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    if word.len() > WORD {
        return memmem::find(text, word);
    }
    let last = text.len().checked_sub(word.len())?;
    let (mut rare, mut least) = (0, u8::MAX);
    for (at, byte) in word.iter().enumerate() {
        let frequency = FREQUENCY[usize::from(*byte)];
        if frequency < least {
            (rare, least) = (at, frequency);
        }
    }
    let Some(byte) = word.get(rare) else { return Some(0) };
    memchr_iter(*byte, &text[rare..=last + rare]).find(|&at| text[at..at + word.len()] == *word)
}

/// Question marks. That of Greek is a semicolon, which ends a question behind a letter of Greek alone.
pub(crate) const QUESTION_MARKS: [char; 3] = ['?', '？', '؟'];

/// Whether the text has a question mark.
pub(crate) fn has_question_mark(text: &str) -> bool {
    let is_greek = |at: usize| ends_in_greek(&text[..at]);
    memchr(b'?', text.as_bytes()).is_some()
        || !text.is_ascii()
            && (text.contains(QUESTION_MARKS) || memchr_iter(b';', text.as_bytes()).any(is_greek))
}

/// Whether the text ends with a question mark.
pub(crate) fn is_question(text: &str) -> bool {
    text.ends_with(QUESTION_MARKS) || text.strip_suffix(';').is_some_and(ends_in_greek)
}

fn ends_in_greek(text: &str) -> bool {
    text.ends_with(|it| matches!(it, '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}'))
}

/// The first run of three marks of a code fence or more: where it is, and how many they are.
pub(crate) fn marks(text: &[u8]) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let at = from + memchr2(b'`', b'~', &text[from..])?;
        let marks = text[at..].iter().take_while(|byte| **byte == text[at]).count();
        if marks >= 3 {
            return Some((at, marks));
        }
        from = at + marks;
    }
}

#[cfg(test)]
mod tests {
    use memchr::memmem;

    use super::*;

    #[test]
    fn a_semicolon_asks_behind_a_letter_of_greek_alone() {
        for (text, asks, ends) in [
            ("Is it on?", true, true),
            ("Is it on? Tell me.", true, false),
            ("它开着吗？", true, true),
            ("هل هناك موعد؟", true, true),
            ("Υπάρχει προθεσμία;", true, true),
            ("Υπάρχει; Πες μου.", true, false),
            ("one; two", false, false),
            ("let x = 1;", false, false),
            ("Υπάρχει 5;", false, false),
        ] {
            assert_eq!((has_question_mark(text), is_question(text)), (asks, ends), "{text}");
        }
    }

    #[test]
    fn a_word_is_found_where_memmem_finds_it() {
        let text = "The store keeps each page, and each pager; é ```\n~~ `` ````x  aaab".as_bytes();
        for start in 0..text.len() {
            for end in start..=text.len().min(start + 34) {
                for from in [0, start, start + 1] {
                    let (rest, word) = (&text[from..], &text[start..end]);
                    assert_eq!(find(rest, word), memmem::find(rest, word), "{}", word.escape_ascii());
                }
            }
        }
        assert_eq!(find(b"abc", b"abcd"), None);
    }

    #[test]
    fn a_question_mark_may_be_wide() {
        for (text, has) in [("a?", true), ("吗？", true), ("，", false), ("！", false), ("", false)] {
            assert_eq!(has_question_mark(text), has, "{text}");
        }
    }

    #[test]
    fn marks_of_fences_are_three_or_more_of_a_kind() {
        let first = |text: &str| marks(text.as_bytes());
        assert_eq!(first("``~~`~ ```` x ~~~"), Some((7, 4)));
        assert_eq!(first("a ~~~"), Some((2, 3)));
        assert_eq!(first("`` ~~ `"), None);
    }
}
