//! What kind of text an answer is. A tool that failed says so in a few words. A letter, a list, a table or a document
//! has words of failure too, but they are about something else.

use memchr::{memchr_iter, memchr2_iter, memchr3, memchr3_iter};

use super::line::is_marked;
use super::words::meaning;

/// Sentences that make a text prose. An error has one or two, perhaps with some advice.
const SENTENCES: usize = 3;
/// Blanks in a sentence: fewer words are a remark ("Done.").
const BLANKS: usize = 3;
/// Bytes at the beginning of prose that are read: an error says first what it is about.
const OPENING: usize = 48;
/// A line of prose that is no longer may be the error itself: "Permission denied (publickey)."
const SHORT: usize = 80;
/// Lines of a list, and members of a record.
const ITEMS: usize = 2;
const MEMBERS: usize = 3;
/// Bytes of the name of a member: "Required-by".
const NAME: usize = 30;

/// What the parts of an answer that are read look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// It has several sentences.
    prose: bool,
    /// It is a list.
    items: bool,
    /// It begins with a heading or a title, as a document does.
    headed: bool,
    /// Its first line says how many lines follow: "3 results:".
    announced: bool,
    /// It begins with members, as a letter, a ticket and the description of a package do.
    record: bool,
}

/// Which words of a line count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counts {
    /// All of them.
    All,
    /// Those before this byte of the line.
    Until(usize),
    /// Those that begin a clause: "x: cannot open y".
    Clauses,
    /// None, but the line may begin like an error: "TypeError: …".
    Marked,
    /// One that ends the line behind a mark: "- lint: failed".
    Verdict,
    /// Nothing but an exit status.
    Nothing,
}

impl Shape {
    /// Of the beginning and the end of an answer.
    pub(super) fn of([head, tail]: [&[u8]; 2]) -> Self {
        let lines = || [head, tail].into_iter().flat_map(|part| part.split(|byte| *byte == b'\n'));
        Self {
            prose: sentences(head) + sentences(tail) >= SENTENCES,
            items: lines().filter(|line| is_item(line)).count() >= ITEMS,
            headed: is_heading(head) || has_title(head),
            announced: tail.is_empty() && is_announced(head),
            record: is_record(head),
        }
    }

    /// Which words of a line count, which begins at this byte of the answer.
    pub(super) fn counts(self, line: &[u8], from: usize) -> Counts {
        if self.items && (is_item(line) || line.starts_with(b"  ")) {
            return Counts::Verdict;
        }
        if self.record && from == 0 && (name(line).is_none() || tells(line)) {
            return Counts::All;
        }
        if self.record
            || self.announced && from > 0
            || is_row(line)
            || (self.prose || self.items) && is_heading(line)
        {
            return Counts::Marked;
        }
        match (self.prose, OPENING.checked_sub(from).filter(|_| !self.headed)) {
            (false, _) => Counts::All,
            (true, Some(until)) => Counts::Until(until),
            (true, None) if line.len() <= SHORT => Counts::Clauses,
            (true, None) => Counts::Marked,
        }
    }
}

impl Counts {
    /// Whether the word counts that starts here in a line, of which this many bytes before it were cut off.
    pub(super) fn has(self, line: &[u8], start: usize, cut: usize) -> bool {
        match self {
            Self::All => !is_in_quotes(line, start),
            Self::Until(until) => cut + start < until,
            Self::Clauses => begins_a_clause(line, start),
            // The words of a line that begins like an error say what it is.
            Self::Marked => true,
            Self::Verdict => is_verdict(line, start),
            Self::Nothing => false,
        }
    }

    /// Whether an exit status in this line is one of the tool: those in a list or in a long sentence are not.
    pub(super) fn has_exit(self, line: &[u8]) -> bool {
        match self {
            Self::All | Self::Nothing => true,
            Self::Until(_) | Self::Clauses | Self::Marked => line.len() <= SHORT || is_row(line),
            Self::Verdict => false,
        }
    }
}

/// Whether a word begins the line in upper case, or a clause in it: "x: cannot open y".
fn begins_a_clause(line: &[u8], start: usize) -> bool {
    line[..start].trim_ascii_end().ends_with(b":") || start == 0 && !line[0].is_ascii_lowercase()
}

/// Whether a word ends the line behind a mark: "lint: failed", "lint ... failed".
fn is_verdict(line: &[u8], start: usize) -> bool {
    let before = line[..start].trim_ascii_end();
    let end = meaning(&line[start..]).map_or(0, |(_, length)| start + length);
    matches!(before, [.., b':' | b'.' | b'=' | b'>']) && line[end..].trim_ascii().is_empty()
}

/// Whether a word is in a quotation, which is about something else: `"Login failed" (open)`.
fn is_in_quotes(line: &[u8], start: usize) -> bool {
    let (before, behind) = line.split_at(start);
    let Some(quote) = before.iter().rposition(|byte| *byte == b'"') else { return false };
    let count = before.iter().filter(|byte| **byte == b'"').count();
    let opens = quote == 0 || matches!(before[quote - 1], b' ' | b'(');
    count % 2 == 1
        && opens
        && !matches!(before[..quote].trim_ascii_end(), [.., b':' | b'='])
        && behind.contains(&b'"')
}

/// Whether a text has a title, and an empty line below it.
fn has_title(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let (Some(title), Some([])) = (lines.next(), lines.next()) else { return false };
    !title.is_empty() && sentences(title) == 0
}

