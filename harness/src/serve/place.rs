//! The script at one place of a conversation: the actor, its world and its user as they are there.

use std::sync::Arc;

use balk_guards::{Completion, LOST, Message, NOT_RUN, Offer, Protocol, Status, ToolCall};
use balk_scenarios::scenario::Role;
use balk_scenarios::{Act, Actor, Environment, Executed, User, World};

use super::path::{Item, Said};
use super::record::{Outcome, Step, Where};
use super::site::{Came, Site};

/// The script at one place.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) world: Arc<World>,
    pub(super) actor: Actor,
    /// The scenario's own world. It runs the calls that the agent ran, so it says what the agent should have met.
    pub(super) environment: Environment,
    user: User,
    /// What the user said last in place of a call's answer, or in reply.
    pub(super) says: Option<Says>,
}

/// What the scenario's user says next.
#[derive(Clone, Debug)]
pub(super) struct Says {
    pub(super) text: Arc<str>,
    /// What the scenario's world answers to a question in words.
    known: Option<Executed>,
}

/// What was done last.
#[derive(Clone, Debug)]
pub(super) struct Done {
    pub(super) act: Act,
    pub(super) completion: Arc<Completion>,
    /// The number of the attempt at this act, from 1.
    pub(super) attempt: u32,
    /// The state that it is an act of, and its visit.
    pub(super) at: (String, u32),
    /// Whether the world has heard what was said in place of calls.
    heard: bool,
}

impl Done {
    /// An act that the world has not heard yet.
    pub(super) fn new(actor: &Actor, act: Act, attempt: u32, offer: &Offer) -> Self {
        let completion = act.completion(offer).into();
        Self { act, completion, attempt, at: (actor.state().to_owned(), actor.visit()), heard: false }
    }
}

impl Scene {
    /// Before the first request.
    pub(super) fn new(world: &Arc<World>) -> Self {
        Self {
            world: world.clone(),
            actor: Actor::new(world),
            environment: Environment::new(world),
            user: User::new(world),
            says: None,
        }
    }

    /// Reads what came before the first act. Whatever the user says there is the task, in the agent's words.
    pub(super) fn opens(&mut self, items: &[Item]) {
        for item in items {
            if let Said::User(text) = &item.said
                && self.world.speaks(text)
            {
                self.actor.read(&Message::User(text.clone()), None);
            }
        }
    }

    /// Reads what came after an act.
    pub(super) fn goes_on(&mut self, done: &mut Done, items: &[Item], site: &mut dyn Site, steps: &mut Vec<Step>) {
        let theirs = items.first().and_then(|it| it.after.as_ref());
        let completion = self.taken(done, theirs);
        if let Some(completion) = &completion {
            self.actor.read(&Message::Assistant(completion.clone()), None);
            self.hears(done);
        }
        let calls = completion.as_ref().map_or(&[][..], |it| &it.calls);
        let shown = theirs.map_or(calls, |it| &it.calls);
        let results: Vec<(usize, &Item)> = answered(calls.len(), shown, items);
        let texts: Vec<Option<&str>> =
            (0..calls.len()).map(|call| results.iter().find(|(at, _)| *at == call).map(|(_, it)| it.text())).collect();
        let came = site.came_of(&texts);
        let mut answered = results.into_iter().map(|(call, _)| call);
        for item in items {
            match &item.said {
                Said::User(text) => self.user_says(text, steps),
                Said::Result { id, text, failed } => {
                    let call = answered.next().and_then(|at| Some((calls.get(at)?, came.get(at).copied())));
                    let message = |text: Arc<str>| Message::Result { id: id.clone(), text, is_error: false };
                    let ran = text.strip_prefix(NOT_RUN).is_none() && **text != *LOST;
                    let (message, known, outcome) = match call {
                        Some((_, Some(Came::NotRun))) if ran => {
                            (message(format!("{NOT_RUN}{text}").into()), None, Outcome::NotRun)
                        }
                        Some((call, came)) if ran => {
                            let executed = self.environment.call(call);
                            let outcome = Outcome::of(executed.status);
                            match (came, failed) {
                                (Some(Came::AsExpected), _) => (message(text.clone()), Some(executed), outcome),
                                (Some(Came::Failed), _) | (_, Some(true)) => {
                                    (message(text.clone()), Some(told(text, Status::Error)), Outcome::Failed)
                                }
                                (Some(Came::Worked), _) | (_, Some(false)) => {
                                    (message(text.clone()), Some(told(text, Status::Ok)), Outcome::Worked)
                                }
                                (Some(Came::Unknown | Came::NotRun) | None, None) => {
                                    (message(text.clone()), None, Outcome::Unknown)
                                }
                            }
                        }
                        Some(_) | None => (message(text.clone()), None, Outcome::NotRun),
                    };
                    steps.push(Step::Result { outcome, text: text.clone() });
                    let notes = self.actor.read(&message, known.as_ref());
                    steps.extend(notes.into_iter().map(|text| Step::Intervention { at: Where::Result, text: text.into() }));
                }
            }
        }
    }

