//! Tools: what they are to a task, and what known agents call them.

use balk_contract::{Purpose, Tool};

/// What a tool does for the task, independent of the name that an agent gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Writes a whole file: `path`, `content`.
    Write,
    /// Reads a file: `path`.
    Read,
    /// Lists files: `path`.
    List,
    /// Runs a command: `command`.
    Shell,
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
            Self::Write | Self::Read | Self::List | Self::Remote | Self::Distractor => Purpose::Other,
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
    /// Arguments that are always sent, with their values.
    pub constants: Vec<(String, String)>,
}
