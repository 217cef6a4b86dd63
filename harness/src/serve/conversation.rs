//! A conversation: the script at every place that its requests have come to.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use balk_guards::wire::Asked;
use balk_guards::{Completion, FinishReason, Offer, Part, ToolCall, Usage};
use balk_scenarios::toolsets::Unbound;
use balk_scenarios::{Broken, World};

use super::path::{self, Item, Path};
use super::place::{Done, Scene};
use super::record::{History, Step};
use super::script::Script;
use super::side;
use super::site::Site;
use super::verdict::{self, Verdict};

/// What a request is answered with.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) completion: Arc<Completion>,
    /// How the answer breaks off on its way.
    pub(super) broken: Option<Broken>,
    /// The number of the answer in its conversation, from 1.
    pub(super) number: u64,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum NoAnswer {
    /// The tools on offer cannot play the roles of the scenario.
    Unbound(Unbound),
    /// The place where the tools work cannot be used.
    Site(io::Error),
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
    script: Script,
    site: Box<dyn Site>,
    /// The world, once an offer has bound it.
    world: Option<Arc<World>>,
    /// Every act, in order.
    acts: Vec<Acted>,
    /// The last act at each place.
    at: BTreeMap<Path, usize>,
    /// The act of each answer.
    answers: BTreeMap<u64, usize>,
    /// The number of requests.
    requests: u64,
    steps: Vec<Step>,
}

/// An act, and the script as it was when it acted.
struct Acted {
    path: Path,
    scene: Scene,
    done: Done,
}

/// Where a request goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goes {
    /// At the start.
    Start,
    /// After this act, of which so many items are known.
    After(usize, usize),
}

impl Conversation {
    pub(super) fn new(script: Script, site: Box<dyn Site>) -> Self {
        Self {
            script,
            site,
            world: None,
            acts: Vec::new(),
            at: BTreeMap::new(),
            answers: BTreeMap::new(),
            requests: 0,
            steps: Vec::new(),
        }
    }

    /// Answers a request. `wanted` is the schema that the answer must have; only requests that are not of the task have
    /// one that counts.
    ///
    /// # Errors
    /// The tools on offer cannot play the roles of the scenario, or the place where they work is not there.
    pub(super) fn ask(
        &mut self,
        asked: &Asked,
        wanted: impl FnOnce() -> Option<Arc<str>>,
    ) -> Result<Answer, NoAnswer> {
        if let Some(name) = self.side_call(asked) {
            return Ok(self.answer_aside(name, wanted().as_deref()));
        }
        let world = match &self.world {
            Some(world) => world.clone(),
            None => self.world.insert(self.script.world(&asked.offer)?).clone(),
        };
        self.requests += 1;
        let items = path::items(&asked.messages, self.script.profile.as_deref());
        let start = asked.previous.as_deref().and_then(|id| self.answered(id));
        let from = self.find(start, &items);
        let acted = match from {
            Goes::Start => self.opens(&world, &items),
            Goes::After(act, known) if known == items.len() => self.again(act),
            Goes::After(act, known) => {
                self.goes_on(act, &items[known..], path_of(self.start(start), &items))?
            }
        };
        Ok(self.acts(acted)?)
    }

    /// What the scenario's user says if the agent ends now.
    pub(super) fn user_replies(&mut self) -> Option<Arc<str>> {
        let Acted { scene, done, .. } = self.acts.last_mut()?;
        scene.user_replies(done)
    }

    /// The agent has ended. Nothing that was made ready for a call stays, and the last world is as the place is.
    ///
    /// # Errors
    /// The place cannot be looked at.
    pub(super) fn ends(&mut self) -> io::Result<()> {
        let Some(last) = self.acts.last_mut() else { return Ok(()) };
        if let Some(results) = self.site.came_of(&vec![None; last.done.completion.calls.len()])? {
            last.scene.environment = results.environment;
        }
        self.site.look(&mut last.scene.environment)
    }

    /// The last place.
    pub(super) fn scene(&self) -> Option<&Scene> {
        self.acts.last().map(|it| &it.scene)
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub(super) fn verdict(&self) -> Verdict {
        Verdict {
            scenario: self.script.scenario.name.clone(),
            seed: self.script.seed.to_string(),
            goal: self.acts.last().is_some_and(|it| it.scene.environment.goal()),
            requests: self.requests,
            interventions: verdict::interventions(&self.steps),
            identical_calls: verdict::identical_calls(&self.steps),
        }
    }

    pub(super) fn requests(&self) -> u64 {
        self.requests
    }

    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        self.world = None;
        self.acts.clear();
        self.at.clear();
        self.answers.clear();
        self.steps.clear();
        self.requests = 0;
    }

    fn side_call(&self, asked: &Asked) -> Option<String> {
        let system = asked.system.as_deref().unwrap_or_default();
        let tools = asked.offer.tools().len();
        let named = self.script.profile.as_ref().and_then(|it| it.side_call(system, tools));
        // Where the script needs tools, a request without any is not of the task.
        let needs_tools = !self.script.scenario.roles.is_empty();
        named.map(str::to_owned).or_else(|| (needs_tools && tools == 0).then(|| WITHOUT_TOOLS.to_owned()))
    }

