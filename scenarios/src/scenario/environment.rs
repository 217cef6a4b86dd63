//! The world of a scenario: its state before the first turn, and its rules.

use super::condition::Condition;
use super::messages::NewsSpec;
use super::numbers::Bound;
use super::role::Role;
use super::template::Template;
use super::texts::PhraseId;

/// The world before the first turn, and its rules.
#[derive(Clone, Debug)]
pub struct EnvironmentSpec {
    /// Files: path, content.
    pub files: Vec<(Template, Template)>,
    /// Facts that hold.
    pub facts: Vec<Template>,
    /// What stands before the answer of every call, in a line of its own.
    pub before: Option<PhraseId>,
    /// What stands after it.
    pub after: Option<PhraseId>,
    /// What happens when a tool is called. The first rule that applies decides; without one, the role does.
    pub rules: Vec<Rule>,
    /// Messages of the environment that come between turns.
    pub notifications: Vec<NewsSpec>,
}

/// What happens when a tool is called.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The tool's role.
    pub role: Role,
    /// The conditions, all of which must hold.
    pub when: Vec<Condition>,
    /// The greatest number of calls to which the rule applies. `None` is no bound.
    pub times: Option<Bound>,
    /// Whether the call fails. Then it changes only what the rule says.
    pub fails: bool,
    /// Whether the tool does what its role says, where the call does not fail. Where it does not, it only says so.
    pub does: bool,
    /// Whether the agent cannot go on after the call.
    pub fatal: bool,
    /// How many seconds the call takes, beside what its role takes.
    pub takes: Option<Bound>,
    /// What the tool answers. `None` is the role's own answer.
    pub says: Option<PhraseId>,
    /// Facts that hold from then on.
    pub sets: Vec<Template>,
    /// Facts that no longer hold from then on.
    pub clears: Vec<Template>,
    /// Files that the call writes, after what its role does.
    pub writes: Vec<WriteSpec>,
    /// Files that it deletes, after that.
    pub deletes: Vec<Template>,
}

/// A file that a call writes.
#[derive(Clone, Debug)]
pub struct WriteSpec {
    /// Its path.
    pub path: Template,
    /// The text.
    pub text: Template,
    /// Whether the text is added to what the file has; else it takes its place.
    pub appends: bool,
}
