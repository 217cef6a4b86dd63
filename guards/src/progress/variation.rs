//! How the arguments of two calls of one tool differ, as far as it tells items from pages: a model that asks about one
//! item after another learns something from each "no", one that turns pages after the end does not.

use std::sync::LazyLock;

use super::deed::are_other_programs;
use super::look::{differing, is_counted, is_phrase, renamed};
use crate::arguments::beginning;
use crate::search::find;
use balk_contract::identity;
use balk_contract::words::Lists;

/// How the arguments of two calls differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variation {
    /// In the place at which one list goes on: a page, an offset, a cursor, a time.
    Paged,
    /// In one number or word: perhaps the next item of several.
    Item,
    /// In one number of a longer text: perhaps the next item, perhaps the next try.
    Counted,
    /// In a clock, an id or a nonce, and in nothing else.
    Volatile,
    /// In the words of one longer text.
    Worded,
    /// In more.
    Other,
    /// In nothing.
    None,
}

/// Words in the names of the place at which a list goes on: mostly English, and pages in other languages. Without one,
/// a page is an item.
#[rustfmt::skip]
const PLACES: [&str; 29] = [
    "page", "offset", "cursor", "token", "since", "after", "before", "until", "skip", "start", "next",
    "seite", "blad", "pagina", "página", "strona", "sida", "sivu", "sayfa", "stránka", "oldal", "trang", "halaman",
    "страниц", "сторінк", "ページ", "页", "頁", "페이지",
];

static NAMES_OF_PLACES: LazyLock<Lists> = LazyLock::new(|| Lists::anywhere(&[&PLACES]));

impl Variation {
    /// How these arguments of two calls differ.
    pub(super) fn of(before: &str, after: &str) -> Self {
        let (before, after) = (beginning(before), beginning(after));
        if before == after {
            return Self::None;
        }
        let (one, other) = differing(before, after);
        // With a quote before a colon or a comma, more than one member differs; not of JSON within a text.
        let is_end =
            |text: &str, at: usize| !text[..at].ends_with('\\') && text[at + 1..].starts_with([',', ':']);
        let is_one = |text: &str| !text.match_indices('"').any(|(at, _)| is_end(text, at));
        if around_lines(before).is_some_and(|it| around_lines(after) == Some(it)) {
            return Self::Paged;
        }
        let counts = is_counted(before, after);
        // The next day is an item, although a date is volatile.
        if !counts && identity(before) == identity(after) {
            return Self::Volatile;
        }
        if counts || renamed(one, other).is_some_and(|(one, other)| !is_sentence(one) || !is_sentence(other))
        {
            return match is_place(before, after) {
                true => Self::Paged,
                false if counts && is_phrase(one) => Self::Counted,
                false => Self::Item,
            };
        }
        let is_worded = is_one(one) && is_one(other) && (is_phrase(one) || is_phrase(other));
        match is_worded && !are_other_programs(before, after) {
            true => Self::Worded,
            false => Self::Other,
        }
    }
}

/// Whether what has no blanks is more than a word, and no path or name: a sentence in a script without blanks.
fn is_sentence(word: &str) -> bool {
    is_phrase(word) && !word.contains(['.', '/', '_'])
}

/// What comes before and after the lines that a command prints of a file: `sed -n 200,299p a.txt`, `tail -n +200`.
fn around_lines(arguments: &str) -> Option<(&str, &str)> {
    // Most calls have no such option.
    find(arguments.as_bytes(), b" -n ")?;
    let (head, rest) = ["sed -n ", "tail -n +"].iter().find_map(|it| arguments.split_once(it))?;
    let is_of_range = |c: char| c.is_ascii_digit() || matches!(c, ',' | '\'' | 'p');
    let end = rest.find(|c| !is_of_range(c)).unwrap_or(rest.len());
    rest[..end].contains(|c: char| c.is_ascii_digit()).then(|| (head, &rest[end..]))
}

/// Whether a command prints some lines of a file: where it has no more of them, it prints nothing.
pub(super) fn prints_lines(arguments: &str) -> bool {
    around_lines(beginning(arguments)).is_some()
}

