//! Lists of words that a text is searched for all at once, in any case.
//!
//! A request of a user is short, and the lists are long: a search for each word costs more than the text has bytes. So
//! one pass looks at each place whether a word can begin there, by its first three bytes, and nearly none can.

use std::borrow::Cow;

/// Bits of a byte that tell it from others, whatever its case in ASCII.
const BITS: u32 = 5;
const MASK: usize = (1 << BITS) - 1;
/// The beginnings of words: three bytes of so many bits.
const PLACES: usize = 1 << (3 * BITS);

/// Some lists; each is known by its index.
pub struct Lists {
    /// Which three bytes a word can begin with, one bit each.
    beginnings: [u64; PLACES / 64],
    /// For each three bytes, where the words that can begin so are among the `groups`.
    places: Vec<u16>,
    groups: Vec<Group>,
    /// Whether a word that begins with a letter or a digit in ASCII must begin a word of the text.
    whole: bool,
}

/// The words that begin alike.
#[derive(Default)]
struct Group {
    words: Vec<Word>,
    /// Which fourth byte they can have, one bit each.
    fourths: u32,
}

#[derive(Clone, Copy)]
struct Word {
    word: &'static str,
    /// The bit of its list.
    list: u32,
}

/// Which lists have a word in the text, by their index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found(u32);

impl Found {
    /// Whether the list with this index has one.
    #[must_use]
    pub fn has(self, list: usize) -> bool {
        self.0 >> list & 1 == 1
    }
}

