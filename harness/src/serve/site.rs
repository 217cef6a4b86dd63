//! Where the tools of an agent really work.

use std::io;

use balk_guards::ToolCall;
use balk_scenarios::{Environment, Executed};

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// What the scenario says.
    AsSaid,
    /// It ran, and did something else.
    Otherwise,
    /// The agent did not run it.
    NotRun,
    /// Nothing tells.
    NotKnown,
}

/// What came of the calls of an act.
#[derive(Clone, Debug)]
pub struct Results {
    /// What the scenario's world answers to each, and what came of it.
    pub calls: Vec<(Executed, Came)>,
    /// That world after those that ran, or may have.
    pub environment: Environment,
}

/// Where the tools of an agent work: a folder that can be made to meet a call, or a place of which nothing is known.
pub trait Site: Send {
    /// The model is about to send these calls to tools in this world.
    ///
    /// # Errors
    /// The place cannot be made ready.
    fn arm(&mut self, before: &Environment, calls: &[ToolCall]) -> io::Result<()>;

    /// What came of the calls that were sent last, with the texts of their results; `None` is a call without one.
    /// Returns `None` if nothing is known of the place.
    ///
    /// # Errors
    /// The place cannot be looked at.
    fn came_of(&mut self, results: &[Option<&str>]) -> io::Result<Option<Results>>;

    /// The folder that the paths of a scenario start from, where it is known.
    fn root(&self) -> Option<&str>;

    /// Gives the world what the place really has, which decides whether the task is done.
    fn look(&self, environment: &mut Environment);
}

/// A place of which nothing is known: the actor goes by the words of the results.
#[derive(Clone, Debug, Default)]
pub struct Elsewhere {
    /// The folder that the agent works in, for tools that want absolute paths.
    pub root: Option<String>,
}

impl Site for Elsewhere {
    fn arm(&mut self, _: &Environment, _: &[ToolCall]) -> io::Result<()> {
        Ok(())
    }

    fn came_of(&mut self, _: &[Option<&str>]) -> io::Result<Option<Results>> {
        Ok(None)
    }

    fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    fn look(&self, _: &mut Environment) {}
}
