//! The calls of a request and their results, for the rules that all providers share.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::legal::{Illegal, Rule};
use super::place::Place;

/// The calls of the messages so far.
#[derive(Default)]
pub(super) struct Calls {
    /// Which one of them each is, and whether it has no result yet.
    all: BTreeMap<Arc<str>, (usize, bool)>,
    open: usize,
}

impl Calls {
    /// A call with this id, which is at `place`.
    pub(super) fn ask(&mut self, id: &Arc<str>, place: Place<'_>) -> Result<(), Illegal> {
        if self.all.contains_key(id) {
            return Err(Illegal::new(Rule::RepeatedId, place, format!("`{id}` again")));
        }
        self.all.insert(id.clone(), (self.all.len(), true));
        self.open += 1;
        Ok(())
    }

    /// A result for the call with this id, which is at `place`.
    pub(super) fn answer(&mut self, id: Option<&str>, place: Place<'_>) -> Result<(), Illegal> {
        let Some(id) = id else { return Err(Illegal::new(Rule::OrphanedResult, place, "no id")) };
        let rule = match self.all.get_mut(id) {
            Some((_, is_open @ true)) => {
                *is_open = false;
                self.open -= 1;
                return Ok(());
            }
            Some(_) => Rule::ResultPlace,
            None => Rule::OrphanedResult,
        };
        Err(Illegal::new(rule, place, format!("`{id}`")))
    }

    /// `next` follows, at `place`.
    pub(super) fn all_answered(&self, place: Place<'_>, next: &str) -> Result<(), Illegal> {
        if self.open == 0 {
            return Ok(());
        }
        let open = self.all.iter().filter(|(_, (_, is_open))| *is_open);
        match open.min_by_key(|(_, (at, _))| *at) {
            None => Ok(()),
            Some((id, _)) => {
                let found = format!("{next} while call `{id}` has none");
                Err(Illegal::new(Rule::UnansweredCall, place, found))
            }
        }
    }
}
