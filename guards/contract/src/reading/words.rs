//! Words of failure and of success, by their first byte.

use super::meaning::Meaning::{self, Nothing};
use listed::words;

mod listed;

/// The meaning of the word at the start of a text, and its length. Case does not matter.
pub(super) fn meaning(text: &[u8]) -> Option<(Meaning, usize)> {
    let fits = |word: &str| begins(text, word.as_bytes()) && ends(text, word.len());
    listed(text).iter().find(|(word, _)| fits(word)).map(|(word, meaning)| (*meaning, word.len()))
}

/// The words that begin like this text: in three bytes if the first one is a letter of ASCII.
#[inline]
fn listed(text: &[u8]) -> &'static [(&'static str, Meaning)] {
    match *text {
        [first, second, ..] if first < 0x80 => {
            let place = place(first, second, text.get(2).copied().unwrap_or_default());
            // Nearly all words of a text end here.
            if BEGINNINGS[place / 64] >> (place % 64) & 1 == 0 || !first.is_ascii_alphabetic() {
                return &[];
            }
            let group = group(place);
            &GROUPED[usize::from(STARTS_OF_GROUPS[group])..usize::from(STARTS_OF_GROUPS[group + 1])]
        }
        [first, ..] if first >= 0x80 => words(first),
        [_, ..] | [] => &[],
    }
}

/// A bit for each three bytes that a word begins with, five bits of each byte: they tell letters apart, in either case.
const BEGINNINGS: &[u64; 512] = &{
    let mut bits = [0; 512];
    let mut first = b'a';
    while first <= b'z' {
        let words = words(first);
        let mut at = 0;
        while at < words.len() {
            let word = words[at].0.as_bytes();
            let (mut third, end) = thirds(word);
            while third < end {
                let place = place(first, word[1], third);
                bits[place / 64] |= 1 << (place % 64);
                third += 1;
            }
            at += 1;
        }
        first += 1;
    }
    bits
};

const fn place(first: u8, second: u8, third: u8) -> usize {
    (first as usize & 31) << 10 | (second as usize & 31) << 5 | third as usize & 31
}

/// The third bytes of texts that may begin with this word: any, if it has only two.
const fn thirds(word: &[u8]) -> (u8, u8) {
    if word.len() < 3 { (0, 32) } else { (word[2] & 31, (word[2] & 31) + 1) }
}

/// Words that begin alike are a group. How many groups there are before each word of [`BEGINNINGS`], and in all.
const GROUPS_BEFORE: &[u16; 513] = &{
    let mut before = [0; 513];
    let mut at = 0;
    while at < 512 {
        before[at + 1] = before[at] + BEGINNINGS[at].count_ones() as u16;
        at += 1;
    }
    before
};
const GROUPS: usize = GROUPS_BEFORE[512] as usize;

/// The number of the group whose words begin so.
const fn group(place: usize) -> usize {
    let lower = BEGINNINGS[place / 64] & ((1 << (place % 64)) - 1);
    GROUPS_BEFORE[place / 64] as usize + lower.count_ones() as usize
}

/// Where the words of each group start in [`GROUPED`], and where the last one ends.
const STARTS_OF_GROUPS: &[u16; GROUPS + 1] = &{
    let mut starts = [0; GROUPS + 1];
    let mut first = b'a';
    while first <= b'z' {
        let words = words(first);
        let mut at = 0;
        while at < words.len() {
            let word = words[at].0.as_bytes();
            let (mut third, end) = thirds(word);
            while third < end {
                starts[group(place(first, word[1], third)) + 1] += 1;
                third += 1;
            }
            at += 1;
        }
        first += 1;
    }
    let mut at = 0;
    while at < GROUPS {
        starts[at + 1] += starts[at];
        at += 1;
    }
    starts
};

