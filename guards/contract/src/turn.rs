//! The entries of one turn, for hosts that show a user what came of it.

use std::sync::Arc;

use crate::completion::Completion;
use crate::entry::{Entry, Intervention, InterventionKind};

/// Splits the entries of a turn before the last answer of the model; the second part is empty if there is none.
#[must_use]
pub fn before_last_answer(entries: &[Entry]) -> (&[Entry], &[Entry]) {
    let at = entries.iter().rposition(|it| matches!(it, Entry::Completion(_)));
    entries.split_at(at.unwrap_or(entries.len()))
}

/// What the last answer is after the guards' repairs.
#[must_use]
pub fn repaired(entries: &[Entry]) -> Option<Arc<Completion>> {
    entries.iter().rev().find_map(|entry| {
        if let Entry::Completion(it)
        | Entry::Intervention(Intervention { kind: InterventionKind::Repair(it), .. }) = entry
        {
            Some(it.clone())
        } else {
            None
        }
    })
}
