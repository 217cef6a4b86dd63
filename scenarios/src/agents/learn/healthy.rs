//! What healthy runs of an agent show.

use std::sync::Arc;

use crate::agents::profile::Place;

/// A text that an agent showed its model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The name of the run.
    pub run: Arc<str>,
    /// Where it was.
    pub place: Place,
    /// The text, as the profile leaves it.
    pub text: Arc<str>,
    /// What the user or the tool said there. `None` is a text of the agent alone.
    pub said: Option<Arc<str>>,
    /// Whether it is the result of a call that failed.
    pub failed: bool,
}

/// A request that is not of the task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    /// The name of the run.
    pub run: Arc<str>,
    /// How its system text begins.
    pub system: Arc<str>,
    /// Whether it has tools.
    pub tools: bool,
}

/// What healthy runs of an agent show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Healthy {
    /// How many runs there were.
    pub runs: usize,
    /// Texts that are not just what the user or a tool said.
    pub shown: Vec<Shown>,
    /// Requests that are not of the task.
    pub asides: Vec<Aside>,
}
