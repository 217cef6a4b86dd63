//! Calls that wait for their results.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Calls in order, of which some may be answered before their turn.
#[derive(Default)]
pub(super) struct Order {
    /// Their ids; no result came for the first.
    calls: VecDeque<Arc<str>>,
    /// How many of the later calls with an id have their result.
    early: BTreeMap<Arc<str>, usize>,
}

impl Order {
    pub(super) fn push(&mut self, id: Arc<str>) {
        // What came under this id before belongs to an earlier call.
        self.early.remove(&id);
        self.calls.push_back(id);
    }

    pub(super) fn first(&self) -> Option<&Arc<str>> {
        self.calls.front()
    }

    /// Takes out the first call with this id.
    pub(super) fn take(&mut self, id: &Arc<str>) {
        let Some(first) = self.first() else { return };
        if first != id {
            *self.early.entry(id.clone()).or_default() += 1;
            return;
        }
        self.calls.pop_front();
        while let Some(first) = self.calls.front()
            && let Some(count) = self.early.get_mut(first).filter(|count| **count > 0)
        {
            *count -= 1;
            self.calls.pop_front();
        }
    }

    pub(super) fn clear(&mut self) {
        self.calls.clear();
        self.early.clear();
    }
}

/// The calls of one tool without an id.
#[derive(Default)]
pub(super) struct Nameless {
    /// The ids that they got, in order.
    ids: Vec<Arc<str>>,
    /// How many of them have their result, or were closed before the last of them.
    done: usize,
    /// How often all open calls had been closed before the last of them.
    closed: u64,
}

impl Nameless {
    /// Takes one more, before which all open calls were closed so often.
    pub(super) fn push(&mut self, id: Arc<str>, closed: u64) {
        if self.closed != closed {
            (self.closed, self.done) = (closed, self.ids.len());
        }
        self.ids.push(id);
    }

    /// Takes the last one back, if it has this id.
    pub(super) fn take_back(&mut self, id: &Arc<str>) {
        self.ids.pop_if(|last| last == id);
    }

    /// The first that waits, which then has its result; the last of all, if none waits.
    pub(super) fn next(&mut self, closed: u64) -> Option<Arc<str>> {
        let waiting = self.ids.get(self.done).filter(|_| self.closed == closed);
        self.done += usize::from(waiting.is_some());
        waiting.or_else(|| self.ids.last()).cloned()
    }
}
