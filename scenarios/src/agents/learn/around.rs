//! What an agent puts around what its user or a tool said.

use std::cmp::Reverse;

use super::outline::{self, HOLE, letters, masked};
use super::proposal::{Evidence, Open, PART, Proposal, name, toml};
use crate::agents::pattern::Pattern;
use crate::agents::profile::Place;

/// Texts with the same things around what was said.
struct Group<'o> {
    place: Place,
    is_json: bool,
    /// The lines before what was said, and those after it, with holes for what varies.
    around: [Vec<String>; 2],
    members: Vec<&'o Open<'o>>,
}

/// What texts show around what was said. A pattern with more of its own comes before one
/// with less, because the first one that fits takes the text.
pub(super) fn proposals<'o>(open: &'o [Open<'o>], _: usize) -> Vec<Proposal<'o>> {
    let mut groups: Vec<Group<'o>> = Vec::new();
    for new in open.iter().filter_map(Group::of) {
        match groups.iter_mut().find_map(|it| Some((it.around_both(&new)?, it))) {
            Some((around, group)) => {
                group.around = around;
                group.members.extend(new.members);
            }
            None => groups.push(new),
        }
    }
    groups.sort_by_key(|it| Reverse(it.around.iter().flatten().map(|line| letters(line)).sum::<usize>()));
    let only_failures_have_status =
        groups.iter().any(|it| it.has_failed() && it.pattern().contains("{status}"));
    groups.into_iter().filter_map(|it| it.proposal(only_failures_have_status)).collect()
}

/// A shorter text can be anywhere by chance.
const LEAST: usize = 4;
/// Finds what was said in a text: as it is, as a JSON string, or the beginning or the end of a long one.
fn find(text: &str, said: &str) -> Option<(usize, usize, bool)> {
    let plain = said.trim_end();
    if plain.chars().count() < LEAST {
        return None;
    }
    if let Some((from, to)) = json(text, plain) {
        return Some((from, to, true));
    }
    if let Some((from, to)) = only(text, plain) {
        return Some((from, to, false));
    }
    let (cut, _) = plain.char_indices().nth(PART)?;
    if let Some((from, _)) = once(text, &plain[..cut]) {
        let part = outline::common_head(&text[from..], plain).trim_end();
        return Some((from, from + part.len(), false));
    }
    let (cut, _) = plain.char_indices().nth_back(PART)?;
    let (_, to) = once(text, &plain[cut..])?;
    Some((to - outline::common_tail(&text[..to], plain).trim_start().len(), to, false))
}

/// The only place of some words in a text as a JSON string, with its quotes. A string without anything that JSON
/// writes in another way is no sign of JSON.
fn json(text: &str, words: &str) -> Option<(usize, usize)> {
    let string = serde_json::to_string(words).ok()?;
    let inside = &string[1..string.len() - 1];
    let (from, to) = once(text, inside)?;
    let after = text[to..].trim_start_matches("\\n");
    let end = text.len() - after.len();
    let is_quoted = text[..from].ends_with('"') && after.starts_with('"');
    (is_quoted && (inside != words || end > to)).then(|| (from - 1, end + 1))
}

/// The only place of some words in a text, where they are no part of other words.
fn only(text: &str, words: &str) -> Option<(usize, usize)> {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    once(text, words).filter(|(from, to)| {
        let before = is_word(text[..*from].chars().next_back()) && is_word(words.chars().next());
        let after = is_word(text[*to..].chars().next()) && is_word(words.chars().next_back());
        !before && !after
    })
}

/// The only place of some characters in a text.
fn once(text: &str, characters: &str) -> Option<(usize, usize)> {
    let mut all = text.match_indices(characters);
    let (at, _) = all.next()?;
    all.next().is_none().then_some((at, at + characters.len()))
}

/// The lines of a text with holes. The middle of a long one is a hole as well.
fn lines(text: &str) -> Vec<String> {
    let all: Vec<String> = text.split('\n').map(|it| masked(&it.replace(HOLE, " "))).collect();
    if all.len() <= MOST_LINES {
        return all;
    }
    let (first, last) = (&all[..2], &all[all.len() - 2..]);
    [first, &[HOLE.to_string()], last].concat()
}

/// Agents write facts about a call as a label and a value, and the value is of this call.
fn hide_value(line: &mut String) {
    let label = line.find(": ").filter(|at| {
        let is_name = |c: char| c.is_alphanumeric() || c == ' ';
        line.starts_with(char::is_uppercase) && line[..*at].chars().all(is_name)
    });
    if let Some(at) = label {
        line.truncate(at + 2);
        line.push(HOLE);
    }
}

/// More lines are not kept whole.
const MOST_LINES: usize = 12;

/// What two lines have in common, if that tells them from others.
fn both(a: &str, b: &str) -> Option<String> {
    if a == b {
        return Some(a.to_owned());
    }
    let head = outline::common_head(a, b);
    let tail = outline::common_tail(&a[head.len()..], &b[head.len()..]);
    let line = format!("{head}{HOLE}{tail}");
    let twice = [HOLE, HOLE].iter().collect::<String>();
    (letters(&line) >= LETTERS).then(|| line.replace(&twice, &HOLE.to_string()))
}

/// So many letters tell a line from others.
const LETTERS: usize = 3;

impl<'o> Group<'o> {
    /// What is around what was said in one text. `None` if that is not found in it.
    fn of(open: &'o Open<'o>) -> Option<Self> {
        let Open { shown, text } = open;
        let (from, to, is_json) = find(text, shown.said.as_deref()?)?;
        // What was said may have ended with a line of its own.
        let after = &text[to..];
        let blanks = after.len() - after.trim_start_matches('\n').len();
        let mut around = [lines(&text[..from]), lines(&after[blanks.saturating_sub(1)..])];
        if shown.place == Place::Result {
            let [before, after] = &mut around;
            // What is in the same line as what was said is no value of another label.
            let (_, values) = before.split_last_mut().expect("a text has a line");
            values.iter_mut().chain(after.iter_mut().skip(1)).for_each(hide_value);
        }
        Some(Self { place: shown.place, is_json, around, members: vec![open] })
    }

    /// What is around both.
    fn around_both(&self, other: &Self) -> Option<[Vec<String>; 2]> {
        let same = self.place == other.place && self.is_json == other.is_json;
        let side = |at: usize| {
            let (a, b) = (&self.around[at], &other.around[at]);
            let lines = a.iter().zip(b).map(|(a, b)| both(a, b)).collect::<Option<Vec<_>>>();
            lines.filter(|_| same && a.len() == b.len())
        };
        Some([side(0)?, side(1)?])
    }

    /// Whether all its calls failed.
    fn has_failed(&self) -> bool {
        self.members.iter().all(|it| it.shown.failed)
    }

    fn pattern(&self) -> String {
        let [before, after] = self.around.each_ref().map(|it| outline::pattern(&it.join("\n")));
        let said = if self.is_json { "{json}" } else { "{says}" };
        self.with_status(format!("{before}{said}{after}"))
    }

    /// `None` if no pattern tells what was said, or nothing does but blanks. Where only failures have a status, a
    /// result without one is of a call that worked.
    fn proposal(self, only_failures_have_status: bool) -> Option<Proposal<'o>> {
        let text = self.pattern();
        let pattern = Pattern::read(&text).ok().filter(|it| !it.is_blank())?;
        let mut evidence = Evidence::default();
        let mut has_status = false;
        for Open { shown, text } in &self.members {
            let Some(inside) = pattern.inside(text).filter(|it| *it.text != **text) else { continue };
            evidence.saw(&shown.run);
            has_status |= inside.status.is_some();
        }
        let mut keys = vec![("what", name(self.place)), ("text", toml(&text))];
        let has_worked = self.members.iter().all(|it| !it.shown.failed);
        if self.place == Place::Result && !has_status {
            if self.has_failed() {
                keys.push(("failed", true.into()));
            } else if has_worked && only_failures_have_status {
                keys.push(("failed", false.into()));
            }
        }
        Some(Proposal { header: "around", keys, evidence })
    }

    /// The pattern with the hole that is the exit status, if one is: 0 in every call that worked, and another number
    /// in every call that failed.
    fn with_status(&self, text: String) -> String {
        if self.place == Place::User || !self.members.iter().any(|it| it.shown.failed) {
            return text;
        }
        let is_status = |text: &String| {
            let Ok(pattern) = Pattern::read(text) else { return false };
            self.members.iter().all(|Open { shown, text }| {
                let status = pattern.inside(text).and_then(|it| it.status);
                status.is_some_and(|it| (it != 0) == shown.failed)
            })
        };
        let holes = text.match_indices("{*}").map(|(at, hole)| (at, at + hole.len()));
        let mut tried = holes.map(|(from, to)| format!("{}{{status}}{}", &text[..from], &text[to..]));
        tried.find(is_status).unwrap_or(text)
    }
}
