//! The identity of a result, and its spelling.

use std::fmt;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use crate::key::from_hex;

/// Equal for two results exactly when they differ at most in volatile parts.
///
/// Written as 32 hexadecimal digits.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(into = "String", try_from = "String"))]
pub struct ResultKey(pub(super) u128);

impl ResultKey {
    /// The key of the same text with this number beside it; zero changes nothing.
    #[must_use]
    pub fn beside(self, number: u16) -> Self {
        Self(self.0 ^ u128::from(number) << 64)
    }

    /// The key folded to 64 bits, for when that is enough.
    #[must_use]
    pub fn folded(self) -> u64 {
        (self.0 ^ (self.0 >> 64)) as u64
    }
}

impl fmt::Display for ResultKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for ResultKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ResultKey({self})")
    }
}

impl From<ResultKey> for String {
    fn from(key: ResultKey) -> Self {
        key.to_string()
    }
}

impl TryFrom<String> for ResultKey {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        from_hex(&text).map(Self).ok_or_else(|| {
            format!("expected a result key of 32 lower-case hexadecimal digits, found `{text}`")
        })
    }
}
