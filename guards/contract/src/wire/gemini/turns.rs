//! Which result answers which call, where ids are missing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::part::{Answer, Piece};
use crate::completion::RawCall;
use crate::view::Message;
use crate::wire::place::Place;
use crate::wire::reading::Unreadable;

/// The calls of the contents so far.
#[derive(Default)]
pub(super) struct Turns {
    count: usize,
    /// The calls of the last turn with calls that have no result yet.
    open: Open,
}

/// The id and the tool of each call, by its number. Results come in any order.
#[derive(Default)]
struct Open {
    calls: BTreeMap<usize, [Arc<str>; 2]>,
    by_id: BTreeSet<(Arc<str>, usize)>,
    by_tool: BTreeSet<(Arc<str>, usize)>,
    /// Whether a call came with an id.
    has_ids: bool,
}

impl Open {
    fn push(&mut self, number: usize, id: &Arc<str>, tool: &Arc<str>) {
        self.calls.insert(number, [id.clone(), tool.clone()]);
        self.by_id.insert((id.clone(), number));
        self.by_tool.insert((tool.clone(), number));
    }

    /// The id of the first call that this can answer, which is open no more. Where calls have no ids, those of results
    /// are the client's own, as with gemini-cli.
    fn answered(&mut self, answer: &Answer) -> Option<Arc<str>> {
        let number = if self.has_ids && !answer.id.is_empty() {
            first(&self.by_id, &answer.id)
        } else {
            first(&self.by_tool, &answer.name).or(self.calls.keys().next().copied())
        };
        let number = number?;
        let [id, tool] = self.calls.remove(&number)?;
        self.by_id.remove(&(id.clone(), number));
        self.by_tool.remove(&(tool, number));
        Some(id)
    }
}

/// The lowest number of those with this name.
fn first(numbers: &BTreeSet<(Arc<str>, usize)>, name: &Arc<str>) -> Option<usize> {
    numbers.range((name.clone(), 0)..=(name.clone(), usize::MAX)).next().map(|(_, number)| *number)
}

impl Turns {
    /// The calls in a turn of the model, which is at `place`.
    pub(super) fn of_model(&mut self, parts: &[Piece], place: Place<'_>) -> Result<Vec<RawCall>, Unreadable> {
        let mut calls = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let Some(call) = &part.function_call else { continue };
            if calls.is_empty() {
                self.open = Open::default();
            }
            self.count += 1;
            self.open.has_ids |= !call.id.is_empty();
            let id = if call.id.is_empty() { format!("call-{}", self.count).into() } else { call.id.clone() };
            calls.push(call.raw(&id, place.nth(at).member("functionCall"))?);
            self.open.push(self.count, &id, &call.name);
        }
        Ok(calls)
    }

    /// A part of a turn of the user.
    pub(super) fn of_user(&mut self, part: &Piece) -> Message {
        match &part.function_response {
            Some(answer) => {
                let (text, is_error) = answer.said();
                Message::Result { id: self.answered(answer), text, is_error }
            }
            None => Message::User(part.shown()),
        }
    }

    /// The id of the call that this answers; empty if there is none.
    fn answered(&mut self, answer: &Answer) -> Arc<str> {
        self.open.answered(answer).unwrap_or_else(|| answer.id.clone())
    }
}
