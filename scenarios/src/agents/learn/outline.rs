//! What stays of a text where others of its kind differ: its beginning, its end, and holes for words that vary.

/// Stands for any text while a pattern is made.
pub(super) const HOLE: char = '\u{1a}';

/// So much of a text is enough to know it by.
const ENOUGH: usize = 80;

/// Characters between words.
const BETWEEN: &str = "<>\"'(),;:=[]{}`|";

/// Names of days and months. They vary where they are beside a number. Their first three letters are names as well.
const DAYS_AND_MONTHS: [&str; 19] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A word of a text.
struct Word {
    from: usize,
    to: usize,
    varies: bool,
}

/// The ranges of words that differ from run to run: those with a digit or a slash, and dates. The name of a tag that
/// ends is none.
fn varying(text: &str) -> Vec<(usize, usize)> {
    let mut words = words(text);
    let is_in_date = |near: &Word, word: &Word| {
        let between =
            if near.to <= word.from { &text[near.to..word.from] } else { &text[word.to..near.from] };
        let it = &text[word.from..word.to];
        let is_name = DAYS_AND_MONTHS.iter().any(|name| *name == it || name[..3] == *it);
        near.varies && is_name && !between.contains('\n')
    };
    for at in 1..words.len() {
        words[at].varies |= is_in_date(&words[at - 1], &words[at]);
    }
    for at in (1..words.len()).rev() {
        words[at - 1].varies |= is_in_date(&words[at], &words[at - 1]);
    }
    words.into_iter().filter(|it| it.varies).map(|it| (it.from, it.to)).collect()
}

/// The words of a text. Those with a digit or a slash vary.
fn words(text: &str) -> Vec<Word> {
    let is_between = |c: char| c.is_whitespace() || BETWEEN.contains(c);
    let mut found = Vec::new();
    let mut from = 0;
    for (to, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if !is_between(c) {
            continue;
        }
        let word = &text[from..to];
        let is_end_of_tag = text[..from].ends_with('<') && word.starts_with('/') && !word[1..].contains('/');
        let varies = word.contains(|c: char| c.is_ascii_digit() || c == '/') && !is_end_of_tag;
        if from < to {
            found.push(Word { from, to, varies });
        }
        from = to + c.len_utf8().min(text.len() - to);
    }
    found
}

/// A text with one hole for each word that varies, or for several with nothing but signs between them.
pub(super) fn masked(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut end = 0;
    for (from, to) in varying(text) {
        let between = &text[end..from];
        let goes_on = masked.ends_with(HOLE) && !between.contains(|c: char| c.is_alphabetic() || c == '\n');
        if !goes_on {
            masked.push_str(between);
            masked.push(HOLE);
        }
        end = to;
    }
    masked + &text[end..]
}

/// How a text begins, before anything that varies: at most two lines and so many characters, in whole words.
pub(super) fn head(text: &str) -> &str {
    let steady = varying(text).first().map_or(text.len(), |(from, _)| *from);
    let lines = text.match_indices('\n').nth(1).map_or(text.len(), |(at, _)| at);
    let end = steady.min(lines);
    whole_words(&text[..end], &text[end..])
}

/// At most so much of a beginning, in whole words.
pub(super) fn whole_words<'t>(text: &'t str, rest: &str) -> &'t str {
    let Some((cut, _)) = text.char_indices().nth(ENOUGH) else {
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let ends_inside = is_word(text.chars().next_back()) && is_word(rest.chars().next());
        return if ends_inside { up_to_blank(text) } else { text };
    };
    up_to_blank(&text[..cut])
}

fn up_to_blank(text: &str) -> &str {
    text.rfind(char::is_whitespace).map_or(text, |at| &text[..=at])
}

/// How a text ends, after anything that varies: its last line, and the one before it if the last one only ends a tag.
pub(super) fn tail(text: &str) -> &str {
    let steady = varying(text).last().map_or(0, |(_, to)| *to);
    let line = |before: usize| text[..before].trim_end().rfind('\n').map_or(0, |at| at + 1);
    let last = line(text.len());
    let start = match text[last..].trim().starts_with("</") {
        true => line(last),
        false => last,
    };
    let start = if text.len() - start > 2 * ENOUGH { last } else { start };
    let start = start.max(steady);
    let over = text[start..].chars().count().saturating_sub(2 * ENOUGH);
    let cut = text[start..].char_indices().nth(over).map_or("", |(at, _)| &text[start + at..]);
    if over == 0 { cut } else { cut.find(char::is_whitespace).map_or(cut, |at| &cut[at..]) }
}

/// What two texts begin with.
pub(super) fn common_head<'t>(a: &'t str, b: &str) -> &'t str {
    let end = a.char_indices().zip(b.chars()).find(|((_, a), b)| a != b).map(|((at, _), _)| at);
    &a[..end.unwrap_or(a.len().min(b.len()))]
}

/// What two texts end with.
pub(super) fn common_tail<'t>(a: &'t str, b: &str) -> &'t str {
    let mut start = a.len();
    for ((at, x), y) in a.char_indices().rev().zip(b.chars().rev()) {
        if x != y {
            break;
        }
        start = at;
    }
    &a[start..]
}

/// The words that a tail and another text end with.
pub(super) fn both_tails<'t>(tail: &'t str, text: &str) -> &'t str {
    let both = common_tail(tail, self::tail(text));
    let begins_inside = both.len() < tail.len();
    let first = both.find(|c: char| c.is_whitespace() || c == '<').unwrap_or(both.len());
    if begins_inside { &both[first..] } else { both }
}

/// A text with holes as a profile writes it.
pub(super) fn pattern(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}").replace(HOLE, "{*}")
}

/// Whether a text has so many letters.
pub(super) fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphabetic()).count()
}
