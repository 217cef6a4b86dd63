//! Which names of a file something refers to.

use std::collections::BTreeSet;

use super::phrases::Saying;

/// What is referred to, by its place in the order of the names.
#[derive(Debug, Default)]
pub(crate) struct Used {
    pub(super) phrases: BTreeSet<usize>,
    /// Phrases, with who says them.
    pub(super) said: BTreeSet<(usize, Saying)>,
    pub(super) numbers: BTreeSet<usize>,
    /// Places of pool and field.
    pub(super) fields: BTreeSet<(usize, usize)>,
    /// By the name of the actor's table.
    pub(super) parameters: BTreeSet<(&'static str, usize)>,
}
