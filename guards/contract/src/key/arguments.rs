//! What is known about the text of a call's arguments.

use std::ops::Range;

use super::digest::{Stored, string};

/// What kind of text a call's arguments are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A JSON object, as providers require.
    Object,
    /// JSON that is not an object.
    OtherJson,
    /// Not JSON.
    NotJson,
}

/// A wanted member that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The span of its value in the JSON text.
    pub(crate) span: Range<usize>,
    /// Its value, as in [`Members`].
    pub(crate) digest: u128,
}

/// The members of an object as digests, in an order of their own, to compare two calls without a second parse. Only
/// the first `KEPT` are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Members {
    kept: [(u128, u128); Self::KEPT],
    len: u8,
}

impl Members {
    /// More than writing tools take.
    const KEPT: usize = 8;

    pub(super) fn of(members: &[[Stored; 2]]) -> Self {
        let mut all = Self::default();
        for (place, [name, value]) in all.kept.iter_mut().zip(members) {
            *place = (u128::from_le_bytes(*name), u128::from_le_bytes(*value));
            all.len += 1;
        }
        all
    }

    /// The name and value of each.
    pub fn iter(&self) -> impl Iterator<Item = (u128, u128)> + '_ {
        self.kept[..usize::from(self.len)].iter().copied()
    }

    /// The value of the member with this name.
    pub fn get(&self, name: &str) -> Option<u128> {
        let name = string(name.as_bytes());
        self.iter().find(|(it, _)| *it == name).map(|(_, value)| value)
    }

    /// Whether there may be more members than are kept.
    pub fn is_cut(&self) -> bool {
        usize::from(self.len) == Self::KEPT
    }
}
