//! The world of a scenario before the first turn, its rules, and what may hold in it.

use super::texts::PhraseId;
use super::tools::Role;
use crate::template::Template;

/// The world before the first turn, and its rules.
#[derive(Clone, Debug)]
pub struct EnvironmentSpec {
    /// Files: path, content.
    pub files: Vec<(Template, Template)>,
    /// Facts that hold.
    pub facts: Vec<Template>,
    /// What happens when a tool is called; the first that applies decides, else the role's own behaviour.
    pub rules: Vec<Rule>,
}

/// What happens when a tool is called.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The tool's role.
    pub role: Role,
    /// What must hold, all of it.
    pub when: Vec<Condition>,
    /// At how many calls, at most, the rule applies; none is no bound.
    pub times: Option<u32>,
    /// Whether the call fails; then it changes nothing but `sets` and `clears`.
    pub fails: bool,
    /// Whether the agent cannot go on after it.
    pub fatal: bool,
    /// What the tool answers; none is the role's own answer.
    pub says: Option<PhraseId>,
    /// Facts that hold from then on.
    pub sets: Vec<Template>,
    /// Facts that hold no more.
    pub clears: Vec<Template>,
}

/// Something that holds in the world, or of a call.
#[derive(Clone, Debug)]
pub enum Condition {
    /// The fact holds.
    Fact(Template),
    /// The fact does not hold.
    NoFact(Template),
    /// The file is there.
    File(Template),
    /// The file is not there.
    NoFile(Template),
    /// The file is there and contains the text.
    FileContains(Template, Template),
    /// The record was created.
    Record(Template),
    /// The record was created, and no more than once.
    Once(Template),
    /// The call's argument, by its canonical name, contains the text. Rules only.
    ArgumentContains(String, Template),
}
