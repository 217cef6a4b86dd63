//! The actor of a scenario: states with their hidden truth, and transitions.

use balk_contract::FinishReason;
use balk_contract::record::Truth;

use super::attempt::{Break, Delivery};
use super::numbers::{Bound, Ratio};
use super::role::Role;
use super::template::Template;
use super::texts::PhraseId;
use super::way::Way;

/// The model: a state machine over the view.
#[derive(Clone, Debug)]
pub struct ActorSpec {
    /// Index of the first state.
    pub start: StateId,
    /// The states.
    pub states: Vec<State>,
}

/// Index into [`ActorSpec::states`].
pub type StateId = usize;

/// A state of the actor. One visit is one completion.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name.
    pub name: String,
    /// Into how many steps its work is divided. A visit is one step, and the next step comes once it went well.
    pub steps: Option<Bound>,
    /// The hidden truth, by visit; in a state with steps, by round of all steps.
    pub truth: Vec<TruthSpan>,
    /// The text.
    pub says: Option<PhraseId>,
    /// The thinking.
    pub thinks: Option<PhraseId>,
    /// The calls, in order.
    pub calls: Vec<CallSpec>,
    /// The calls that the provider runs within every attempt, unseen by the loop.
    pub provider: Vec<CallSpec>,
    /// Whether what it says tells the user honestly that the task is not done.
    pub tells_user: bool,
    /// How likely the first attempt of a visit is to come back empty, then the second, and so on. The last one also
    /// applies to all later attempts. An empty list means never.
    pub empty: Vec<Ratio>,
    /// How attempts break off. The first that applies decides.
    pub breaks: Vec<Break>,
    /// How its answers come over a wire.
    pub delivery: Delivery,
    /// Why the completion ends. `None` is a tool call where there are calls, and a natural end elsewhere.
    pub finish: Option<FinishReason>,
    /// The transitions. The first that applies is taken; without one, the actor stays.
    pub next: Vec<Transition>,
}

/// The truth up to a visit, or up to a round of all steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruthSpan {
    /// The last visit, or round, to which it applies. `u32::MAX` means all.
    pub until: u32,
    /// The truth.
    pub is: Truth,
}

/// A call that a state makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSpec {
    /// What is called.
    pub called: Called,
    /// What is sent with it.
    pub sent: Sent,
}

/// What a state calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Called {
    /// The tool that plays this role.
    Role(Role),
    /// A name, whether or not it is offered.
    Name(String),
}

/// What is sent with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The values of [`Role::arguments`], in that order.
    Arguments(Vec<Template>),
    /// This text, whether or not it is JSON.
    Raw(Template),
}

/// Where the actor goes next.
#[derive(Clone, Debug)]
pub struct Transition {
    /// What must have happened since the completion.
    pub when: Trigger,
    /// What a tool must have answered since, or a user or the environment said. Part of one text is enough.
    pub contains: Option<Template>,
    /// The least number of visits to the state.
    pub visits: Bound,
    /// How likely it is, by visit from the first possible one. The last one also applies to all later visits.
    pub chance: Vec<Ratio>,
    /// With [`Trigger::Corrected`]: the ways that lead there. Empty for any other trigger.
    pub ways: Vec<Way>,
    /// Where to.
    pub to: StateId,
}

/// What followed a completion, as the view shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Always.
    Always,
    /// Every call was answered and none reads as a failure. In a state with steps, the last step went so.
    Succeeded,
    /// A call's answer reads as a failure, and is not a guard's refusal.
    Failed,
    /// A guard refused a call, so it did not run.
    Refused,
    /// An intervention came, and it moved the actor.
    Corrected,
    /// An intervention came that forbids sending the same again. It did not move the actor, but the actor obeys it.
    Varied,
    /// The scenario's own user spoke, unasked by a guard.
    UserSpoke,
    /// A notification of the environment came.
    Notified,
    /// The scenario's own user answered a guard's question with an instruction.
    Answered,
    /// The scenario's own user answered a guard's question by switching to another model.
    Switched,
    /// The connection broke while a call ran, and its answer was lost.
    Lost,
    /// The answer to the calls is not what it was at the last visit.
    Changed,
}
