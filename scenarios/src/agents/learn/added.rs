//! Texts that an agent adds: blocks between tags, and messages of its own.

use std::collections::BTreeMap;

use super::outline::{self, HOLE, letters};
use super::proposal::{Evidence, Open, Proposal, name, toml};
use crate::agents::pattern::Pattern;
use crate::agents::profile::Place;

/// A block of the agent.
#[derive(Clone, Copy)]
struct Block<'o> {
    run: &'o str,
    place: Place,
    text: &'o str,
}

/// What the texts that these blocks are in show of the agent alone. Beginnings that too few runs have are put together
/// with those that are like them.
pub(super) fn proposals<'o>(open: &'o [Open<'o>], needed: usize) -> Vec<Proposal<'o>> {
    let mut kinds: BTreeMap<(Place, &'o str), Vec<Block<'o>>> = BTreeMap::new();
    for block in open.iter().flat_map(blocks) {
        kinds.entry((block.place, outline::head(block.text))).or_default().push(block);
    }
    let mut together: Vec<((Place, &'o str), Vec<Block<'o>>)> = Vec::new();
    for ((place, head), blocks) in kinds {
        if let Some(((before, alike), others)) = together.last_mut()
            && *before == place
            && (runs(others) < needed || runs(&blocks) < needed)
            && let Some(common) = both(alike, head)
        {
            *alike = common;
            others.extend(blocks);
        } else {
            together.push(((place, head), blocks));
        }
    }
    together.into_iter().filter_map(|((place, head), blocks)| proposal(place, head, &blocks)).collect()
}

fn runs(blocks: &[Block<'_>]) -> usize {
    let mut all: Vec<&str> = blocks.iter().map(|it| it.run).collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

/// So many letters tell a beginning from others that have the same tag.
const LETTERS: usize = 12;

/// What two beginnings have in common, if that tells them from others.
fn both<'o>(a: &'o str, b: &str) -> Option<&'o str> {
    let common = outline::common_head(a, b);
    let common = outline::whole_words(common, &a[common.len()..]);
    tells(common).then_some(common)
}

/// Whether a beginning tells a text from others that have the same tag.
fn tells(head: &str) -> bool {
    letters(tag(head).map_or(head, |tag| &head[tag.len()..])) >= LETTERS
}

/// `None` if nothing says where these texts begin or end.
fn proposal<'o>(place: Place, head: &str, blocks: &[Block<'o>]) -> Option<Proposal<'o>> {
    let [first, others @ ..] = blocks else { return None };
    let is_same = others.iter().all(|it| it.text == first.text);
    let text = if is_same && first.text.len() <= SHORT {
        outline::masked(first.text)
    } else {
        let tail = if tag(head).is_some() && tells(head) {
            &first.text[first.text.rfind("</").unwrap_or(0)..]
        } else {
            others.iter().fold(outline::tail(first.text), |tail, it| outline::both_tails(tail, it.text))
        };
        format!("{head}{HOLE}{tail}")
    };
    let text = outline::pattern(&text);
    let pattern =
        Pattern::read(&text).ok().filter(Pattern::is_closed).filter(|_| letters(&text) >= LETTERS / 2)?;
    let mut evidence = Evidence::default();
    for block in blocks.iter().filter(|it| pattern.removed_from(it.text).is_some_and(|left| left.is_empty()))
    {
        evidence.saw(block.run);
    }
    Some(Proposal { header: "added", keys: vec![("to", name(place)), ("text", toml(&text))], evidence })
}

/// A text that is always the same is kept whole up to so many bytes.
const SHORT: usize = 120;

/// The blocks of the agent in a text: all of it, if nothing in it was said; else the blocks between tags that are
/// around what was said.
fn blocks<'o>(Open { shown, text }: &'o Open<'o>) -> Vec<Block<'o>> {
    let block = |text| Block { run: &shown.run, place: shown.place, text };
    let Some(said) = shown.said.as_deref().map(str::trim) else {
        return parts(text).into_iter().map(block).collect();
    };
    let Some(at) = text.rfind(said).filter(|_| !said.is_empty()) else { return Vec::new() };
    let around = [&text[..at], &text[at + said.len()..]];
    around.into_iter().flat_map(parts).filter(|it| tagged(it) == Some(it)).map(block).collect()
}

/// The parts of a text: blocks between a tag and its end at the start of a line, and what is between them.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let part = tagged(rest).unwrap_or_else(|| {
            let mut lines = rest.match_indices('\n');
            let next = lines.find(|(at, _)| tagged(rest[at + 1..].trim_start()).is_some());
            next.map_or(rest, |(at, _)| &rest[..at]).trim_end()
        });
        parts.push(part);
        rest = rest[part.len()..].trim_start();
    }
    parts
}

/// The block between a tag and its end that a text begins with.
fn tagged(text: &str) -> Option<&str> {
    let name = tag(text)?[1..].split(|c: char| c == '>' || c.is_whitespace()).next()?;
    let end = format!("</{name}>");
    Some(&text[..text.find(&end)? + end.len()])
}

/// The tag that a text begins with.
fn tag(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('<').filter(|it| it.starts_with(|c: char| c.is_ascii_alphabetic()))?;
    let end = inside.find(['>', '\n']).filter(|at| inside[*at..].starts_with('>'))?;
    Some(&text[..end + 2])
}