/// The words that begin with letters of ASCII, group by group, each in the order of its list.
static GROUPED: [(&str, Meaning); STARTS_OF_GROUPS[GROUPS] as usize] = {
    let mut grouped = [("", Nothing); STARTS_OF_GROUPS[GROUPS] as usize];
    let mut ends = *STARTS_OF_GROUPS;
    let mut first = b'a';
    while first <= b'z' {
        let words = words(first);
        let mut at = 0;
        while at < words.len() {
            let word = words[at].0.as_bytes();
            let (mut third, end) = thirds(word);
            while third < end {
                let group = group(place(first, word[1], third));
                grouped[ends[group] as usize] = words[at];
                ends[group] += 1;
                third += 1;
            }
            at += 1;
        }
        first += 1;
    }
    grouped
};

/// Whether the text begins with this word, in either case.
pub(super) fn begins(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|text| text.eq_ignore_ascii_case(word))
}

/// Of a byte: whether a word can start with it; whether one can start behind it; whether one can start with it
/// whatever comes before.
const STARTS: u8 = 1;
const DIVIDES: u8 = 2;
const ALONE: u8 = 4;

/// Words are not parts of names and paths. Chinese and Japanese put no mark between words. A letter of Russian may
/// start one wherever it stands: the bytes before it are those of other letters, too.
static KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b' ' | b'\t' | b'\r' | b'(' | b'[' | b'{' | b'"' | b'\'' | b'`' | b':' | b';' | b',' | b'<'
            | b'>' | b'=' | b'!' | b'*' => DIVIDES,
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => STARTS,
            0xd0 | 0xd1 => STARTS | DIVIDES,
            0xe0..=0xef => STARTS | DIVIDES | ALONE,
            0x80..=0xff => DIVIDES,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

/// Where the next word starts, from this byte on.
pub(super) fn next_word(line: &[u8], from: usize) -> Option<usize> {
    let mut before = if from == 0 { DIVIDES } else { KINDS[usize::from(line[from - 1])] };
    let starts = |byte: &u8| {
        let kind = KINDS[usize::from(*byte)];
        let starts = kind & STARTS != 0 && (before & DIVIDES != 0 || kind & ALONE != 0);
        before = kind;
        starts
    };
    line[from..].iter().position(starts).map(|at| from + at)
}

/// Whether a word ends here: no name or path goes on.
pub(super) fn ends(text: &[u8], at: usize) -> bool {
    if text[at - 1] >= 0x80 || text[at - 1] == b'_' {
        return true;
    }
    match text[at..] {
        [b'.' | b'-' | b'/' | b':', next, ..] => !next.is_ascii_alphanumeric(),
        [next, ..] => !next.is_ascii_alphanumeric() && next != b'_' && next != b'(',
        [] => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A word that begins like another one comes before it.
    #[test]
    fn every_word_means_what_its_own_line_says() {
        let all = || (0..=u8::MAX).flat_map(|first| words(first).iter());
        let hidden: Vec<_> =
            all().filter(|(word, own)| meaning(word.as_bytes()) != Some((*own, word.len()))).collect();
        assert!(hidden.is_empty(), "{hidden:?}");
    }

    #[test]
    fn a_word_is_found_in_its_group_as_in_the_whole_list() {
        let all = || (0..=u8::MAX).flat_map(|first| words(first).iter());
        let mut found = 0;
        for (word, _) in all() {
            for text in [
                word.to_string(),
                word.to_uppercase(),
                format!("{word} x"),
                format!("{word}s"),
                word.chars().skip(1).collect(),
            ] {
                let text = text.as_bytes();
                let listed = words(text.first().map_or(0, u8::to_ascii_lowercase)).iter();
                let mut fitting =
                    listed.filter(|(word, _)| begins(text, word.as_bytes()) && ends(text, word.len()));
                let first = fitting.next().map(|(word, meaning)| (*meaning, word.len()));
                assert_eq!(meaning(text), first, "{}", text.escape_ascii());
                found += usize::from(first.is_some());
            }
        }
        assert!(found > 2 * all().count(), "{found}");
    }
}
