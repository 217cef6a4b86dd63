//! What a scenario is. Only [`format`](crate::format) makes one, so every scenario is valid.

use std::sync::Arc;

pub use balk_contract::Limits;
use balk_contract::{ChoiceKind, Protocol};

mod actor;
mod attempt;
mod condition;
mod environment;
mod form;
mod messages;
mod numbers;
mod response;
mod role;
pub mod template;
mod texts;
mod tools;
mod way;

pub use balk_contract::record::{Kind, Stuck, Truth};

use template::Template;

pub use actor::{ActorSpec, CallSpec, Called, Sent, State, StateId, Transition, Trigger, TruthSpan};
pub use attempt::{Break, Delivery, Stage, Wire};
pub use condition::Condition;
pub use environment::{EnvironmentSpec, Rule, WriteSpec};
pub use form::{Form, ItemShape, Shape, Slot};
pub use messages::{CompactionSpec, NewsSpec, ReplySpec};
pub(crate) use numbers::TICKS_PER_SECOND;
pub use numbers::{Bound, Number, Ratio};
pub use response::{Profile, ResponseSpec};
pub use role::Role;
pub use texts::{Phrase, PhraseId, Pool, PoolItem};
pub use tools::{Answers, Toolset, ToolsetTool};
pub use way::Way;

/// What the loop says to a message without a call where a tool must end the task. A scenario can have its own words
/// for it. It is neutral, and not an intervention.
pub const LOOP_PROMPT: &str = "Go on with the task.";

/// A task with its tools, environment, user, actor, limits and goal.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Kebab-case, unique in the catalogue.
    pub name: Arc<str>,
    /// The name of its world. Both scenarios of a file have the same, and a seed draws the same for both.
    pub world: Arc<str>,
    /// Whether the actor balks.
    pub kind: Kind,
    /// The other scenario of its file, which differs from this one in nothing but the actor. Every stubborn scenario
    /// has one.
    pub twin: Option<Arc<str>>,
    /// What it is without its surface, if it was drawn. A written scenario goes by its name.
    pub skeleton: Option<Arc<str>>,
    /// What happens, in a line.
    pub title: String,
    /// Why it exists.
    pub why: String,
    /// Where it was seen.
    pub source: String,
    /// How a task ends.
    pub protocol: Protocol,
    /// What the loop says to a message without a call where a tool must end the task. `None` is [`LOOP_PROMPT`].
    pub prompt: Option<PhraseId>,
    /// The bounds of a trial.
    pub limits: Limits,
    /// The tools that the task needs, by role.
    pub roles: Vec<Role>,
    /// Those of them that the provider runs itself.
    pub provider: Vec<Role>,
    /// How many unrelated tools are offered beside them.
    pub distractors: usize,
    /// The tool sets of known agents that have every role. The seed draws one.
    pub toolsets: Vec<Arc<Toolset>>,
    /// The pools. The seed draws one item of each.
    pub pools: Vec<Pool>,
    /// Numbers that the seed draws.
    pub numbers: Vec<Number>,
    /// What people, models and tools say, by language.
    pub phrases: Vec<Phrase>,
    /// The languages that every phrase has. The seed draws one. Where all phrases are the same in every language,
    /// the one language is `any`.
    pub languages: Vec<Arc<str>>,
    /// The world before the first turn, and its rules.
    pub environment: EnvironmentSpec,
    /// What must hold in the world for the task to be done.
    pub goal: Vec<Condition>,
    /// Set where the goal cannot be reached: the rule under which a guard has to tell the user why.
    pub unreachable: Option<Arc<str>>,
    /// When the loop summarises the messages so far. `None` is never.
    pub compaction: Option<CompactionSpec>,
    /// The person.
    pub user: UserSpec,
    /// The model.
    pub actor: ActorSpec,
    /// How the actor takes corrections.
    pub response: ResponseSpec,
}

/// The person.
#[derive(Clone, Debug)]
pub struct UserSpec {
    /// The first message.
    pub opening: PhraseId,
    /// What the person says to a message without a call, if the conditions hold. Where none applies, they give the
    /// next of their [`replies`](Self::replies).
    pub rules: Vec<ReplySpec>,
    /// What the person says while calls run. It reaches the model before its next turn.
    pub interrupts: Vec<NewsSpec>,
    /// What the person says to each message without a call, in order. After the last reply the person leaves. They
    /// leave earlier where the goal holds and they have given [`stays_for`](Self::stays_for) replies.
    pub replies: Vec<PhraseId>,
    /// How many replies are given even when the goal already holds.
    pub stays_for: usize,
    /// The answers to a guard's question: the first whose choice is offered is given.
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
