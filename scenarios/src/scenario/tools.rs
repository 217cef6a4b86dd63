//! Tools under the names and in the forms that known agents use.

use balk_contract::Tool;

use super::form::Form;
use super::role::Role;
use super::template::Template;

/// The tools of one known agent.
#[derive(Clone, Debug)]
pub struct Toolset {
    /// The agent that uses these names.
    pub name: String,
    /// Whether it is drawn only from reserved pools.
    pub reserve: bool,
    /// The tools: at most one for each role, except [`Role::Distractor`]. A shell that also does what other roles do
    /// is there once for each of them, and with its own role last.
    pub tools: Vec<ToolsetTool>,
    /// The roles without a tool, which the model does in words.
    pub spoken: Vec<Role>,
}

/// A tool as one agent offers it.
#[derive(Clone, Debug)]
pub struct ToolsetTool {
    /// What it does for a task.
    pub role: Role,
    /// The offered tool: its schema, and the agent's name for it, which may be illegal on the wire.
    pub tool: Tool,
    /// How the values of [`Role::arguments`] are sent to it.
    pub form: Form,
    /// What the tool answers in the agent's own words.
    pub answers: Answers,
}

/// What a tool answers in its agent's own words; `None` where the role's words will do. In a template, an argument
/// goes by its canonical name, and `count` is how often a text was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// It did what it was asked to.
    pub done: Option<Template>,
    /// There is no such file.
    pub missing: Option<Template>,
    /// The text to replace is not in the file.
    pub not_found: Option<Template>,
    /// The text to replace is in the file more than once.
    pub found_twice: Option<Template>,
    /// The text to replace is the new one, and the tool refuses that.
    pub same: Option<Template>,
    /// It worked, and nothing is different from before.
    pub unchanged: Option<Template>,
}
