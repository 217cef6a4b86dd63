//! The changes that an audit makes to a stack, one at a time.

use std::fmt;

use balk_guards::{Budget, Window};
use serde_json::Value;

use super::reach::{Found, Row, rows};
use super::without::{Removed, Without};
use crate::guards::{BadStack, Config, Recipe, Registered, Registry, STACK};

/// One change to a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Remove a guard.
    Guard(String),
    /// Remove one rung of a guard, and with it the rungs above it on the ladder.
    Rung(Row),
    /// Change a setting of a guard.
    Setting {
        /// The guard.
        guard: String,
        /// The setting.
        key: String,
        /// The old value.
        from: Value,
        /// The new value.
        to: Value,
        /// Whether the new value turns a rule of the guard off.
        removes: bool,
    },
    /// Change the budget of the stack.
    Budget {
        /// The setting.
        key: &'static str,
        /// The old value.
        from: u64,
        /// The new value.
        to: u64,
    },
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Guard(name) => write!(f, "{name}: off"),
            Self::Rung(row) => write!(f, "{row}: off"),
            Self::Setting { guard, key, from, to, .. } => write!(f, "{guard}: {key}, {from} to {to}"),
            Self::Budget { key, from, to } => write!(f, "stack: {key}, {from} to {to}"),
        }
    }
}

impl Change {
    /// Whether the change removes something: a guard, a rung, or a rule by its setting.
    #[must_use]
    pub fn is_removal(&self) -> bool {
        match self {
            Self::Guard(_) | Self::Rung(_) => true,
            Self::Setting { removes, .. } => *removes,
            Self::Budget { .. } => false,
        }
    }

    /// Whether this change cannot matter in a trial with these findings: removing a rung that was not reached has no
    /// effect, and neither has removing a guard that declares its rungs and reached none of them. If the stack rewrote
    /// an answer, the answer's own rung is unknown, so the change may matter.
    pub(super) fn is_unfelt(&self, found: &Found, rows: &[Row]) -> bool {
        let reaches = |wanted: &dyn Fn(&Row) -> bool| {
            found.rows.iter().any(|&at| wanted(&rows[at]) || &*rows[at].guard == STACK)
        };
        match self {
            Self::Rung(missed) => !reaches(&|row| row == missed),
            Self::Guard(missed) => {
                rows.iter().any(|row| *row.guard == **missed) && !reaches(&|row| *row.guard == **missed)
            }
            Self::Setting { .. } | Self::Budget { .. } => false,
        }
    }
}

/// Every change to this stack, with the resulting stack: each guard removed, each rung removed, each setting and the
/// budget moved by one step.
///
/// # Errors
/// A guard that is not registered, or settings that it does not accept.
pub(super) fn changes(
    registry: &Registry,
    spec: &str,
    config: &Config,
) -> Result<Vec<(Change, Recipe)>, BadStack> {
    let stack = Recipe::new(registry, spec, config)?;
    let has = |name: &str| stack.names().any(|it| it == name);
    let audited = || registry.audited().filter(|guard| has(guard.name()));
    let with =
        |guard: &str, key: &str, value: Value| Recipe::new(registry, spec, &config.with(guard, key, value));
    let mut changes = Vec::new();
    for guard in audited() {
        let off = with(guard.name(), "enabled", false.into())?;
        changes.push((Change::Guard(guard.name().to_owned()), off));
    }
    for row in rows(registry).into_iter().filter(|row| has(&row.guard)) {
        let Row { guard, rule, step, level } = &row;
        let removed =
            Removed { guard: guard.to_string(), rule: (*rule).to_owned(), step: *step, level: *level };
        let without = move |inner| Without { inner, removed: removed.clone() };
        changes.push((Change::Rung(row.clone()), stack.around(&row.guard, without)));
    }
    for guard in audited() {
        let mut settings = guard.defaults.clone();
        settings.extend(config.of(guard.name()));
        for (key, from) in settings.into_iter().filter(|(key, _)| !["enabled", "models"].contains(&&**key)) {
            for to in steps(guard, &key, &from) {
                // A step may lead to a value that the guard does not accept.
                let Ok(changed) = with(guard.name(), &key, to.clone()) else { continue };
                let removes = guard.off.iter().any(|(of, off)| *of == key && *off == to);
                let (guard, key, from) = (guard.name().to_owned(), key.clone(), from.clone());
                changes.push((Change::Setting { guard, key, from, to, removes }, changed));
            }
        }
    }
    changes.extend(
        budgets()
            .map(|(key, from, to, budget)| (Change::Budget { key, from, to }, stack.with_budget(budget))),
    );
    Ok(changes)
}

/// The neighbours of a value (one less and one more, the other of two, any other of several, a list without one of
/// its members), and the value that turns a rule off.
fn steps(guard: &Registered, key: &str, from: &Value) -> Vec<Value> {
    let mut steps: Vec<Value> = match from {
        Value::Number(number) => {
            let number = number.as_u64();
            let less = number.and_then(|it| it.checked_sub(1));
            let more = number.and_then(|it| it.checked_add(1));
            [less, more].into_iter().flatten().map(Value::from).collect()
        }
        Value::Bool(on) => vec![(!on).into()],
        Value::Array(members) => (0..members.len())
            .map(|at| {
                let mut rest = members.clone();
                rest.remove(at);
                rest.into()
            })
            .collect(),
        Value::String(_) => guard
            .variants
            .iter()
            .filter(|it| it.key == key && it.value != *from)
            .map(|it| it.value.clone())
            .collect(),
        Value::Null | Value::Object(_) => Vec::new(),
    };
    for (_, off) in guard.off.iter().filter(|(of, _)| of == key) {
        if off != from && !steps.contains(off) {
            steps.push(off.clone());
        }
    }
    steps
}

/// Each part of the budget moved by one step: the part, its old and new value, and the whole budget.
fn budgets() -> impl Iterator<Item = (&'static str, u64, u64, Budget)> {
    type Part = (&'static str, fn(&Budget) -> u64, fn(Budget, u64) -> Budget);
    const PARTS: [Part; 4] = [
        (
            "corrections",
            |it| it.corrections.into(),
            |it, to| Budget { corrections: u32::try_from(to).unwrap_or(u32::MAX), ..it },
        ),
        (
            "window.turns",
            |it| it.window.turns,
            |it, turns| Budget { window: Window { turns, ..it.window }, ..it },
        ),
        (
            "window.corrections",
            |it| u64::try_from(it.window.corrections).unwrap_or(u64::MAX),
            |it, to| {
                let corrections = usize::try_from(to).unwrap_or(usize::MAX);
                Budget { window: Window { corrections, ..it.window }, ..it }
            },
        ),
        (
            "questions",
            |it| it.questions.into(),
            |it, to| Budget { questions: u32::try_from(to).unwrap_or(u32::MAX), ..it },
        ),
    ];
    PARTS.into_iter().flat_map(|(key, get, with)| {
        let now = Budget::default();
        let from = get(&now);
        [from.saturating_sub(1), from + 1].map(|to| (key, from, to, with(now, to)))
    })
}
