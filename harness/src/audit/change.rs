//! The changes that are made to a stack, one at a time.

use std::fmt;

use balk_guards::{Budget, Stack, Window};
use serde_json::Value;

use super::reach::{Found, Row, rows};
use super::without::Without;
use crate::config::Config;
use crate::engine::TruthChannel;
use crate::guards::{self, BadStack, REGISTRY, Registered};

/// One change to a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A guard is taken away.
    Guard(&'static str),
    /// One rung of a guard is taken away, and with it what stands above it on a ladder.
    Rung(Row),
    /// A setting of a guard is another.
    Setting {
        /// The guard.
        guard: &'static str,
        /// The setting.
        key: String,
        /// What it was.
        from: Value,
        /// What it is.
        to: Value,
    },
    /// The budget of the stack is another.
    Budget {
        /// The setting.
        key: &'static str,
        /// What it was.
        from: u64,
        /// What it is.
        to: u64,
        /// The budget.
        budget: Budget,
    },
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Guard(name) => write!(f, "{name}: off"),
            Self::Rung(row) => write!(f, "{row}: off"),
            Self::Setting { guard, key, from, to } => write!(f, "{guard}: {key}, {from} to {to}"),
            Self::Budget { key, from, to, .. } => write!(f, "stack: {key}, {from} to {to}"),
        }
    }
}

impl Change {
    /// Whether something is taken away: a guard, a rung, or a rule by its setting.
    #[must_use]
    pub fn is_removal(&self) -> bool {
        match self {
            Self::Guard(_) | Self::Rung(_) => true,
            Self::Setting { guard, key, to, .. } => REGISTRY
                .iter()
                .filter(|row| row.name == *guard)
                .flat_map(|row| row.off)
                .any(|(of, off)| of == key && value(off) == *to),
            Self::Budget { .. } => false,
        }
    }

    /// The stack with this change.
    pub(super) fn stack(
        &self,
        spec: &str,
        config: &Config,
        whisper: &TruthChannel,
    ) -> Result<Stack, BadStack> {
        let set = |guard: &str, key: &str, value: Value| {
            let mut config = config.clone();
            config.guards.entry(guard.into()).or_default().insert(key.into(), value);
            guards::stack(spec, &config, whisper)
        };
        match self {
            Self::Guard(name) => set(name, "enabled", false.into()),
            Self::Setting { guard, key, to, .. } => set(guard, key, to.clone()),
            Self::Rung(row) => {
                let members = guards::members(spec, config, whisper)?.into_iter().map(|inner| {
                    if inner.name() == row.guard { Box::new(Without { inner, row: *row }) } else { inner }
                });
                Ok(Stack::new(members.collect()))
            }
            Self::Budget { budget, .. } => {
                Ok(Stack::with_budget(guards::members(spec, config, whisper)?, *budget))
            }
        }
    }

    /// Whether this change cannot matter where the audited stack did this: a rung that was not reached is not
    /// missed. What the stack made something else of was on some rung.
    pub(super) fn is_unfelt(&self, found: &Found, rows: &[Row]) -> bool {
        match self {
            Self::Rung(missed) => {
                !found.rows.iter().any(|&at| rows[at] == *missed || rows[at].guard == "stack")
            }
            Self::Guard(_) | Self::Setting { .. } | Self::Budget { .. } => false,
        }
    }
}

/// Every change to this stack: its guards, their rungs, their settings by one step, its budget by one step.
///
/// # Errors
/// A guard that nobody registered, or settings that it does not take.
pub fn changes(spec: &str, config: &Config) -> Result<Vec<Change>, BadStack> {
    let whisper = TruthChannel::default();
    let members = guards::members(spec, config, &whisper)?;
    let has = |name: &str| members.iter().any(|it| it.name() == name);
    let registered = || REGISTRY.iter().filter(|row| !row.rules.is_empty() && has(row.name));
    let mut changes: Vec<Change> = registered().map(|row| Change::Guard(row.name)).collect();
    changes.extend(rows().into_iter().filter(|row| has(row.guard)).map(Change::Rung));
    for row in registered() {
        let mut settings = (row.defaults)();
        settings.extend(config.of(row.name));
        for (key, from) in settings.into_iter().filter(|(key, _)| !["enabled", "models"].contains(&&**key)) {
            for to in steps(row, &key, &from) {
                let change = Change::Setting { guard: row.name, key: key.clone(), from: from.clone(), to };
                change.stack(spec, config, &whisper)?;
                changes.push(change);
            }
        }
    }
    changes.extend(budgets());
    Ok(changes)
}

/// The neighbours of a value: one less and one more, the other of two, any other of several, a list without one
/// of its members; and the value under which a rule is off.
fn steps(row: &Registered, key: &str, from: &Value) -> Vec<Value> {
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
        Value::String(now) => row
            .variants
            .iter()
            .filter(|it| it.setting.0 == key && it.setting.1 != now)
            .map(|it| it.setting.1.into())
            .collect(),
        Value::Null | Value::Object(_) => Vec::new(),
    };
    for off in row.off.iter().filter(|(of, _)| *of == key).map(|(_, off)| value(off)) {
        if off != *from && !steps.contains(&off) {
            steps.push(off);
        }
    }
    steps
}

/// A value as the table writes it: JSON, and what is no JSON is text.
fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn budgets() -> impl Iterator<Item = Change> {
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
        [from.saturating_sub(1), from + 1].map(|to| Change::Budget { key, from, to, budget: with(now, to) })
    })
}
