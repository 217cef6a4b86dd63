//! Saved states: JSON objects that name their guard and version.

use serde_core::Serialize;
use serde_core::de::DeserializeOwned;
use serde_json::Value;

use crate::guard::{Answer, GuardFault};

/// Opens a saved state of `guard` in `version`.
pub fn open<T: DeserializeOwned>(guard: &'static str, version: u64, state: Value) -> Answer<T> {
    let fault = |reason: String| GuardFault { guard: guard.into(), reason };
    let theirs = &state["guard"];
    if theirs != guard {
        return Err(fault(format!("expected a state of `{guard}`, found one of {theirs}")));
    }
    let found = &state["version"];
    if found != version {
        return Err(fault(format!("expected a state of version {version}, found {found}")));
    }
    serde_json::from_value(state).map_err(|error| fault(format!("the saved state is broken: {error}")))
}

/// Marks a state as that of `guard` in `version`.
pub fn seal<T: Serialize>(guard: &'static str, version: u64, state: &T) -> Value {
    let mut value = serde_json::to_value(state).expect("a guard's state is plain data");
    value["guard"] = guard.into();
    value["version"] = version.into();
    value
}
