//! What guards did, as a host shows or logs it.

use std::sync::Arc;

use balk_guards::{Entry, Intervention, InterventionKind, Note};
use serde::Serialize;

/// Something that a guard did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// `repair`, `feedback`, `note`, `question`, `notice`, `block` or `stop`.
    pub kind: &'static str,
    /// The guard.
    pub guard: String,
    /// The rule that fired.
    pub rule: String,
    /// The rung of its ladder, from 1.
    pub level: u8,
    /// The words.
    pub text: Arc<str>,
    /// Whether they are for the user. All others are for the model.
    pub for_user: bool,
}

/// What guards did in these entries, in order.
#[must_use]
pub fn told(entries: &[Entry]) -> Vec<Told> {
    entries.iter().filter_map(Told::of).collect()
}

impl Told {
    /// A conclusion is told by the notice or the question that follows it.
    fn of(entry: &Entry) -> Option<Self> {
        let Entry::Intervention(Intervention { kind, note, .. }) = entry else { return None };
        Some(Self::new(kind, note))
    }

    /// A conclusion that is said with an answer.
    pub(crate) fn notice(note: &Note) -> Self {
        Self::new(&InterventionKind::Notice, note)
    }

    fn new(kind: &InterventionKind, note: &Note) -> Self {
        Self {
            kind: kind.name(),
            guard: note.guard.to_string(),
            rule: note.rule.to_string(),
            level: note.level,
            text: note.text.clone(),
            for_user: kind.is_for_user(),
        }
    }
}