/// Whether the first line of a text says how many lines follow.
fn is_announced(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let Some(first) = lines.next() else { return false };
    let is_announcement =
        first[0].is_ascii_digit() || first.ends_with(b":") || first.ends_with("：".as_bytes());
    if !is_announcement {
        return false;
    }
    let count = lines.count();
    let mut words = first.split(|byte| !byte.is_ascii_alphanumeric());
    let is_count = |word: &[u8]| str::from_utf8(word).is_ok_and(|it| it.parse() == Ok(count));
    count >= ITEMS && words.any(is_count)
}

/// How many sentences a text has: with a word in lower case or of another script before the stop.
fn sentences(text: &[u8]) -> usize {
    let (mut count, mut start) = (0, 0);
    for at in memchr3_iter(b'.', b'!', b'?', text) {
        let (sentence, behind) = (&text[start..at], &text[at + 1..]);
        // What goes on behind three dots is a step of work: "Connecting... connected."
        if behind.starts_with(b".") {
            start = at + 1;
            continue;
        }
        let before = sentence.last().copied().unwrap_or_default();
        let ends = before.is_ascii_lowercase() || before >= 0x80 || b"\"')`".contains(&before);
        let apart = behind.first().is_none_or(u8::is_ascii_whitespace);
        let begins = || behind.trim_ascii_start().first().is_none_or(|next| !next.is_ascii_lowercase());
        if ends && apart && begins() {
            let mut blanks = sentence.iter().filter(|byte| matches!(byte, b' ' | b'\n'));
            count += usize::from(blanks.nth(BLANKS - 1).is_some());
            start = at + 1;
        }
    }
    // The stops of Chinese and Japanese: 。！？
    let wide = |at: &usize| matches!(text[*at..], [0xe3, 0x80, 0x82, ..] | [0xef, 0xbc, 0x81 | 0x9f, ..]);
    count + memchr2_iter(0xe3, 0xef, text).filter(wide).count()
}

/// Whether the line is an item of a list: "- x", "3. x", "#12 x".
fn is_item(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let number = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match line {
        [b'-' | b'*', b' ', ..] | [0xe2, 0x80, 0xa2, ..] | [0xe3, 0x83, 0xbb, ..] => true,
        [b'#', rest @ ..] => number(rest) > 0,
        [b'0'..=b'9', ..] => matches!(line[number(line)..], [b'.' | b')', b' ', ..]),
        _ => false,
    }
}

/// Whether the line is a row of a table: its parts are divided by tabs, bars, wide gaps, or by commas or semicolons
/// without blanks.
fn is_row(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let tabs = memchr_iter(b'\t', line).count();
    let bars = memchr_iter(b'|', line).filter(|at| line[..*at].ends_with(b" ")).count();
    if tabs > 1 || bars > 1 {
        return true;
    }
    let is_gap = |at: &usize| {
        line[at + 1] == b' ' && at.checked_sub(1).is_some_and(|before| !b" .".contains(&line[before]))
    };
    let mut gaps = memchr_iter(b' ', line).filter(is_gap);
    if gaps.nth(1).is_some() {
        return true;
    }
    let Some(mark) = memchr3(b',', b';', b' ', line).map(|at| line[at]).filter(|mark| *mark != b' ') else {
        return false;
    };
    let is_bare = |at: &usize| line.get(at + 1).is_some_and(|next| *next != b' ');
    memchr_iter(mark, line).filter(is_bare).nth(1).is_some()
}

/// Whether the line is a heading of a document: "## Errors".
fn is_heading(line: &[u8]) -> bool {
    let marks = line.iter().take_while(|byte| **byte == b'#').count();
    marks > 0 && line.get(marks) == Some(&b' ')
}

/// The name of a member, in a line such as "Subject: x".
fn name(line: &[u8]) -> Option<&[u8]> {
    const WIDE: &[u8] = "：".as_bytes();
    let wide = |at: &usize| line[*at..].starts_with(WIDE);
    let plain = |at: &usize| line[*at] == b':' && line.get(at + 1).is_none_or(u8::is_ascii_whitespace);
    let mut colons = memchr2_iter(b':', WIDE[0], &line[..line.len().min(NAME)]);
    let end = colons.find(|at| plain(at) || wide(at))?;
    let name = &line[..end];
    let is_part =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'_' | b'#' | 0x80..);
    let begins = name.first().is_some_and(|first| first.is_ascii_alphabetic() || *first >= 0x80);
    (begins && name.iter().all(is_part) && !is_marked(line)).then_some(name)
}

/// Whether a text begins with members, after a title at most: with several, or with a few above a body. Programs begin
/// a line with their name, too, but mostly in lower case, and each with the same.
fn is_record(text: &[u8]) -> bool {
    let lines = || text.split(|byte| *byte == b'\n');
    let title = usize::from(lines().next().is_some_and(|line| name(line).is_none()));
    let members = lines().skip(title).take_while(|line| name(line).is_some()).count();
    let names = || lines().skip(title).take(members).filter_map(name);
    let is_apart = names().enumerate().all(|(at, one)| names().take(at).all(|other| other != one));
    let lower = names().filter(|name| name[0].is_ascii_lowercase()).count();
    let above = lines().nth(title + members).is_some_and(|line| line.trim_ascii().is_empty());
    is_apart
        && match lower {
            0 => members >= MEMBERS || title == 0 && members + 1 == MEMBERS && above,
            _ => title == 0 && members > MEMBERS,
        }
}

/// Whether the name of a member speaks of the tool itself.
fn tells(line: &[u8]) -> bool {
    let named = name(line).unwrap_or_default();
    [&b"status"[..], b"result", b"message", b"reason", b"outcome"]
        .iter()
        .any(|it| named.eq_ignore_ascii_case(it))
}
