//! Tools: what they are to a task, and what known agents call them.

use balk_contract::{Purpose, Tool};

use crate::template::Template;

/// What a tool does for the task, independent of the name that an agent gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Writes a whole file: `path`, `content`.
    Write,
    /// Replaces the one place in a file where a text occurs: `path`, `old`, `new`.
    Edit,
    /// Reads a file: `path`.
    Read,
    /// Lists files: `path`.
    List,
    /// Runs a command: `command`.
    Shell,
    /// Has a sub-agent do a task: `task`.
    Delegate,
    /// Lets time pass: `seconds`.
    Wait,
    /// Replaces the todo list, one item a line: `items`.
    Plan,
    /// Asks the user a question: `question`.
    Ask,
    /// Creates a record in another system, one for every call: `record`, `details`.
    Remote,
    /// Declares the task done: `summary`.
    Finish,
    /// Has nothing to do with the task: `query`.
    Distractor,
}

impl Role {
    /// The canonical names of the arguments.
    #[must_use]
    pub const fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Write => &["path", "content"],
            Self::Edit => &["path", "old", "new"],
            Self::Delegate => &["task"],
            Self::Wait => &["seconds"],
            Self::Plan => &["items"],
            Self::Read | Self::List => &["path"],
            Self::Shell => &["command"],
            Self::Ask => &["question"],
            Self::Remote => &["record", "details"],
            Self::Finish => &["summary"],
            Self::Distractor => &["query"],
        }
    }

    /// Whether [`arguments`](Self::arguments) has this name.
    #[must_use]
    pub fn has_argument(self, name: &str) -> bool {
        self.arguments().contains(&name)
    }

    /// The purpose that the offer declares to guards.
    #[must_use]
    pub const fn purpose(self) -> Purpose {
        match self {
            Self::Shell => Purpose::Shell,
            Self::Ask => Purpose::AskUser,
            Self::Finish => Purpose::Finish,
            Self::Wait => Purpose::Wait,
            Self::Write
            | Self::Edit
            | Self::Read
            | Self::List
            | Self::Delegate
            | Self::Plan
            | Self::Remote
            | Self::Distractor => Purpose::Other,
        }
    }
}

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