/// Whether the word that differs follows the name of a place, or of a reference: a page is numbered anew with every
/// look at it, so another number of the same thing is no other thing.
fn is_place(before: &str, after: &str) -> bool {
    let (one, other) = (before.as_bytes(), after.as_bytes());
    let differ = one.iter().zip(other).position(|(one, other)| one != other);
    let head = &one[..differ.unwrap_or(one.len().min(other.len()))];
    let parts = |byte: &u8| byte.is_ascii_whitespace() || b"=:\"'&?".contains(byte);
    let value = head.iter().rposition(&parts).map_or(0, |at| at + 1);
    let name = head[..value].iter().rposition(|byte| !parts(byte)).map_or(0, |at| at + 1);
    let start = head[..name].iter().rposition(&parts).map_or(0, |at| at + 1);
    let name = &before[start..name];
    NAMES_OF_PLACES.find(name).has(0) || name.eq_ignore_ascii_case("ref")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: Variation) {
        assert_eq!(Variation::of(before, after), expected, "{before} {after}");
    }

    #[test]
    fn a_place_has_a_name_and_an_item_has_none() {
        for (before, after) in [
            (r#"{"page":1}"#, r#"{"page":12}"#),
            (r#"{"c":"curl 'https://a.b/v1?page=1'"}"#, r#"{"c":"curl 'https://a.b/v1?page=2'"}"#),
            (r#"{"c":"psql -c 'select 1 offset 100'"}"#, r#"{"c":"psql -c 'select 1 offset 200'"}"#),
            (r#"{"nextToken": "f/38d"}"#, r#"{"nextToken": "f/a27"}"#),
            (r#"{"c":"logs --since 2024-05-01"}"#, r#"{"c":"logs --since 2024-05-02"}"#),
            (r#"{"c":"archief --blad 971"}"#, r#"{"c":"archief --blad 972"}"#),
            (r#"{"страница":1}"#, r#"{"страница":2}"#),
            (r#"{"c":"sed -n 300,399p a.txt"}"#, r#"{"c":"sed -n 400,499p a.txt"}"#),
            (r#"{"c":"sed -n '90,99p' a.txt"}"#, r#"{"c":"sed -n '100,109p' a.txt"}"#),
            (r#"{"c":"tail -n +300 a.txt | head -100"}"#, r#"{"c":"tail -n +400 a.txt | head -100"}"#),
        ] {
            check(before, after, Variation::Paged);
        }
        for (before, after) in [
            (r#"{"date":"2024-05-01"}"#, r#"{"date":"2024-05-02"}"#),
            (r#"{"c":"grep -c INV-a a.csv"}"#, r#"{"c":"grep -c INV-b a.csv"}"#),
            (r#"{"path":"src/a.rs"}"#, r#"{"path":"src/b.rs"}"#),
            (r#"{"n":1}"#, r#"{"n":2}"#),
            (r#"{"c":"sed -n 3p a.txt"}"#, r#"{"c":"sed -n 3p b.txt"}"#),
        ] {
            check(before, after, Variation::Item);
        }
        check(r#"{"c":"ping -r 22:22:03"}"#, r#"{"c":"ping -r 10:26:19"}"#, Variation::Volatile);
        check(r#"{"nonce":"1f559c2e"}"#, r#"{"nonce":"c9538428"}"#, Variation::Volatile);
        check(r#"{"c":"grep -c INV-1 a.csv"}"#, r#"{"c":"grep -c INV-2 a.csv"}"#, Variation::Counted);
    }

    #[test]
    fn one_text_in_other_words_is_worded_and_two_members_are_not() {
        check(r#"{"q":"how does it work"}"#, r#"{"q":"manual"}"#, Variation::Worded);
        check(r#"{"q":"查一下失败的原因"}"#, r#"{"q":"请看看为什么失败"}"#, Variation::Worded);
        check(r#"{"q":"東京"}"#, r#"{"q":"京都"}"#, Variation::Item);
        check(r#"{"path":"年度财务报告.docx"}"#, r#"{"path":"季度销售汇总.docx"}"#, Variation::Item);
        check(
            r#"{"c":"mcp search '{\"q\":\"a b c\",\"n\":5}'","d":"x"}"#,
            r#"{"c":"mcp search '{\"q\":\"d e\",\"n\":5}'","d":"x"}"#,
            Variation::Worded,
        );
        check(r#"{"q":"a b c","to":"x"}"#, r#"{"q":"d e f","to":"y"}"#, Variation::Other);
        check(r#"{"q":"a"}"#, r#"{"q":"a"}"#, Variation::None);
    }
}
