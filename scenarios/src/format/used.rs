//! Which names of a file something refers to.

use std::collections::BTreeSet;

use crate::scenario::Role;

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

/// Who says a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Saying {
    /// A tool of this role, in answer to a call.
    Tool(Role),
    /// Any tool, before or after each answer.
    AnyTool,
    /// The person.
    User,
    /// The loop, to a message without a call.
    Loop,
    /// The model; whether its state has steps.
    Actor { steps: bool },
}
