//! Where the tools of an agent really work.

use balk_guards::ToolCall;
use balk_scenarios::{Environment, Executed};

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// It did what the scenario's world says.
    AsExpected,
    /// It ran and worked, in its own way.
    Worked,
    /// It ran and failed, in its own way.
    Failed,
    /// The agent did not run it.
    NotRun,
    /// Nothing tells.
    Unknown,
}

/// Where the tools of an agent work: a folder that can be made to meet a call, or a place of which nothing is known.
pub trait Site: Send {
    /// The model is about to send these calls. The scenario's world answers them so, and is then as `after`.
    fn arm(&mut self, before: &Environment, calls: &[(&ToolCall, Executed)], after: &Environment);

    /// What came of the calls that were sent last, with the texts of their results; `None` is a call without one.
    fn came_of(&mut self, results: &[Option<&str>]) -> Vec<Came>;
}

/// A place of which nothing is known: the actor goes by the words of the results.
#[derive(Clone, Copy, Debug, Default)]
pub struct Elsewhere;

impl Site for Elsewhere {
    fn arm(&mut self, _: &Environment, _: &[(&ToolCall, Executed)], _: &Environment) {}

    fn came_of(&mut self, results: &[Option<&str>]) -> Vec<Came> {
        vec![Came::Unknown; results.len()]
    }
}
