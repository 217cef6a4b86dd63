//! The words by which a text can be told from others, in any language.
//!
//! Words of four letters and more tell something, and so does everything with a digit. Endings change with the
//! sentence ("close", "closing"; "закрой", "закрываю"), so a word is known by its beginning. Scripts without blanks
//! have pairs of characters in place of words.

use balk_contract::wording::is_longer;
use xxhash_rust::xxh3::xxh3_64;

/// Letters by which a longer word is known; shorter words tell nothing.
const LETTERS: usize = 4;
/// The same of Katakana and Hangul.
const KANA: usize = 3;
const SYLLABLES: usize = 2;

/// The longest message of a user whose words are looked at, in characters.
const CHARS: usize = 600;

/// A message of the user.
pub(super) struct Message<'a> {
    pub(super) text: &'a str,
    /// It in small letters; empty if it is too long.
    pub(super) lower: &'a str,
    /// The telling words of that.
    pub(super) words: Vec<&'a str>,
}

impl<'a> Message<'a> {
    /// The message with this text, whose small letters are kept there.
    pub(super) fn new(text: &'a str, lower: &'a mut String) -> Self {
        if !is_longer(text, CHARS) {
            *lower = text.to_lowercase();
        }
        Self { text, lower, words: telling(lower) }
    }

    pub(super) fn digests(&self) -> impl Iterator<Item = u64> + '_ {
        self.words.iter().map(|it| digest(it))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Letters,
    Kanji,
    Katakana,
    Hangul,
    Other,
}

impl Script {
    fn of(c: char) -> Self {
        match c {
            '\u{4e00}'..='\u{9fff}' => Self::Kanji,
            '\u{30a1}'..='\u{30ff}' => Self::Katakana,
            '\u{ac00}'..='\u{d7af}' => Self::Hangul,
            '\u{3041}'..='\u{309f}' => Self::Other,
            _ if c.is_alphanumeric() => Self::Letters,
            _ => Self::Other,
        }
    }

    /// Where the run of it ends that a text begins with. Most texts are of ASCII, in which a byte is a character.
    fn end(self, text: &str) -> usize {
        let is_of = |byte: &u8| match self {
            Self::Letters => byte.is_ascii_alphanumeric(),
            Self::Other => byte.is_ascii() && !byte.is_ascii_alphanumeric(),
            Self::Kanji | Self::Katakana | Self::Hangul => false,
        };
        let ascii = text.as_bytes().iter().take_while(|it| is_of(it)).count();
        text[ascii..].find(|c| Self::of(c) != self).map_or(text.len(), |at| ascii + at)
    }
}

/// The telling words of a text in small letters, each as far as it is known by, in their order.
pub(super) fn telling(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let script = Script::of(first);
        let (run, behind) = rest.split_at(script.end(rest));
        match script {
            Script::Letters if is_value(run) => words.push(run),
            Script::Letters => words.extend(beginning(run, LETTERS)),
            Script::Kanji => words.extend(pairs(run)),
            Script::Katakana => {
                words.extend(beginning(run, SYLLABLES).map(|it| beginning(run, KANA).unwrap_or(it)))
            }
            Script::Hangul => words.extend(beginning(run, SYLLABLES)),
            Script::Other => {}
        }
        rest = behind;
    }
    words
}

/// The same, as digests.
pub(super) fn digests(text: &str) -> Vec<u64> {
    telling(&text.to_lowercase()).into_iter().map(digest).collect()
}

pub(super) fn digest(word: &str) -> u64 {
    xxh3_64(word.as_bytes())
}

/// Whether a word is a value: a number, or a name with one.
pub(super) fn is_value(word: &str) -> bool {
    word.bytes().any(|it| it.is_ascii_digit()) || !word.is_ascii() && word.contains(char::is_numeric)
}

/// Whether a word is a value that hardly answers two questions, such as a serial number. Assumed: one as long as a
/// telling word.
pub(super) fn is_long_value(word: &str) -> bool {
    is_value(word) && is_longer(word, LETTERS - 1)
}

/// Whether a text has such a value.
pub(super) fn has_long_value(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(is_long_value)
}

/// The first characters of a word that has so many.
fn beginning(word: &str, chars: usize) -> Option<&str> {
    // Most words are of ASCII, in which a byte is a character.
    if word.as_bytes().get(..chars)?.is_ascii() {
        return Some(&word[..chars]);
    }
    let (at, last) = word.char_indices().nth(chars - 1)?;
    Some(&word[..at + last.len_utf8()])
}

fn pairs(run: &str) -> impl Iterator<Item = &str> {
    let ends = run.char_indices().map(|(at, c)| at + c.len_utf8()).skip(1);
    run.char_indices().zip(ends).map(|((start, _), end)| &run[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_known_by_its_beginning() {
        for (text, words) in [
            ("close it, port 8080 of db2.internal", &["clos", "port", "8080", "db2", "inte"][..]),
            ("закрываю тикет", &["закр", "тике"]),
            ("ticketを閉じて、設定変更します", &["tick", "設定", "定変", "変更"]),
            ("ファイルの更新", &["ファイ", "更新"]),
            ("파일을 바꾸겠습니다", &["파일", "바꾸"]),
            ("it is so", &[]),
        ] {
            assert_eq!(telling(text), words, "{text}");
        }
    }
}
