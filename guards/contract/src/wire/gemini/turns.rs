//! Which result answers which call, where ids are missing.

use std::collections::VecDeque;
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
    /// The id and the tool of each call of the last turn with calls that has no result yet.
    open: VecDeque<(Arc<str>, Arc<str>)>,
}

impl Turns {
    /// The calls in a turn of the model, which is at `place`.
    pub(super) fn of_model(&mut self, parts: &[Piece], place: Place<'_>) -> Result<Vec<RawCall>, Unreadable> {
        let mut calls = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let Some(call) = &part.function_call else { continue };
            if calls.is_empty() {
                self.open.clear();
            }
            self.count += 1;
            let id = if call.id.is_empty() { format!("call-{}", self.count).into() } else { call.id.clone() };
            calls.push(call.raw(&id, place.nth(at).member("functionCall"))?);
            self.open.push_back((id, call.name.clone()));
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
        let at = if answer.id.is_empty() {
            self.open.iter().position(|(_, name)| *name == answer.name).or(Some(0))
        } else {
            self.open.iter().position(|(id, _)| *id == answer.id)
        };
        let known = at.and_then(|at| self.open.remove(at)).map(|(id, _)| id);
        known.unwrap_or_else(|| answer.id.clone())
    }
}
