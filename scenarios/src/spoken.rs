//! What an actor does in words, where the agent has no tool for it.

use crate::scenario::Role;

/// What the actor does in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    /// What a tool of this role would do.
    pub role: Role,
    /// The values of [`Role::arguments`], in that order.
    pub values: Vec<String>,
}

impl Spoken {
    /// What is said: the question, or the summary.
    pub(crate) fn words(&self) -> &str {
        self.values.first().map_or("", |it| it.trim())
    }
}
