//! The calls of a request and their results, for the rules that all providers share.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::legal::{Illegal, Rule};
use super::place::Place;

/// The calls of the messages so far.
#[derive(Default)]
pub(super) struct Calls {
    all: BTreeSet<Arc<str>>,
    open: Vec<Arc<str>>,
}

impl Calls {
    /// A call with this id, which is at `place`.
    pub(super) fn ask(&mut self, id: &Arc<str>, place: Place<'_>) -> Result<(), Illegal> {
        if !self.all.insert(id.clone()) {
            return Err(Illegal::new(Rule::RepeatedId, place, format!("`{id}` again")));
        }
        self.open.push(id.clone());
        Ok(())
    }

    /// A result for the call with this id, which is at `place`.
    pub(super) fn answer(&mut self, id: Option<&str>, place: Place<'_>) -> Result<(), Illegal> {
        let Some(id) = id else { return Err(Illegal::new(Rule::OrphanedResult, place, "no id")) };
        if let Some(at) = self.open.iter().position(|open| **open == *id) {
            self.open.remove(at);
            return Ok(());
        }
        let rule = if self.all.contains(id) { Rule::ResultPlace } else { Rule::OrphanedResult };
        Err(Illegal::new(rule, place, format!("`{id}`")))
    }

    /// `next` follows, at `place`.
    pub(super) fn all_answered(&self, place: Place<'_>, next: &str) -> Result<(), Illegal> {
        match self.open.first() {
            None => Ok(()),
            Some(id) => {
                let found = format!("{next} while call `{id}` has none");
                Err(Illegal::new(Rule::UnansweredCall, place, found))
            }
        }
    }
}
