//! The script at one place of a conversation: the actor and its world as they are there.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use balk_guards::{Completion, LOST, Message, NOT_RUN, Offer, Protocol, Status, ToolCall};
use balk_scenarios::scenario::Role;
use balk_scenarios::{Act, Actor, Environment, Executed, User, World};

use super::absolute;
use super::record::{Called, History, Outcome, Step, Where};
use super::refused;
use super::site::{Came, Site};
use crate::listen::path::{Item, Said};

/// The script at one place.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) world: Arc<World>,
    pub(super) actor: Actor,
    /// The scenario's own world. It runs the calls that the agent ran, so it says what the agent should have met.
    pub(super) environment: Environment,
    /// What the user said last in place of a call's answer, or in reply.
    pub(super) says: Option<Box<Says>>,
}

/// What the scenario's user says next.
#[derive(Clone, Debug)]
pub(super) struct Says {
    pub(super) text: Arc<str>,
    /// What the scenario's world answers to a question in words.
    known: Option<Executed>,
}

/// What was done last. Every act is kept, so what can be made from its scene is not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    /// The number of the attempt at this act, from 1.
    pub(super) attempt: u32,
    /// Whether the world has heard what was said in place of calls.
    heard: bool,
}

/// The last act.
pub(super) struct Last {
    at: At,
    attempt: u32,
}

/// Where the script is.
#[derive(Debug, PartialEq, Eq)]
struct At {
    state: String,
    visit: u32,
    detours: u32,
}

impl Done {
    /// An act that the world has not heard yet.
    pub(super) fn new(attempt: u32) -> Self {
        Self { attempt, heard: false }
    }
}

/// The completion of an act, and the same with the paths that the agent's tools want.
pub(super) fn completions(act: &Act, offer: &Offer, root: Option<&str>) -> [Arc<Completion>; 2] {
    let own = Arc::new(act.completion(offer));
    let sent = root.map_or_else(|| own.clone(), |root| absolute::below(root, &own, offer));
    [own, sent]
}

impl Scene {
    /// Before the first request.
    pub(super) fn new(world: &Arc<World>) -> Self {
        Self {
            world: world.clone(),
            actor: Actor::new(world),
            environment: Environment::new(world),
            says: None,
        }
    }

    fn at(&self) -> At {
        let actor = &self.actor;
        At { state: actor.state().to_owned(), visit: actor.visit(), detours: actor.detours() }
    }

    /// About how many bytes it takes that it does not share with the place before it, if there is one.
    pub(super) fn bytes_beside(&self, before: Option<&Self>) -> usize {
        let says = self
            .says
            .as_ref()
            .map_or(0, |it| it.text.len() + it.known.as_ref().map_or(0, |executed| executed.text.len()));
        says + self.actor.own_bytes() + self.environment.bytes_beside(before.map(|it| &it.environment))
    }

    /// Where the script was when it acted last, and the number of that attempt.
    pub(super) fn last(&self, done: Done) -> Last {
        Last { at: self.at(), attempt: done.attempt }
    }

    /// The script goes on from what it has read, and says the number of its attempt. Attempts go on counting as long as
    /// it is where it was: a word about an empty answer is no new request to a provider that has a bad moment.
    pub(super) fn acts_after(&mut self, last: Option<&Last>) -> u32 {
        self.act(1);
        last.filter(|it| it.at == self.at()).map_or(1, |it| it.attempt + 1)
    }

    /// What the actor does, or did here: it is the same until it has read something new.
    pub(super) fn act(&mut self, attempt: u32) -> Act {
        self.actor.act(attempt)
    }

    /// The act, whose completion this is, as a step of the record.
    pub(super) fn step(&self, act: &Act, attempt: u32, completion: &Completion) -> Step {
        let called = |it: &Arc<ToolCall>| Called { tool: it.tool.clone(), arguments: it.arguments.clone() };
        Step::Act {
            state: self.actor.state().to_owned(),
            visit: self.actor.visit(),
            attempt,
            truth: act.truth,
            texts: completion.texts().cloned().collect(),
            calls: completion.calls.iter().map(called).collect(),
            broke: act.broken.as_ref().map(|it| it.cause),
        }
    }

