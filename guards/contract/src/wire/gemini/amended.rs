//! A response without some of its calls, with others mended, or with one more text.

use super::part::Piece;
use crate::wire::amended::{Amendment, CallChange, name};
use crate::wire::answering::Answering;
use crate::wire::content::json;
use crate::wire::mark::{self, NOT_SIGNED};
use crate::wire::patch::{Json, Patch};
use crate::wire::stream::raw::Raw;

/// A response in one piece, or the array of pieces that a stream without `alt=sse` is.
pub(in crate::wire) fn whole(text: &str, change: &Amendment, answering: &Answering) -> Option<String> {
    let root = Json::parse(text)?;
    let pieces = if root.is_list() { root.elements() } else { vec![root] };
    let plan = Plan::of(&pieces, change, 0)?;
    let mut patch = Patch::new(text);
    for (at, piece) in pieces.iter().enumerate() {
        plan.change(&mut patch, at, *piece, answering);
    }
    Some(patch.end())
}

/// A response in events.
pub(in crate::wire) fn stream(
    events: &[Raw<'_>],
    change: &Amendment,
    answering: &Answering,
) -> Option<String> {
    let data: Vec<Option<&str>> = events.iter().map(Raw::json).collect();
    let pieces: Option<Vec<Json<'_>>> = data.iter().flatten().map(|it| Json::parse(it)).collect();
    let sent = events.iter().filter(|it| it.json().is_some() && it.start < change.sent).count();
    let plan = Plan::of(&pieces?, change, sent)?;
    let mut text = String::new();
    let mut at = 0;
    for (event, data) in events.iter().zip(data) {
        let Some(data) = data else {
            text.push_str(event.text);
            continue;
        };
        let mut patch = Patch::new(data);
        plan.change(&mut patch, at, Json::parse(data)?, answering);
        text.push_str(&event.patched(data, patch));
        at += 1;
    }
    Some(text)
}

/// What becomes of the pieces of a response.
struct Plan<'c> {
    /// For each of them, what becomes of its parts that are calls.
    fates: Vec<Vec<Option<&'c CallChange>>>,
    /// The text, with the piece and the part that it comes before.
    text: Option<(usize, usize, String)>,
    /// The piece and the part of the call that is the first one now, and lacks a signature. The models of Gemini 3
    /// sign the first call alone, and refuse an answer whose first call is not signed.
    unsigned: Option<(usize, usize)>,
}

impl<'c> Plan<'c> {
    /// A client has so many pieces already.
    fn of(pieces: &[Json<'_>], change: &'c Amendment, sent: usize) -> Option<Self> {
        let parts: Vec<Vec<Json<'_>>> = pieces.iter().map(|it| parts(*it)).collect();
        let mut all = change.fates(parts.iter().flatten().map(|it| call(*it).is_some()))?.into_iter();
        let fates: Vec<Vec<_>> = parts.iter().map(|it| all.by_ref().take(it.len()).collect()).collect();
        let places = || {
            let of = |(at, fates): (usize, &Vec<Option<&'c CallChange>>)| {
                let fates = fates.clone();
                fates.into_iter().enumerate().filter_map(move |(nth, fate)| Some((at, nth, fate?)))
            };
            fates.iter().enumerate().flat_map(of)
        };
        let is_signed = |(at, nth, _): &(usize, usize, _)| signature(parts[*at][*nth]).is_some();
        let loses = places().next().is_some_and(|it| it.2.is_gone() && is_signed(&it));
        let first = places().find(|(_, _, fate)| !fate.is_gone());
        let unsigned = first.filter(|it| loses && !is_signed(it)).map(|(at, nth, _)| (at, nth));
        let text = match change.text() {
            None => None,
            Some(text) => {
                // It is below all others, and before the calls if it can be.
                let is_text = |at: usize| parts[at].iter().rposition(|it| is_text(*it)).map(|nth| (at, nth));
                let below = (0..parts.len()).rev().find_map(is_text);
                let mut calls = places().map(|(at, nth, _)| (at, nth));
                let call = calls.find(|it| it.0 >= sent && Some(*it) > below);
                let last = || (sent..pieces.len()).rfind(|at| candidate(pieces[*at]).is_some());
                let (at, nth) = call.or_else(|| last().map(|at| (at, parts[at].len())))?;
                Some((at, nth, json(&Piece::text(&text.into()))))
            }
        };
        Some(Self { fates, text, unsigned })
    }

    /// Changes the piece with this index.
    fn change<'a>(&self, patch: &mut Patch<'a>, at: usize, piece: Json<'a>, answering: &Answering) {
        let Some(candidate) = candidate(piece) else { return };
        let text = self.text.as_ref().filter(|it| it.0 == at).map(|(_, nth, text)| (*nth, &**text));
        let content = candidate.member("content").filter(|it| !it.is_null());
        let list = content.and_then(|it| it.member("parts")).filter(|it| it.is_list());
        let (Some(list), fates) = (list, &self.fates[at]) else {
            let Some((_, text)) = text else { return };
            return match content {
                Some(content) => patch.set(content, "parts", &format!("[{text}]")),
                None => patch.set(candidate, "content", &format!(r#"{{"parts":[{text}],"role":"model"}}"#)),
            };
        };
        for (nth, (part, fate)) in list.elements().into_iter().zip(fates).enumerate() {
            if self.unsigned == Some((at, nth)) {
                patch.set(part, "thoughtSignature", &json(&NOT_SIGNED));
            }
            if let (Some(new), Some(old)) = (fate.and_then(CallChange::call), call(part)) {
                patch.set(old, "name", &json(&name(new, &answering.names)));
                patch.set(old, "args", mark::object(&new.arguments).get());
            }
        }
        patch.list(list, |nth| fates[nth].is_some_and(CallChange::is_gone), text);
    }
}

/// The candidate that counts.
fn candidate(piece: Json<'_>) -> Option<Json<'_>> {
    let is_first = |it: &Json<'_>| it.member("index").and_then(Json::number).unwrap_or_default() == 0;
    piece.member("candidates")?.elements().into_iter().find(is_first)
}

fn parts(piece: Json<'_>) -> Vec<Json<'_>> {
    let content = candidate(piece).and_then(|it| it.member("content"));
    content.and_then(|it| it.member("parts")).map_or_else(Vec::new, Json::elements)
}

fn call(part: Json<'_>) -> Option<Json<'_>> {
    part.either(["functionCall", "function_call"]).filter(|it| !it.is_null())
}

fn is_text(part: Json<'_>) -> bool {
    let is_thought = part.member("thought").is_some_and(Json::is_true);
    part.member("text").is_some() && !is_thought
}

fn signature(part: Json<'_>) -> Option<Json<'_>> {
    part.either(["thoughtSignature", "thought_signature"]).filter(|it| !it.is_null())
}
