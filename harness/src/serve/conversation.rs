//! A conversation: the script at every place that its requests have come to.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use balk_guards::wire::Asked;
use balk_guards::{Completion, FinishReason, Offer, Part, ToolCall, Usage};
use balk_scenarios::toolsets::Unbound;
use balk_scenarios::{Broken, Delivery, User, World};

use super::place::{Done, Scene, completions};
use super::record::{History, Step};
use super::script::{Bound, Script};
use super::side;
use super::site::Site;
use super::verdict::{self, Verdict};
use crate::files::plain_name;
use crate::listen::path::{self, Item, Path, Said};
use found::{Found, Goes};

mod find;
mod found;
mod part;
#[cfg(test)]
mod tests;

/// What a request is answered with.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) completion: Arc<Completion>,
    pub(super) arrival: Arrival,
    /// The id of the answer: no other of the conversation has it.
    pub(super) id: String,
}

/// How an answer comes.
#[derive(Clone, Debug)]
pub(super) enum Arrival {
    Whole(Delivery),
    /// It breaks off on its way.
    Broken(Broken),
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum NoAnswer {
    /// The tools on offer cannot play the roles of the scenario.
    Unbound(Unbound),
    /// The place where the tools work cannot be used.
    Site(io::Error),
    /// No answer has the id that the request follows.
    NotPrevious(Arc<str>),
}

impl From<Unbound> for NoAnswer {
    fn from(unbound: Unbound) -> Self {
        Self::Unbound(unbound)
    }
}

impl From<io::Error> for NoAnswer {
    fn from(error: io::Error) -> Self {
        Self::Site(error)
    }
}

/// A conversation.
pub(super) struct Conversation {
    /// Its name, as it is in the ids of its answers.
    name: String,
    script: Script,
    site: Box<dyn Site>,
    /// The world, once an offer has bound it, and the tools that it has from there.
    world: Option<(Arc<World>, Option<Arc<Bound>>)>,
    /// The beginning of the system text of the first request of the task.
    system: Option<Arc<str>>,
    /// The user of the scenario. They remember what the agent forgets: a history that was changed does not give them
    /// their patience back.
    user: Option<User>,
    /// What they said last in reply, after so many acts.
    replied: Option<(usize, Option<Arc<str>>)>,
    /// Every act, in order.
    #[expect(
        clippy::vec_box,
        reason = "an act has hundreds of bytes, and half of a list that grows is room"
    )]
    acts: Vec<Box<Acted>>,
    /// The last act at each place, and one there for each other beginning that leads to it.
    at: BTreeMap<Path, usize>,
    /// The acts by what tells their answers apart: each at its place, and the last one of all.
    turns: BTreeMap<Path, usize>,
    /// The last act up to the answer of each request.
    answers: Vec<Option<usize>>,
    /// The script as it was when it summarised the conversation the last time.
    summarised: Option<Scene>,
    /// The number of requests.
    requests: u64,
    /// About how many bytes the texts and the worlds take that are kept.
    texts: usize,
    steps: Vec<Step>,
    /// What the agent said to its user last, where somebody told that.
    said: Option<String>,
}

/// An act, and the script as it was when it acted.
struct Acted {
    path: Path,
    /// The place that it goes on from.
    from: Option<Path>,
    scene: Scene,
    done: Done,
    /// Whether the task was done when the agent left it.
    goal: Option<bool>,
}

impl Conversation {
    pub(super) fn new(name: &str, script: Script, site: Box<dyn Site>) -> Self {
        Self {
            name: plain_name(name),
            script,
            site,
            world: None,
            system: None,
            user: None,
            replied: None,
            acts: Vec::new(),
            at: BTreeMap::new(),
            turns: BTreeMap::new(),
            answers: Vec::new(),
            summarised: None,
            requests: 0,
            texts: 0,
            steps: Vec::new(),
            said: None,
        }
    }