    /// Reads what came before the first act. Whatever the user says there is the task, in the agent's words.
    pub(super) fn opens(&mut self, items: &[Item], steps: &mut Vec<Step>) {
        let mut texts = Vec::new();
        for item in items {
            let Said::User(text) = &item.said else { continue };
            if self.world.speaks(text) {
                self.actor.read(&Message::User(text.clone()), None);
            }
            texts.push(text.clone());
        }
        steps.push(Step::Opened { texts });
    }

    /// Reads what came after an act.
    ///
    /// # Errors
    /// The place where the tools work cannot be looked at.
    pub(super) fn goes_on(
        &mut self,
        done: &mut Done,
        items: &[Item],
        site: &mut dyn Site,
        steps: &mut Vec<Step>,
    ) -> io::Result<()> {
        let theirs = items.first().and_then(|it| it.after.as_ref());
        let act = self.act(done.attempt);
        let completion = self.taken(&act, theirs, site.root());
        if act.broken.is_some() && completion.is_some() {
            steps.push(Step::History { how: History::Kept });
        }
        if let Some(completion) = &completion {
            self.actor.read(&Message::Assistant(completion.clone()), None);
            self.hears(&act, done);
        }
        let calls = completion.as_ref().map_or(&[][..], |it| &it.calls);
        let results = answered(calls, theirs.map_or(calls, |it| &it.calls), items);
        let texts: Vec<Option<&str>> = results.iter().map(|it| it.map(|at| items[at].text())).collect();
        let of_item: BTreeMap<usize, usize> =
            results.iter().enumerate().filter_map(|(call, item)| Some(((*item)?, call))).collect();
        let known = site.came_of(&texts)?;
        if let Some(known) = &known {
            self.environment = known.environment.clone();
        }
        for (place, item) in items.iter().enumerate() {
            let Said::Result { id, text, failed, is_refusal } = &item.said else {
                self.user_says(item.text(), steps);
                continue;
            };
            // Each result answers one call.
            let at = of_item.get(&place).copied();
            let of_world = at.and_then(|at| known.as_ref()?.calls.get(at));
            let (outcome, executed) = match (of_world, at) {
                _ if *is_refusal => (Outcome::NotRun, None),
                (Some((executed, came)), _) => of_place(executed, *came, text, *failed),
                (None, Some(at)) if !text.starts_with(NOT_RUN) && **text != *LOST => {
                    self.environment.call(&calls[at]);
                    (Outcome::Unknown, failed.map(|failed| told(text, failed)))
                }
                (None, _) => (Outcome::NotRun, None),
            };
            let is_refused = *is_refusal || of_world.is_some() && outcome == Outcome::NotRun;
            let heard = if is_refused { format!("{NOT_RUN}{text}").into() } else { text.clone() };
            let said = of_world.filter(|(_, came)| *came == Came::AsSaid).map(|(it, _)| it.text.as_str());
            let said = said.filter(|it| **it != **text).map(Into::into);
            steps.push(Step::Result { outcome, text: text.clone(), said });
            let message = Message::Result { id: id.clone(), text: heard, is_error: false };
            let notes = self.actor.read(&message, executed.as_ref()).into_iter();
            steps.extend(notes.map(|note| Step::Intervention { at: Where::Result, text: note.into() }));
        }
        Ok(())
    }

    /// Reads a summary of what came before, and what the user says after it.
    pub(super) fn resumes(&mut self, items: &[Item], steps: &mut Vec<Step>) {
        for item in items {
            if let Said::User(text) = &item.said {
                self.user_says(text, steps);
            }
        }
    }

    /// The completion that the agent took, as the actor reads it: its own, unless the agent changed the calls. A
    /// broken attempt counts only if the agent kept what came of it.
    fn taken(
        &self,
        act: &Act,
        theirs: Option<&Arc<Completion>>,
        root: Option<&str>,
    ) -> Option<Arc<Completion>> {
        let [own, sent] = completions(act, self.world.offer(), root);
        let is_changed = |theirs: &&Arc<Completion>| {
            let keys = |it: &Completion| it.calls.iter().map(|call| call.key).collect::<Vec<_>>();
            // Some agents show arguments that cannot be read in other words. No tool takes those either.
            let can_be_read = || theirs.calls.iter().all(|it| self.environment.asked(it).is_some());
            !theirs.calls.is_empty() && keys(theirs) != keys(&sent) && can_be_read()
        };
        match theirs {
            // No agent shows an answer without text and calls.
            None if act.broken.is_some() || !own.has_text() && own.calls.is_empty() => None,
            None => Some(own),
            Some(_) => theirs.filter(|it| is_changed(it)).cloned().or(Some(own)),
        }
    }

