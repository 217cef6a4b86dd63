//! The shipped guards by name.

use serde_json::{Map, Value};

use crate::{
    Abandonment, CallRepair, Duplicate, EmptyCompletion, Guard, Handoff, NoTools, Progress, Repetition,
    RetrySafety, Stack,
};

/// The names of the shipped guards, in the order of the stack that `balk` calls `default`.
pub const SHIPPED: [&str; 9] = [
    "repair",
    "abandonment",
    "repetition",
    "no-tools",
    "duplicate",
    "empty-completion",
    "retry-safety",
    "handoff",
    "progress",
];

/// The shipped guard of this name, with these settings in the place of its defaults; none if no guard has the name.
///
/// # Errors
/// A setting that the guard does not have, or that has a value which it does not take.
pub fn shipped(
    name: &str,
    settings: Map<String, Value>,
) -> Option<Result<Box<dyn Guard>, serde_json::Error>> {
    let settings = Value::Object(settings);
    Some(match name {
        "repair" => made(settings, CallRepair::new),
        "abandonment" => made(settings, Abandonment::new),
        "repetition" => made(settings, |NoSettings {}| Repetition::default()),
        "no-tools" => made(settings, NoTools::new),
        "duplicate" => made(settings, Duplicate::new),
        "empty-completion" => made(settings, EmptyCompletion::new),
        "retry-safety" => made(settings, RetrySafety::new),
        "handoff" => made(settings, Handoff::new),
        "progress" => made(settings, Progress::new),
        _ => return None,
    })
}

/// The guards that are on by default, with their default settings: the stack that `balk` calls `default`.
///
/// # Panics
/// Never: each of [`SHIPPED`] is a guard that takes no settings.
#[must_use]
pub fn default_stack() -> Stack {
    let guard = |name| shipped(name, Map::new()).and_then(Result::ok).expect("a shipped guard has defaults");
    Stack::new(SHIPPED.into_iter().map(guard).collect())
}

/// The settings of a guard that has none.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct NoSettings {}

fn made<S: serde::de::DeserializeOwned, G: Guard + 'static>(
    settings: Value,
    make: impl FnOnce(S) -> G,
) -> Result<Box<dyn Guard>, serde_json::Error> {
    Ok(Box::new(make(serde_json::from_value(settings)?)))
}
