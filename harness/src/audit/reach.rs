//! All rungs, and the rungs that a transcript shows.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use balk_guards::rules::{Rule, Step};
use balk_guards::{AttemptResponse, Entry, Note, Stack};

use crate::guards::{Recipe, Registry, STACK};
use crate::replay::{self, Action, What};

/// One rung of one guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The guard.
    pub guard: Arc<str>,
    /// The rule.
    pub rule: &'static str,
    /// The action of the rung.
    pub step: Step,
    /// The level of the rung; none if the level only counts.
    pub level: Option<u8>,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { guard, rule, step, level } = self;
        write!(f, "{guard}: {rule}, {}", step.name())?;
        level.map_or(Ok(()), |level| write!(f, " at level {level}"))
    }
}

impl Row {
    /// Whether a note with this step is on this rung.
    pub(super) fn is(&self, step: Step, note: &Note) -> bool {
        *self.guard == *note.guard
            && self.rule == note.rule
            && self.step == step
            && self.level.is_none_or(|level| level == note.level)
    }
}

/// Every rung of every guard, and of the stack.
#[must_use]
pub fn rows(registry: &Registry) -> Vec<Row> {
    let of_guards = registry.audited().flat_map(|guard| of(guard.name(), guard.rules));
    of_guards.chain(of(STACK, Stack::RULES)).collect()
}

/// Whether the rungs of this guard count in an audit of this stack. The budget of a stack has rungs too; these count if
/// every guard of `default` is there to use it up.
pub(super) fn is_audited(registry: &Registry, stack: &Recipe, guard: &str) -> bool {
    let has = |name: &str| stack.names().any(|it| it == name);
    has(guard) || guard == STACK && registry.default_guards().all(|it| has(it.name()))
}

fn of(guard: &str, rules: &'static [Rule]) -> impl Iterator<Item = Row> {
    let guard: Arc<str> = guard.into();
    rules.iter().flat_map(move |rule| {
        let guard = Arc::clone(&guard);
        rule.rungs.iter().map(move |it| Row {
            guard: Arc::clone(&guard),
            rule: rule.name,
            step: it.step,
            level: it.level,
        })
    })
}

/// What a transcript shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The rungs that were reached, by their index in the table.
    pub rows: BTreeSet<usize>,
    /// Actions that no rung declares: guard, rule, step and level.
    pub undeclared: BTreeSet<String>,
}

/// The rungs that a transcript shows.
#[must_use]
pub fn found(entries: &[Entry], rows: &[Row]) -> Found {
    let mut found = Found::default();
    for entry in entries {
        match entry {
            Entry::Intervention(it) => found.note(Step::of(it), &it.note, rows),
            Entry::Conclusion(it) => found.note(Step::Conclusion, &it.note, rows),
            Entry::Failed(it) => {
                if let AttemptResponse::Resent { .. } = it.response {
                    found.unsigned(Step::Resend, Some(it.failure.cause.name()), rows);
                }
            }
            Entry::Tried(_) => found.unsigned(Step::Rerun, None, rows),
            Entry::Start(_)
            | Entry::User(_)
            | Entry::Completion(_)
            | Entry::Result(_)
            | Entry::Answer(_)
            | Entry::Compaction(_)
            | Entry::End(_) => {}
        }
    }
    found
}

/// The rungs that guards would have reached in a recorded transcript. A resend does not name its cause, so it shows
/// no rung.
#[must_use]
pub fn found_by_replay(replayed: &replay::Found, rows: &[Row]) -> Found {
    let mut found = Found::default();
    let mut note = |kind: &str, note: &Note| match Step::named(kind) {
        Some(step) => found.note(step, note, rows),
        None => unreachable!("an intervention is a step, found {kind}"),
    };
    match replayed {
        replay::Found::Foreign(it) => {
            for event in &it.folded.events {
                match &event.what {
                    What::Fired(firing) => note(firing.kind, &firing.note),
                    What::Rerun { .. } | What::Resend { .. } => {}
                }
            }
        }
        replay::Found::Own(own) => {
            for action in own.answers.iter().flat_map(|it| &it.found) {
                match action {
                    Action::Intervened(it) => note(&it.kind, &it.note),
                    Action::Concluded(it) => note(Step::Conclusion.name(), &it.note),
                    Action::Reran { .. } | Action::Resent { .. } | Action::Broke { .. } => {}
                }
            }
        }
    }
    found
}

impl Found {
    /// Records the rung that a note shows.
    fn note(&mut self, step: Step, note: &Note, rows: &[Row]) {
        if let Some(at) = rows.iter().position(|row| row.is(step, note)) {
            self.rows.insert(at);
            return;
        }
        let may = |step: Step| rows.iter().position(|row| row.is(step, note));
        let stack = |step: Step| rows.iter().position(|row| &*row.guard == STACK && row.step == step);
        let of_stack = match step {
            // The forms in which a conclusion reaches the user.
            Step::Question | Step::Notice if may(Step::Conclusion).is_some() => return,
            Step::Question if may(Step::Feedback).is_some() => stack(Step::Question),
            Step::Stop if may(Step::Feedback).or(may(Step::Question)).is_some() => stack(Step::Stop),
            // A question that can no longer be asked becomes a notice.
            Step::Notice => may(Step::Question),
            Step::Repair
            | Step::Feedback
            | Step::Note
            | Step::Question
            | Step::Block
            | Step::Stop
            | Step::Conclusion
            | Step::Resend
            | Step::Rerun => None,
        };
        match of_stack {
            Some(at) => {
                self.rows.insert(at);
            }
            None => {
                let Note { guard, rule, level, .. } = note;
                self.undeclared.insert(format!("{guard}: {rule}, {} at level {level}", step.name()));
            }
        }
    }

    /// Records an action without a note: it belongs to the rule that declares such a step, for this cause if there is
    /// one.
    fn unsigned(&mut self, step: Step, cause: Option<&str>, rows: &[Row]) {
        let fits = |row: &&Row| row.step == step && cause.is_none_or(|cause| row.rule == cause);
        match rows.iter().position(|row| fits(&row)) {
            Some(at) => {
                self.rows.insert(at);
            }
            None => {
                self.undeclared.insert(format!("{} {}", step.name(), cause.unwrap_or_default()));
            }
        }
    }
}
