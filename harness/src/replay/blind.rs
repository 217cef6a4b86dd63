//! Whether the guard `abandonment` can see anything in a recording (spec A3).

use balk_guards::Effect;

use super::fold::result;
use crate::guards::DEFAULT;
use crate::import::Placed;

/// Whether the stack has the guard, the recording has calls, and of none of their tools it is known or guessed what it
/// can change. Silence of the guard then says nothing.
pub(super) fn is_blind(spec: &str, entries: &[Placed]) -> bool {
    let results = || entries.iter().filter_map(|it| result(&it.entry));
    let is_seen =
        || results().any(|it| it.call.effect != Effect::Unknown || it.call.seems_to_write(&it.text));
    let is_asked = |it: &str| it == DEFAULT || it.split(['=', '{']).next() == Some("abandonment");
    spec.split(',').map(str::trim).any(is_asked) && results().next().is_some() && !is_seen()
}