    fn answer_aside(&mut self, name: String, wanted: Option<&str>) -> Answer {
        let summary =
            self.acts.last().filter(|_| name == SUMMARY).map(|it| it.scene.actor.clone().summarise());
        let text = summary.unwrap_or_else(|| side::answer(wanted));
        self.requests += 1;
        self.steps.push(Step::Side { name });
        let parts = [Part::Text(text.into())];
        let completion = Completion::new(parts, [], FinishReason::Stop, Usage::default(), &Offer::default());
        Answer { completion: completion.into(), broken: None, number: self.requests }
    }

    /// The act of the answer with this id.
    fn answered(&self, id: &str) -> Option<usize> {
        let number = id.rsplit('_').next()?.parse().ok()?;
        self.answers.get(&number).copied()
    }

    fn start(&self, start: Option<usize>) -> Path {
        start.map_or(Path::default(), |act| self.acts[act].path)
    }

    /// The last place on the way of these items at which the script acted.
    fn find(&mut self, start: Option<usize>, items: &[Item]) -> Goes {
        let mut path = self.start(start);
        let mut found = start.map(|act| (act, 0));
        for (at, item) in items.iter().enumerate() {
            path = path.then(&item.said);
            if let Some(&act) = self.at.get(&path) {
                found = Some((act, at + 1));
            }
        }
        let Some(last) = self.acts.len().checked_sub(1) else { return Goes::Start };
        let new = found.map_or(items, |(_, known)| &items[known..]);
        // More than one turn that is not known, or a known beginning that is missing.
        let spoke = new.iter().rposition(|it| it.after.is_some());
        let actor = &self.acts[last].scene.actor;
        let is_rewritten = match found {
            Some(_) => spoke.is_some_and(|at| at > 0),
            None => spoke.is_some() || items.iter().any(|it| actor.is_summary(it.text())),
        };
        match found {
            _ if is_rewritten => {
                self.steps.push(Step::History { how: History::Rewritten });
                Goes::After(last, items.len() - new.len() + spoke.unwrap_or(0))
            }
            Some((act, known)) => {
                if act != last && self.acts[act].path != self.acts[last].path {
                    self.steps.push(Step::History { how: History::Forked });
                }
                Goes::After(act, known)
            }
            None => {
                self.steps.push(Step::History { how: History::Restarted });
                Goes::Start
            }
        }
    }

    /// The first act of a conversation.
    fn opens(&mut self, world: &Arc<World>, items: &[Item]) -> Acted {
        let mut scene = Scene::new(world);
        scene.opens(items);
        self.act(scene, None, path_of(Path::default(), items))
    }

    /// The same act again: the agent sent its request once more.
    fn again(&mut self, act: usize) -> Acted {
        let Acted { path, scene, done } = &self.acts[act];
        let (path, scene, done) = (*path, scene.clone(), done.clone());
        self.act(scene, Some(done), path)
    }

    /// The act after these items.
    fn goes_on(&mut self, act: usize, items: &[Item], path: Path) -> io::Result<Acted> {
        let Acted { scene, done, .. } = &self.acts[act];
        let (mut scene, mut done) = (scene.clone(), done.clone());
        scene.goes_on(&mut done, items, &mut *self.site, &mut self.steps)?;
        Ok(self.act(scene, Some(done), path))
    }

    /// What the script does now. Attempts go on counting as long as the script stands where it stood: a word about an
    /// empty answer is no new request to a provider that has a bad moment.
    fn act(&self, mut scene: Scene, before: Option<Done>, path: Path) -> Acted {
        let mut attempt = 1;
        let mut act = scene.actor.act(attempt);
        if let Some(before) =
            before.filter(|it| it.at == (scene.actor.state().to_owned(), scene.actor.visit()))
        {
            attempt = before.attempt + 1;
            act = scene.actor.act(attempt);
        }
        let done = Done::new(&scene.actor, act, attempt, (scene.world.offer(), self.site.root()));
        Acted { path, scene, done }
    }

    /// Sends an act on its way.
    fn acts(&mut self, acted: Acted) -> io::Result<Answer> {
        let Done { completion, act, .. } = &acted.done;
        let calls: Vec<ToolCall> = completion.calls.iter().map(|it| (**it).clone()).collect();
        self.site.arm(&acted.scene.environment, &calls)?;
        let answer =
            Answer { completion: acted.done.sent.clone(), broken: act.broken.clone(), number: self.requests };
        self.steps.push(Step::of(&acted.done));
        self.at.insert(acted.path, self.acts.len());
        self.answers.insert(self.requests, self.acts.len());
        self.acts.push(acted);
        Ok(answer)
    }
}

fn path_of(start: Path, items: &[Item]) -> Path {
    items.iter().fold(start, |path, item| path.then(&item.said))
}

/// The side call that asks for a summary of the conversation.
const SUMMARY: &str = "summary";
/// A side call that no profile names.
const WITHOUT_TOOLS: &str = "without tools";