    /// Answers a request. `wanted` is the schema that the answer must have; only requests that are not of the task have
    /// one that counts.
    ///
    /// # Errors
    /// The tools on offer cannot play the roles of the scenario, the place where they work is not there, or no answer
    /// has the id that the request follows.
    pub(super) fn ask(
        &mut self,
        asked: &Asked,
        wanted: impl FnOnce() -> Option<Arc<str>>,
    ) -> Result<Answer, NoAnswer> {
        let items = path::items(&asked.messages, self.script.profile.as_deref());
        let start = match &asked.previous {
            Some(id) => self.answered(id).ok_or_else(|| NoAnswer::NotPrevious(id.clone()))?,
            None => None,
        };
        if let Some(name) = self.side_call(asked) {
            let summary = if name == SUMMARY { self.summarises(start, &items)? } else { None };
            let system = (name == WITHOUT_TOOLS).then(|| beginning(asked)).flatten();
            let text = summary.unwrap_or_else(|| side::answer(wanted().as_deref()));
            return Ok(self.answer_aside(name, system, text));
        }
        let (world, _) = match &self.world {
            Some(bound) => bound,
            None => self.world.insert(self.script.world(&asked.offer)?),
        };
        let world = world.clone();
        self.requests += 1;
        self.notes_system(beginning(asked));
        let Found { goes, history, path } = self.find(start, &items);
        if matches!(history, Some(History::Forked | History::Restarted)) {
            self.leaves()?;
        }
        self.steps.extend(history.map(|how| Step::History { how }));
        let acted = match goes {
            Goes::Start => self.opens(&world, &items, path),
            Goes::After(act, known) if known == items.len() => self.again(act),
            Goes::After(act, known) => self.goes_on(act, &items[known..], path)?,
        };
        Ok(self.acts(acted)?)
    }

    /// What the scenario's user says if the agent ends now.
    pub(super) fn user_replies(&mut self) -> Option<Arc<str>> {
        let acts = self.acts.len();
        if self.replied.as_ref().is_none_or(|(at, _)| *at != acts) {
            let Acted { scene, done, .. } = &mut **self.acts.last_mut()?;
            let user = self.user.get_or_insert_with(|| User::new(&scene.world));
            self.replied = Some((acts, scene.user_replies(user, done)));
        }
        self.replied.as_ref().and_then(|(_, text)| text.clone())
    }

    /// The agent leaves the last act: it has ended, or goes on elsewhere. Nothing that was made ready for a call stays,
    /// and the place says whether the task is done.
    ///
    /// # Errors
    /// The place cannot be looked at.
    pub(super) fn leaves(&mut self) -> io::Result<()> {
        let Some(last) = self.acts.last_mut() else { return Ok(()) };
        let calls = last.scene.act(last.done.attempt).calls.len();
        let results = self.site.came_of(&vec![None; calls])?;
        let mut environment =
            results.map_or_else(|| last.scene.environment.clone(), |results| results.environment);
        self.site.look(&mut environment);
        last.goal = Some(environment.goal());
        Ok(())
    }

