//! What an agent puts around what its user or a tool said.

use std::cmp::Reverse;

use super::outline::{self, HOLE, letters, masked};
use super::{Evidence, Open, PART, Proposal, name, toml};
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
    groups.into_iter().filter_map(Group::proposal).collect()
}

/// A shorter text can be anywhere by chance.
const LEAST: usize = 4;
/// Finds what was said in a text: as it is, as a JSON string, or the beginning or the end of a long one.
fn find(text: &str, said: &str) -> Option<(usize, usize, bool)> {
    let plain = said.trim_end();
    if plain.chars().count() < LEAST {
        return None;
    }
    if let Some((from, to)) = only(text, plain) {
        return Some((from, to, false));
    }
    if let Some((from, to)) = only(text, &serde_json::to_string(said).ok()?) {
        return Some((from, to, true));
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
        let around = [lines(&text[..from]), lines(&after[blanks.saturating_sub(1)..])];
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

    /// `None` if no pattern tells what was said, or nothing does but blanks.
    fn proposal(self) -> Option<Proposal<'o>> {
        let [before, after] = self.around.each_ref().map(|it| outline::pattern(&it.join("\n")));
        let said = if self.is_json { "{json}" } else { "{says}" };
        let text = self.with_status(format!("{before}{said}{after}"));
        let pattern = Pattern::read(&text).ok().filter(|it| !it.is_blank())?;
        let mut evidence = Evidence::default();
        let (mut failed, mut has_status) = (true, false);
        for Open { shown, text } in &self.members {
            let Some(inside) = pattern.inside(text).filter(|it| *it.text != **text) else { continue };
            evidence.saw(&shown.run);
            failed &= shown.failed;
            has_status |= inside.status.is_some();
        }
        let mut keys = vec![("what", name(self.place)), ("text", toml(&text))];
        if self.place == Place::Result && failed && !has_status {
            keys.push(("failed", true.into()));
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
