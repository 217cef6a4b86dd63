//! How the arguments of a tool are sent: the agent's own JSON, with places for the values of a role.

use serde_json::Value;

use super::role::Role;

/// The JSON object that is sent to a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The members, in the order in which they are sent.
    pub members: Vec<(String, Slot)>,
}

/// A place in what is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A value of the role, by its place in [`Role::arguments`].
    Value(usize, Shape),
    /// The command with which a shell does what this role does.
    Command(Role),
    /// The same in every call.
    Fixed(Value),
    /// A list.
    List(Vec<Slot>),
    /// An object.
    Object(Vec<(String, Slot)>),
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

impl Form {
    /// The member that has the value of an argument, by the argument's place in [`Role::arguments`].
    #[must_use]
    pub fn name(&self, argument: usize) -> Option<&str> {
        self.members.iter().find(|(_, slot)| slot.has(argument)).map(|(name, _)| name.as_str())
    }
}

impl Slot {
    /// Whether it sends the value of this argument.
    #[must_use]
    pub fn has(&self, argument: usize) -> bool {
        match self {
            Self::Value(at, _) => *at == argument,
            Self::Command(role) => argument < role.arguments().len(),
            Self::Fixed(_) => false,
            Self::List(all) => all.iter().any(|it| it.has(argument)),
            Self::Object(members) => members.iter().any(|(_, it)| it.has(argument)),
        }
    }
}