    /// The last place.
    pub(super) fn scene(&self) -> Option<&Scene> {
        self.acts.last().map(|it| &it.scene)
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub(super) fn verdict(&self) -> Verdict {
        let goal = self.goal();
        let stuck = verdict::stuck(&self.steps);
        Verdict {
            scenario: self.script.scenario.name.clone(),
            seed: self.script.seed.to_string(),
            goal,
            stuck,
            recovered: stuck && goal,
            told: verdict::user_read(&self.steps, self.said.as_deref(), "").told,
            requests: self.requests,
            interventions: verdict::interventions(&self.steps),
            identical_calls: verdict::identical_calls(&self.steps),
        }
    }

    /// Whether the task is done where a line of the history ends. What is done there stays done whatever the agent asks
    /// elsewhere: only what goes on from there can undo it.
    fn goal(&self) -> bool {
        let left: BTreeSet<Path> = self.acts.iter().filter_map(|it| it.from).collect();
        let mut ends = self.at.values().map(|&act| &self.acts[act]).filter(|it| !left.contains(&it.path));
        ends.any(|it| it.goal.unwrap_or_else(|| it.scene.environment.goal()))
    }

    pub(super) fn requests(&self) -> u64 {
        self.requests
    }

    /// About how many bytes it takes: all that grows with a request, and the name of a folder that an agent told.
    pub(super) fn kept(&self) -> usize {
        let places = (self.at.len() + self.turns.len() + self.answers.len()) * PLACE_BYTES;
        let listed = self.acts.len() * ACT_BYTES + self.steps.len() * STEP_BYTES + places;
        self.texts + listed + self.site.root().map_or(0, str::len)
    }

    fn side_call(&self, asked: &Asked) -> Option<String> {
        let system = asked.system.as_deref().unwrap_or_default();
        let tools = asked.offer.tools().len();
        let named = self.script.profile.as_ref().and_then(|it| it.side_call(system, tools));
        // Where the script needs tools, a request without any is not of the task.
        let needs_tools = !self.script.scenario.roles.is_empty();
        named.map(str::to_owned).or_else(|| (needs_tools && tools == 0).then(|| WITHOUT_TOOLS.to_owned()))
    }

    /// What the actor says to somebody who asks for a summary of all that the request shows. `None` if it has not acted
    /// yet.
    fn summarises(&mut self, start: Option<usize>, items: &[Item]) -> io::Result<Option<String>> {
        let Some(last) = self.acts.last() else { return Ok(None) };
        let mut scene = last.scene.clone();
        // The last words ask for the summary.
        let shown = match items {
            [shown @ .., Item { said: Said::User(_), .. }] => shown,
            all => all,
        };
        if let Found { goes: Goes::After(act, known), history: None, .. } = self.find(start, shown)
            && known < shown.len()
        {
            let Acted { scene: before, done, .. } = &*self.acts[act];
            scene = before.clone();
            let mut done = *done;
            self.texts += bytes(&shown[known..]);
            scene.goes_on(&mut done, &shown[known..], &mut *self.site, &mut self.steps)?;
            self.texts += scene.bytes_beside(Some(before));
        }
        let summary = scene.actor.summarise();
        self.summarised = Some(scene);
        Ok(Some(summary))
    }

    /// Another system text than that of the first request can be a sign of a request that is not of the task.
    fn notes_system(&mut self, system: Option<Arc<str>>) {
        if self.acts.is_empty() {
            self.system = system;
        } else if let Some(text) = system.filter(|it| self.system.as_ref() != Some(it)) {
            self.texts += text.len();
            self.steps.push(Step::System { text });
        }
    }

    fn answer_aside(&mut self, name: String, system: Option<Arc<str>>, text: String) -> Answer {
        self.requests += 1;
        self.texts += name.len() + system.as_ref().map_or(0, |it| it.len());
        self.steps.push(Step::Side { name, system });
        let parts = [Part::Text(text.into())];
        let completion = Completion::new(parts, [], FinishReason::Stop, Usage::default(), &Offer::default());
        self.notes_answer(self.acts.len().checked_sub(1));
        let arrival = Arrival::Whole(Delivery::default());
        Answer { completion: completion.into(), arrival, id: self.id(self.requests) }
    }

    /// The request that came last is answered after this act. One that got no answer has none to go on from.
    fn notes_answer(&mut self, act: Option<usize>) {
        let nth = usize::try_from(self.requests).unwrap_or(usize::MAX).saturating_sub(1);
        self.answers.resize(nth, None);
        self.answers.push(act);
    }

    /// The id of the answer with this number.
    fn id(&self, number: u64) -> String {
        format!("balk_{}_{number}", self.name)
    }

    /// The last act up to the answer with this id. `None` if there is no such answer.
    fn answered(&self, id: &str) -> Option<Option<usize>> {
        let number: u64 = id.rsplit('_').next()?.parse().ok()?;
        let nth = usize::try_from(number.checked_sub(1)?).ok()?;
        self.answers.get(nth).copied().filter(|_| id == self.id(number))
    }

    /// The first act of a conversation.
    fn opens(&mut self, world: &Arc<World>, items: &[Item], path: Path) -> Acted {
        let mut scene = Scene::new(world);
        scene.opens(items, &mut self.steps);
        let done = Done::new(scene.acts_after(None));
        self.texts += bytes(items) + scene.bytes_beside(None);
        Acted { path, from: None, scene, done, goal: None }
    }

    /// The same act again: the agent sent its request once more.
    fn again(&mut self, act: usize) -> Acted {
        let Acted { path, from, scene, done, .. } = &*self.acts[act];
        let (path, from, before) = (*path, *from, scene);
        let mut scene = before.clone();
        let done = Done::new(scene.acts_after(Some(&scene.last(*done))));
        self.texts += scene.bytes_beside(Some(before));
        Acted { path, from, scene, done, goal: None }
    }

    /// The act after these items.
    fn goes_on(&mut self, act: usize, items: &[Item], path: Path) -> io::Result<Acted> {
        if let Some(theirs) = items.first().and_then(|it| it.after.as_ref()) {
            self.knows(act, found::marks(theirs));
        }
        let Acted { path: from, scene, done, .. } = &*self.acts[act];
        let (from, last) = (Some(*from), scene.last(*done));
        let (mut scene, mut done) = (scene.clone(), *done);
        self.texts += bytes(items);
        match &self.summarised {
            Some(summarised) if items.iter().any(|it| scene.actor.is_summary(it.text())) => {
                scene = summarised.clone();
                scene.resumes(items, &mut self.steps);
            }
            Some(_) | None => {
                scene.goes_on(&mut done, items, &mut *self.site, &mut self.steps)?;
            }
        }
        let done = Done::new(scene.acts_after(Some(&last)));
        self.texts += scene.bytes_beside(Some(&self.acts[act].scene));
        Ok(Acted { path, from, scene, done, goal: None })
    }

    /// Sends an act on its way.
    fn acts(&mut self, mut acted: Acted) -> io::Result<Answer> {
        let Acted { path, scene, done, .. } = &mut acted;
        let act = scene.act(done.attempt);
        let [completion, sent] = completions(&act, scene.world.offer(), self.site.root());
        let calls: Vec<ToolCall> = completion.calls.iter().map(|it| (**it).clone()).collect();
        self.site.arm(&scene.environment, &calls)?;
        self.steps.push(scene.step(&act, done.attempt, &completion));
        let arrival = match act.broken {
            Some(broken) => Arrival::Broken(broken),
            None => Arrival::Whole(scene.world.scenario().actor.states[act.state].delivery),
        };
        let [ids, says] = found::marks(&sent);
        // The agent may never have seen what broke off.
        let marks = [ids, says.filter(|_| matches!(arrival, Arrival::Whole(_)))];
        let answer = Answer { completion: sent, arrival, id: self.id(self.requests) };
        let nth = self.acts.len();
        self.at.insert(*path, nth);
        self.notes_answer(Some(nth));
        self.acts.push(Box::new(acted));
        self.knows(nth, marks);
        // A third of a list that grows is room, and there can be a thousand conversations.
        self.steps.shrink_to_fit();
        Ok(answer)
    }
}

/// About how many bytes these take.
fn bytes(items: &[Item]) -> usize {
    items.iter().map(Item::bytes).sum()
}

/// The first line of the system text, if it is not too long.
fn beginning(asked: &Asked) -> Option<Arc<str>> {
    let line = asked.system.as_deref()?.trim_start().lines().next()?;
    Some(line.chars().take(SYSTEM_CHARS).collect::<String>().into())
}

/// The side call that asks for a summary of the conversation.
const SUMMARY: &str = "summary";
/// A side call that no profile names.
const WITHOUT_TOOLS: &str = "without tools";
/// How much of a system text is kept. Agents that take several parts say so in their first sentence.
const SYSTEM_CHARS: usize = 160;
/// About how many bytes an act takes beside what is its agent's, a step beside its texts, and an entry of a map.
const ACT_BYTES: usize = 2_048;
const STEP_BYTES: usize = 128;
const PLACE_BYTES: usize = 64;
