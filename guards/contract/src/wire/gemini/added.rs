//! New messages of a request, as parts. Where ids are missing, the order of the results says which calls they answer.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use super::part::Piece;
use crate::completion::Completion;
use crate::view::Message;
use crate::wire::content::json;
use crate::wire::mark;
use crate::wire::names::Names;
use crate::wire::splice::{New, Side};

/// The new messages, in the order of the whole conversation.
pub(super) struct Added<'a> {
    wire: &'a Names,
    has_ids: bool,
    /// How the tool of each call so far is called.
    tools: BTreeMap<Arc<str>, Arc<str>>,
    turn: Turn,
    /// The new results that would answer another call if they came now, in the order in which they were put.
    waiting: BTreeMap<Arc<str>, (usize, &'a Message)>,
    news: Vec<(usize, New)>,
}

/// The calls of the last turn with calls, by tool, without those that are answered at the front.
#[derive(Default)]
struct Turn {
    calls: BTreeMap<Arc<str>, VecDeque<Arc<str>>>,
    ids: BTreeSet<Arc<str>>,
    answered: BTreeSet<Arc<str>>,
}

impl Turn {
    /// The first call of this tool that has no result yet.
    fn next(&mut self, tool: &str) -> Option<&Arc<str>> {
        let calls = self.calls.get_mut(tool)?;
        while calls.front().is_some_and(|id| self.answered.contains(id)) {
            calls.pop_front();
        }
        calls.front()
    }
}

impl<'a> Added<'a> {
    pub(super) fn new(wire: &'a Names, has_ids: bool) -> Self {
        Self {
            wire,
            has_ids,
            tools: BTreeMap::new(),
            turn: Turn::default(),
            waiting: BTreeMap::new(),
            news: Vec::new(),
        }
    }

    /// A new message, behind `count` of the request's own.
    pub(super) fn put(&mut self, count: usize, message: &'a Message) {
        match message {
            Message::User(_) => self.flush(count),
            Message::Assistant(said) => {
                self.flush(count);
                self.turn(said, None);
            }
            Message::Result { id, .. } => {
                let tool = self.tools.get(id).cloned().unwrap_or_default();
                let is_early = self.turn.ids.contains(id) && self.turn.next(&tool).is_some_and(|it| it != id);
                if is_early && !self.has_ids {
                    let order = self.news.len() + self.waiting.len();
                    self.waiting.entry(id.clone()).or_insert((order, message));
                    return;
                }
                self.write(count, message);
                self.answer(count, id);
                return;
            }
        }
        self.write(count, message);
    }

    /// A message of the request, which may get more calls: their parts.
    pub(super) fn pass(
        &mut self,
        at: usize,
        message: &Message,
        more: Option<&Completion>,
    ) -> Option<Vec<Piece>> {
        match message {
            Message::User(_) => self.flush(at),
            Message::Assistant(said) => {
                self.flush(at);
                self.turn(said, more);
                let more = Message::Assistant(more?.clone().into());
                return Some(self.parts(&more, said.calls.is_empty()));
            }
            Message::Result { id, .. } => self.answer(at + 1, id),
        }
        None
    }

    /// The new messages, each with the number of the request's own messages before it, of which there are `count`.
    pub(super) fn end(mut self, count: usize) -> Vec<(usize, New)> {
        self.flush(count);
        self.news
    }

    /// A turn of the model begins.
    fn turn(&mut self, said: &Completion, more: Option<&Completion>) {
        let mut turn = Turn::default();
        for said in [Some(said), more].into_iter().flatten() {
            for call in &self.wire.named(said).calls {
                self.tools.insert(call.id.clone(), call.tool.clone());
                turn.calls.entry(call.tool.clone()).or_default().push_back(call.id.clone());
                turn.ids.insert(call.id.clone());
            }
        }
        if !turn.ids.is_empty() {
            self.turn = turn;
        }
    }

    /// A call has its result, so results that wait for it can come.
    fn answer(&mut self, count: usize, id: &Arc<str>) {
        self.turn.answered.insert(id.clone());
        let Some(tool) = self.tools.get(id).cloned() else { return };
        while let Some(next) = self.turn.next(&tool).cloned()
            && let Some((_, message)) = self.waiting.remove(&next)
        {
            self.write(count, message);
            self.turn.answered.insert(next);
        }
    }

    /// No more results come: those that wait come now.
    fn flush(&mut self, count: usize) {
        let mut waiting: Vec<(usize, &'a Message)> =
            std::mem::take(&mut self.waiting).into_values().collect();
        waiting.sort_by_key(|(order, _)| *order);
        for (_, message) in waiting {
            self.write(count, message);
        }
    }

    fn write(&mut self, count: usize, message: &Message) {
        let texts = self.parts(message, true).iter().map(json).collect();
        let (side, is_result) = match message {
            Message::User(_) => (Side::User, false),
            Message::Assistant(_) => (Side::Model, false),
            Message::Result { .. } => (Side::User, true),
        };
        let needs_opening = mark::needs_opening(message);
        self.news.push((count, New { side, is_result, needs_opening, texts }));
    }

    /// The parts of a message. `begins` says that its first call is the first one of a turn.
    fn parts(&self, message: &Message, begins: bool) -> Vec<Piece> {
        let (_, mut parts) = Piece::of(&self.wire.message(message), &self.tools);
        if let Some(first) = parts.iter_mut().find(|it| it.function_call.is_some()).filter(|_| begins) {
            first.thought_signature = Some(mark::NOT_SIGNED.into());
        }
        if !self.has_ids {
            parts.iter_mut().for_each(Piece::forget_id);
        }
        parts
    }
}
