//! What guards did, as a host shows or logs it.

use std::sync::Arc;

use balk_guards::{Entry, Intervention};
use serde::Serialize;

/// Something that a guard did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// `repair`, `feedback`, `note`, `question`, `notice`, `block` or `stop`; `conclusion` for what the user is told at
    /// the end.
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
    fn of(entry: &Entry) -> Option<Self> {
        let (kind, note, for_user) = if let Entry::Intervention(Intervention { kind, note, .. }) = entry {
            (kind.name(), note, kind.is_for_user())
        } else if let Entry::Conclusion(it) = entry {
            ("conclusion", &it.note, true)
        } else {
            return None;
        };
        let text = if let Entry::Conclusion(it) = entry { it.notice().text } else { note.text.clone() };
        Some(Self {
            kind,
            guard: note.guard.to_string(),
            rule: note.rule.to_string(),
            level: note.level,
            text,
            for_user,
        })
    }
}
