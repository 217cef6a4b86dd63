//! Tools under the names and in the forms that known agents use.

use balk_contract::Tool;

use super::role::Role;
use super::template::Template;

/// The tools of one known agent.
#[derive(Clone, Debug)]
pub struct Toolset {
    /// The agent that uses these names.
    pub name: String,
    /// Whether it is drawn only from reserved pools.
    pub reserve: bool,
    /// The tools: at most one for each role, except [`Role::Distractor`].
    pub tools: Vec<ToolsetTool>,
}

/// A tool as one agent offers it.
#[derive(Clone, Debug)]
pub struct ToolsetTool {
    /// What it does for a task.
    pub role: Role,
    /// The offered tool: its schema, and the agent's name for it, which may be illegal on the wire.
    pub tool: Tool,
    /// The agent's names for [`Role::arguments`], in that order.
    pub arguments: Vec<String>,
    /// How each of them is sent.
    pub shapes: Vec<Shape>,
    /// What the tool answers in the agent's own words.
    pub answers: Answers,
    /// Arguments that are always sent, with their values.
    pub constants: Vec<(String, String)>,
}

/// How the value of an argument is sent. A scenario always writes text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// As a string.
    Text,
    /// As a number, if the text is one.
    Number,
    /// As a list of objects, one for each line of the text.
    Items(ItemShape),
}

/// How an agent sends an item of a todo list. In a scenario it is a line that begins with `[ ]`, `[-]` (begun) or
/// `[x]` (done); a line without such a mark is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemShape {
    /// The member that has the text.
    pub text: String,
    /// The member that says how far the item is.
    pub state: String,
    /// The agent's words for an item that is open, begun and done.
    pub words: [String; 3],
    /// The member that has the text again.
    pub again: Option<String>,
    /// The member that has the place in the list, from 1.
    pub number: Option<String>,
    /// Members that are the same in every item.
    pub constants: Vec<(String, String)>,
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
