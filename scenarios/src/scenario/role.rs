//! What tools are to a task.

use balk_contract::Purpose;

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