impl Lists {
    /// At most 32 lists of words in small letters that may be anywhere in a text.
    #[must_use]
    pub fn anywhere(lists: &[&[&'static str]]) -> Self {
        Self::new(lists, false)
    }

    /// At most 32 lists of words in small letters that begin a word of the text, unless they are of a script without
    /// blanks.
    #[must_use]
    pub fn beginning_words(lists: &[&[&'static str]]) -> Self {
        Self::new(lists, true)
    }

    fn new(lists: &[&[&'static str]], whole: bool) -> Self {
        let mut these = Self { beginnings: [0; PLACES / 64], places: vec![0; PLACES], groups: vec![], whole };
        for (list, words) in lists.iter().enumerate() {
            for word in words.iter().copied() {
                let bits = |at: usize| word.as_bytes().get(at).map(|byte| usize::from(*byte) & MASK);
                // After the end of a short word there may be any byte.
                let any = |bits: Option<usize>| bits.map_or(0..=MASK, |bits| bits..=bits);
                for second in any(bits(1)) {
                    for third in any(bits(2)) {
                        let two = bits(0).unwrap_or(0) << BITS | second;
                        these.add(two << BITS | third, Word { word, list: 1 << list });
                    }
                }
            }
        }
        these
    }

    fn add(&mut self, place: usize, word: Word) {
        if self.beginnings[place / 64] >> (place % 64) & 1 == 0 {
            self.beginnings[place / 64] |= 1 << (place % 64);
            self.places[place] = self.groups.len() as u16;
            self.groups.push(Group::default());
        }
        let group = &mut self.groups[usize::from(self.places[place])];
        group.words.push(word);
        // After the end of a short word there may be any byte.
        let fourth = word.word.as_bytes().get(3);
        group.fourths |= fourth.map_or(u32::MAX, |byte| 1 << (usize::from(*byte) & MASK));
    }

    /// Which lists have a word in this text, which is [folded].
    #[must_use]
    pub fn find(&self, text: &str) -> Found {
        let bytes = text.as_bytes();
        let (mut found, mut place) = (0, 0);
        let next = |place: usize, byte: u8| (place << BITS | usize::from(byte) & MASK) & (PLACES - 1);
        let begins = |place: usize| self.beginnings[place / 64] >> (place % 64) & 1 == 1;
        // Most of what begins like a word is inside of another one.
        let is_inside = |at: usize| {
            self.whole && at > 0 && bytes[at - 1].is_ascii_alphanumeric() && bytes[at].is_ascii_alphanumeric()
        };
        for (end, byte) in bytes.iter().enumerate() {
            place = next(place, *byte);
            if begins(place) && end >= 2 && !is_inside(end - 2) {
                found |= self.at(bytes, end - 2, place, found);
            }
        }
        // Words of one or two bytes may be at the end.
        for end in bytes.len()..bytes.len() + 2 {
            place = next(place, 0);
            if begins(place) && end >= 2 {
                found |= self.at(bytes, end - 2, place, found);
            }
        }
        Found(found)
    }

    /// The lists that have a word here, but for those that were found.
    #[inline(never)]
    fn at(&self, bytes: &[u8], at: usize, place: usize, found: u32) -> u32 {
        let (before, rest) = bytes.split_at(at);
        let group = &self.groups[usize::from(self.places[place])];
        if rest.get(3).is_some_and(|byte| group.fourths >> (usize::from(*byte) & MASK) & 1 == 0) {
            return 0;
        }
        if self.whole && rest[0].is_ascii_alphanumeric() && ends_in_word(before) {
            return 0;
        }
        let mut lists = 0;
        for &Word { word, list } in &group.words {
            let (word, last) = (word.as_bytes(), word.len() - 1);
            // Of the words that begin alike, most end in another byte.
            let ends_so = || rest.get(last).is_some_and(|byte| usize::from(byte ^ word[last]) & MASK == 0);
            if (found | lists) & list == 0 && ends_so() && rest[..=last].eq_ignore_ascii_case(word) {
                lists |= list;
            }
        }
        lists
    }
}

/// Whether the last character is one of a word with letters: not of a script that writes words without blanks.
fn ends_in_word(text: &[u8]) -> bool {
    let Some(last) = text.last() else { return false };
    if last.is_ascii() {
        return last.is_ascii_alphanumeric();
    }
    let start = text.iter().rposition(|byte| !matches!(byte, 0x80..=0xbf)).unwrap_or(0);
    let letter = str::from_utf8(&text[start..]).ok().and_then(|it| it.chars().next());
    letter.is_some_and(|it| it.is_alphabetic() && it < FIRST_SIGN)
}

/// The first of the scripts that write words without blanks (CJK Radicals Supplement); what comes before it in Unicode
/// and has none is rare in such texts.
const FIRST_SIGN: char = '\u{2e80}';

/// The text as lists read it: in small letters, but for those of ASCII, whose case the lists ignore.
#[must_use]
pub fn folded(text: &str) -> Cow<'_, str> {
    let is_small = |c: char| c.is_ascii() || c.to_lowercase().eq([c]);
    if text.is_ascii() || text.chars().all(is_small) { text.into() } else { text.to_lowercase().into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTS: [&[&str]; 4] =
        [&["show", "zeig", "códi"], &["{", "ok", "of the"], &["例", "例を"], &["not "]];

    #[test]
    fn words_are_found_where_a_search_for_each_finds_them() {
        let (anywhere, words) = (Lists::anywhere(&LISTS), Lists::beginning_words(&LISTS));
        let parts = [
            "Show", "OK", "o", "CÓDIGO", "x", " ", "{", "例を", "Of the", "NOT", "ofthe", "-zeig",
            "\u{212a}", "é", "ö",
        ];
        for first in parts {
            for second in parts {
                for third in parts {
                    let text = [first, second, third].concat();
                    let lower = text.to_lowercase();
                    let begins = |(at, word): (usize, &str)| {
                        let is_letter = |c: char| c.is_alphabetic() && c < FIRST_SIGN || c.is_ascii_digit();
                        !word.starts_with(|c: char| c.is_ascii_alphanumeric())
                            || !lower[..at].chars().next_back().is_some_and(is_letter)
                    };
                    for (nth, list) in LISTS.iter().enumerate() {
                        let is_in = list.iter().any(|word| lower.contains(word));
                        assert_eq!(anywhere.find(&folded(&text)).has(nth), is_in, "{text:?} {list:?}");
                        let is_word = list.iter().any(|word| lower.match_indices(word).any(begins));
                        assert_eq!(words.find(&folded(&text)).has(nth), is_word, "{text:?} {list:?}");
                    }
                }
            }
        }
        assert_eq!(anywhere.find(""), Found::default());
    }
}