    /// The world hears what the actor said in place of calls, once.
    fn hears(&mut self, act: &Act, done: &mut Done) {
        if std::mem::replace(&mut done.heard, true) {
            return;
        }
        for spoken in &act.spoken {
            let executed = self.environment.hear(spoken);
            if self.says.is_none() && spoken.role != Role::Finish {
                let text = executed.text.as_str().into();
                self.says = Some(Box::new(Says { text, known: Some(executed) }));
            }
        }
    }

    /// What the scenario's user says if the agent ends with this act. `None` where they have nothing to say, because
    /// the task is over or they leave.
    pub(super) fn user_replies(&mut self, user: &mut User, done: &mut Done) -> Option<Arc<str>> {
        let act = self.act(done.attempt);
        self.hears(&act, done);
        let finishes = act.spoken.iter().any(|it| it.role == Role::Finish);
        if finishes || !act.calls.is_empty() || self.world.protocol() == Protocol::Tool {
            return None;
        }
        // What answers a question in words stays the answer.
        if self.says.as_ref().is_none_or(|it| it.known.is_none()) {
            self.says = None;
            let completion = act.completion(self.world.offer());
            let said: String = completion.texts().map(|text| &**text).collect();
            let text = user.reply(&said, &mut self.environment)?;
            self.says = Some(Box::new(Says { text, known: None }));
        }
        self.says.as_ref().map(|it| it.text.clone())
    }

    fn user_says(&mut self, text: &str, steps: &mut Vec<Step>) {
        // Agents wrap what their user says, and some repeat it.
        let shown = text;
        let (text, known) = match self.says.take_if(|it| shown.contains(&*it.text)) {
            Some(says) => (says.text, says.known),
            None => (shown.into(), None),
        };
        let message = Message::User(text.clone());
        let found = self.actor.read(&message, known.as_ref());
        steps.push(if found.is_empty() {
            let shown = (*shown != *text).then(|| shown.into());
            Step::User { text, shown }
        } else {
            Step::Intervention { at: Where::User, text }
        });
    }
}

/// Which item is the result of each call: by its id as the agent shows it, else by its place.
fn answered(calls: &[Arc<ToolCall>], shown: &[Arc<ToolCall>], items: &[Item]) -> Vec<Option<usize>> {
    let mut of_id = BTreeMap::new();
    for (at, call) in shown.iter().enumerate() {
        of_id.entry(&call.id).or_insert(at);
    }
    let mut results = vec![None; calls.len()];
    let ids = items.iter().enumerate().filter_map(|(item, it)| match &it.said {
        Said::Result { id, .. } => Some((item, id)),
        Said::User(_) => None,
    });
    for (place, (item, id)) in ids.enumerate() {
        let at = of_id.get(id).copied().unwrap_or(place);
        if let Some(result) = results.get_mut(at).filter(|it| it.is_none()) {
            *result = Some(item);
        }
    }
    results
}

/// What is known of a call from the place where it ran, and what the actor is told.
fn of_place(
    executed: &Executed,
    came: Came,
    text: &Arc<str>,
    failed: Option<bool>,
) -> (Outcome, Option<Executed>) {
    match came {
        Came::AsSaid => (Outcome::of(executed.status), Some(executed.clone())),
        Came::Otherwise => (Outcome::Otherwise, failed.map(|failed| told(text, failed))),
        Came::NotRun if refused::speaks_to_model(text) => (Outcome::NotRun, None),
        // It ran where the place does not reach, or did nothing.
        Came::NotRun => (Outcome::Otherwise, failed.map(|failed| told(text, failed))),
        Came::NotKnown => (Outcome::Unknown, failed.map(|failed| told(text, failed))),
    }
}

/// What a tool did, as the agent tells it.
fn told(text: &Arc<str>, failed: bool) -> Executed {
    let status = if failed { Status::Error } else { Status::Ok };
    Executed { text: text.to_string(), status, ticks: 0, finishes: false, fatal: false }
}
