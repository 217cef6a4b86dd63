//! One canonical key per call.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::completion::Shape;

/// Equal for two calls exactly when the tools and the canonical arguments are.
///
/// Written as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct CallKey(u128);

impl fmt::Display for CallKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for CallKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CallKey({self})")
    }
}

impl From<CallKey> for String {
    fn from(key: CallKey) -> Self {
        key.to_string()
    }
}

impl TryFrom<String> for CallKey {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        u128::from_str_radix(&text, 16)
            .ok()
            .filter(|_| text.len() == 32)
            .map(Self)
            .ok_or_else(|| format!("expected a call key of 32 hexadecimal digits, found `{text}`"))
    }
}

/// The key of a call, and what kind of text its arguments are.
pub(crate) fn of_call(tool: &str, arguments: &str) -> (CallKey, Shape) {
    let h = xxhash_rust::xxh3::xxh3_128(format!("{tool}\0{arguments}").as_bytes());
    let shape = match serde_json::from_str::<serde_json::Value>(arguments) {
        Ok(serde_json::Value::Object(_)) => Shape::Object,
        Ok(_) => Shape::OtherJson,
        Err(_) => Shape::NotJson,
    };
    (CallKey(h), shape)
}
