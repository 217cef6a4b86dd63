//! What a scenario is: valid by construction, made from a file by [`format`](crate::format) alone.

use std::sync::Arc;

pub use balk_guards::Limits;
use balk_guards::{ChoiceKind, Protocol, Purpose, Tool};

use crate::template::Template;

mod actor;
mod attempt;

pub use actor::{
    ActorSpec, Bound, CallSpec, Called, Profile, Ratio, ResponseMode, ResponseSpec, Sent, State, StateId,
    Stuck, Transition, Trigger, Truth, TruthSpan,
};
pub use attempt::{Break, Stage};

/// A task with its tools, environment, user, actor, limits and goal.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Kebab-case, unique in the catalogue.
    pub name: Arc<str>,
    /// Whether the actor balks.
    pub kind: Kind,
    /// The scenario that differs from this one in nothing but the behaviour.
    pub twin: Arc<str>,
    /// What happens, in a line.
    pub title: String,
    /// Why it exists.
    pub why: String,
    /// The report it comes from.
    pub source: String,
    /// How a task ends.
    pub protocol: Protocol,
    /// What the loop says to a message without a call where a tool must end the task; none is the neutral
    /// [`LOOP_PROMPT`](crate::LOOP_PROMPT).
    pub prompt: Option<PhraseId>,
    /// The bounds of a trial.
    pub limits: Limits,
    /// The tools that the task needs, by role.
    pub roles: Vec<Role>,
    /// Those of them that the provider runs itself.
    pub provider: Vec<Role>,
    /// How many tools that have nothing to do with the task are offered beside them.
    pub distractors: usize,
    /// The tool sets of known agents that have every role; the seed draws one.
    pub toolsets: Vec<Arc<Toolset>>,
    /// What the seed draws one item from each.
    pub pools: Vec<Pool>,
    /// Numbers that the seed draws.
    pub numbers: Vec<Number>,
    /// What people, models and tools say, by language.
    pub phrases: Vec<Phrase>,
    /// The languages that every phrase has; the seed draws one. A scenario whose phrases are the same in every
    /// language has the one language `any`.
    pub languages: Vec<Arc<str>>,
    /// The world before the first turn, and its rules.
    pub environment: EnvironmentSpec,
    /// What must hold in the world for the task to be done.
    pub goal: Vec<Condition>,
    /// Where the goal cannot be reached: the rule under which a guard has to tell the user why.
    pub unreachable: Option<Arc<str>>,
    /// The person.
    pub user: UserSpec,
    /// The model.
    pub actor: ActorSpec,
    /// How the actor takes corrections.
    pub response: ResponseSpec,
}

/// Whether the actor of a scenario balks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It balks: guards should step in.
    Stubborn,
    /// It works: guards must stay silent.
    Control,
}

/// What a tool is to the task, whatever an agent calls it.
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
    /// Puts a question to the user: `question`.
    Ask,
    /// Creates a record somewhere else, once for every call: `record`, `details`.
    Remote,
    /// Declares the task done: `summary`.
    Finish,
    /// Nothing the task needs: `query`.
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

    /// What a guard may say the tool is for.
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
    /// Whose names these are.
    pub name: String,
    /// Used only where reserved pools are asked for.
    pub reserve: bool,
    /// The tools; at most one for each role but [`Role::Distractor`].
    pub tools: Vec<ToolsetTool>,
}

/// A tool as one agent offers it.
#[derive(Clone, Debug)]
pub struct ToolsetTool {
    /// What it is to a task.
    pub role: Role,
    /// What is offered: the agent's name for it, which may be illegal on the wire, and the schema.
    pub tool: Tool,
    /// The agent's names for [`Role::arguments`], in that order.
    pub arguments: Vec<String>,
    /// Arguments that are always sent, with their values.
    pub constants: Vec<(String, String)>,
}

/// A pool of linked values: one item is drawn, all its fields go together.
#[derive(Clone, Debug)]
pub struct Pool {
    /// The name before the dot in `{pool.field}`.
    pub name: String,
    /// The names of the fields, the same in every item.
    pub fields: Vec<String>,
    /// The items.
    pub items: Vec<PoolItem>,
}

/// One item of a pool.
#[derive(Clone, Debug)]
pub struct PoolItem {
    /// Used only where reserved pools are asked for.
    pub reserve: bool,
    /// One value a field, in the pool's order.
    pub values: Vec<Arc<str>>,
}

/// A number drawn once a trial, uniformly.
#[derive(Clone, Debug)]
pub struct Number {
    /// Its name: `{name}` in a template, or a bound of a transition.
    pub name: String,
    /// Least value.
    pub from: u32,
    /// Greatest value.
    pub to: u32,
}

/// Something that is said; one variant is drawn at every use.
#[derive(Clone, Debug)]
pub struct Phrase {
    /// Its name.
    pub name: String,
    /// The variants for each of [`Scenario::languages`], in that order.
    pub variants: Vec<Vec<Template>>,
}

/// Index into [`Scenario::phrases`].
pub type PhraseId = usize;

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

/// The person.
#[derive(Clone, Debug)]
pub struct UserSpec {
    /// The first message.
    pub opening: PhraseId,
    /// What the person says to each message without a call, in order; then the person leaves. Leaves at
    /// once when the goal holds and [`stays_for`](Self::stays_for) replies were given.
    pub replies: Vec<PhraseId>,
    /// Replies that are given even when the goal already holds.
    pub stays_for: usize,
    /// What is answered to a guard's question: the first whose choice is offered.
    pub answers: Vec<AnswerSpec>,
}

/// An answer to a question.
#[derive(Clone, Debug)]
pub struct AnswerSpec {
    /// What is chosen.
    pub choice: ChoiceKind,
    /// What is said with it.
    pub says: PhraseId,
    /// Facts that hold from then on.
    pub sets: Vec<Template>,
}