    /// The completion that the agent took, as the actor reads it: its own, unless the agent changed the calls. A
    /// broken attempt counts only if the agent kept what came of it.
    fn taken(&self, done: &Done, theirs: Option<&Arc<Completion>>) -> Option<Arc<Completion>> {
        let own = &done.completion;
        let is_changed = |theirs: &&Arc<Completion>| {
            let keys = |it: &Completion| it.calls.iter().map(|call| call.key).collect::<Vec<_>>();
            !theirs.calls.is_empty() && keys(theirs) != keys(own)
        };
        match theirs {
            None if done.act.broken.is_some() || own.is_empty() => None,
            None => Some(own.clone()),
            Some(_) => Some(theirs.filter(|it| is_changed(it)).unwrap_or(own).clone()),
        }
    }

    /// The world hears what the actor said in place of calls, once.
    fn hears(&mut self, done: &mut Done) {
        if std::mem::replace(&mut done.heard, true) {
            return;
        }
        for spoken in &done.act.spoken {
            let executed = self.environment.hear(spoken);
            if self.says.is_none() && spoken.role != Role::Finish {
                self.says = Some(Says { text: executed.text.as_str().into(), known: Some(executed) });
            }
        }
    }

    /// What the scenario's user says if the agent ends with this act. `None` where they have nothing to say, because
    /// the task is over or they leave.
    pub(super) fn user_replies(&mut self, done: &mut Done) -> Option<Arc<str>> {
        self.hears(done);
        let finishes = done.act.spoken.iter().any(|it| it.role == Role::Finish);
        if finishes || !done.completion.calls.is_empty() || self.world.protocol() == Protocol::Tool {
            return None;
        }
        if self.says.is_none() {
            let said: String = done.completion.texts().map(|text| &**text).collect();
            let text = self.user.reply(&said, &mut self.environment)?;
            self.says = Some(Says { text, known: None });
        }
        self.says.as_ref().map(|it| it.text.clone())
    }

    fn user_says(&mut self, text: &Arc<str>, steps: &mut Vec<Step>) {
        // Agents wrap what their user says, and some repeat it.
        let says = self.says.take_if(|it| text.contains(&*it.text));
        let (text, known) = match says {
            Some(Says { text, known }) => (text, known),
            None => (text.clone(), None),
        };
        let message = Message::User(text.clone());
        let found = self.actor.read(&message, known.as_ref());
        steps.push(if found.is_empty() {
            Step::User { text }
        } else {
            Step::Intervention { at: Where::User, text }
        });
    }
}

/// Which call each result answers: by its id, else by its place.
fn answered<'i>(calls: usize, shown: &[Arc<ToolCall>], items: &'i [Item]) -> Vec<(usize, &'i Item)> {
    let results = items.iter().filter_map(|item| match &item.said {
        Said::Result { id, .. } => Some((id, item)),
        Said::User(_) => None,
    });
    let at = |(place, (id, item)): (usize, (&Arc<str>, &'i Item))| {
        (shown.iter().position(|it| it.id == *id).unwrap_or(place), item)
    };
    results.enumerate().map(at).filter(|(at, _)| *at < calls).collect()
}

/// What a tool did, as the agent tells it.
fn told(text: &Arc<str>, status: Status) -> Executed {
    Executed { text: text.to_string(), status, ticks: 0, finishes: false, fatal: false }
}
