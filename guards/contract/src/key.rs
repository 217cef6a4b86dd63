//! One canonical key per call: a hash tree over the argument text, built in one pass.
//!
//! Two calls have the same key exactly when the tools are the same and the arguments mean the same JSON:
//!
//! | part | compared |
//! |---|---|
//! | objects | by member, in any order; among duplicate names the last counts |
//! | arrays | in order |
//! | strings | by content, however it was escaped; half a surrogate pair equals only itself |
//! | numbers | as decimal literals, never through a float: `1`, `1.0` and `10e-1` are one number, `-0` is `0`, and integers of 21 digits stay distinct |
//! | anything else | text that is not JSON is compared byte by byte, and equals no JSON |
//!
//! The grammar is that of RFC 8259, with two limits: nesting deeper than 128 is not accepted as JSON, and an exponent
//! of more than 18 digits is compared by its spelling (without leading zeros and a plus). `serde_json` refuses more:
//! numbers beyond a float (`1e999`), half surrogate pairs, and the 128th level.
//!
//! The hash is xxh3 with 128 bits: stable across machines and versions, not safe against a deliberate search for
//! collisions. Each kind of node has its own seed, so different kinds do not collide by construction. Short strings,
//! numbers of up to 19 digits and the three literals are not hashed: they fit into a digest unchanged.

use std::fmt;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

pub(crate) use arguments::Found;
pub use arguments::{Members, Shape};
use digest::Seed;
#[cfg(feature = "wire")]
pub(crate) use parser::DEPTH;
use parser::Parser;

mod arguments;
mod digest;
mod parser;

/// Equal for two calls exactly when the tools and the canonical arguments are equal.
///
/// Written as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(into = "String", try_from = "String"))]
pub struct CallKey(u128);

impl CallKey {
    /// One key for several calls, in any order.
    pub fn of_all(calls: impl Iterator<Item = Self>) -> Self {
        Self(calls.fold(0, |sum, call| sum.wrapping_add(call.0)))
    }

    /// A key of its own for this call, as it is meant since this turn.
    #[must_use]
    pub fn since(self, turn: u64) -> Self {
        Self(self.0 ^ (u128::from(turn) << 64))
    }

    /// The key folded to 64 bits, for when that is enough.
    pub fn folded(self) -> u64 {
        (self.0 ^ (self.0 >> 64)) as u64
    }

    /// The key of a call of this tool with these arguments (JSON text, or any other text).
    #[must_use]
    pub fn of(tool: &str, arguments: &str) -> Self {
        of_call(tool, arguments, &[]).key
    }

    /// Its low bits, to be reduced to an index.
    pub fn bits(self) -> usize {
        (self.0 & 0xffff_ffff) as usize
    }
}

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
        from_hex(&text)
            .map(Self)
            .ok_or_else(|| format!("expected a call key of 32 lower-case hexadecimal digits, found `{text}`"))
    }
}

/// Equal for two calls that are about the same file: a path among the arguments, to compare without its text.
///
/// Written as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(into = "String", try_from = "String"))]
pub struct PathKey(pub(crate) u128);

impl PathKey {
    /// The key folded to 64 bits, for when that is enough.
    #[must_use]
    pub fn folded(self) -> u64 {
        (self.0 ^ (self.0 >> 64)) as u64
    }
}

impl fmt::Debug for PathKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PathKey({:032x})", self.0)
    }
}

impl From<PathKey> for String {
    fn from(key: PathKey) -> Self {
        format!("{:032x}", key.0)
    }
}

impl TryFrom<String> for PathKey {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        from_hex(&text)
            .map(Self)
            .ok_or_else(|| format!("expected a path key of 32 lower-case hexadecimal digits, found `{text}`"))
    }
}

/// Parses a key; accepts exactly one spelling for each.
pub fn from_hex(text: &str) -> Option<u128> {
    let spelled = text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    spelled.then(|| u128::from_str_radix(text, 16).ok()).flatten()
}

/// The digest of a string, as of a member of a call.
pub(crate) fn of_string(text: &str) -> u128 {
    digest::string(text.as_bytes())
}

/// A hash of a tool's name, for comparing names without their text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct ToolKey(u64);

/// The result of keying a call.
pub(crate) struct Keyed {
    pub(crate) tool: ToolKey,
    pub(crate) key: CallKey,
    pub(crate) shape: Shape,
    pub(crate) members: Members,
    /// Where the value of the first wanted member with a string value is.
    pub(crate) found: Option<Found>,
}

/// The key of a call, what kind of text its arguments are, and where the first of the `wanted` members is.
pub(crate) fn of_call(tool: &str, arguments: &str, wanted: &[&str]) -> Keyed {
    let (arguments, shape, members, found) = match Parser::new(arguments, wanted).document() {
        Some(parsed) => parsed,
        None => (Seed::Raw.hash(arguments.as_bytes()), Shape::NotJson, Members::default(), None),
    };
    let tool = Seed::Tool.hash(tool.as_bytes());
    let call = [tool.to_le_bytes(), arguments.to_le_bytes()];
    let key = CallKey(Seed::Call.hash(call.as_flattened()));
    Keyed { tool: ToolKey(tool as u64), key, shape, members, found }
}
