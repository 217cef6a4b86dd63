//! One run: an agent, a scenario, a seed. It happens in the inner program, which is alone with the agent.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use balk_reports::records::crash::{Left, Verdict};
use balk_scenarios::agents::{Filling, Profile, Run};
use balk_scenarios::{Environment, Pools, World, WorldOptions, Worlds};

use super::child::{self, Belonging, Bounds, Ended, Ran, Watched};
use super::in_process::{same_acts, trial};
use super::place::Place;
use super::real::Real;
use super::site::Site;
use super::verdict::{Facts, verdict};
use crate::files::write_passing;
use crate::proxy::{Base, Guards, Proxy, Proxying};
use crate::serve::{Scripts, Serve, Server, Step, Told, user_read};
use crate::told::{Printed, squeezed};

/// What is run, and where.
#[derive(Clone, Debug)]
pub struct Order {
    /// What is known of the agent, its command included.
    pub profile: Arc<Profile>,
    /// What is played to it.
    pub worlds: Worlds,
    /// The seed of the world.
    pub seed: u64,
    /// An empty folder, for the agent.
    pub folder: PathBuf,
    /// A folder that the agent is not told of, for the log of a proxy.
    pub log: PathBuf,
    /// Folders of programs that the agent needs.
    pub tools: Vec<PathBuf>,
    /// How long it may run without a request that is answered.
    pub time: Duration,
    /// How many requests it may send.
    pub requests: u64,
    /// How often its user says another word to it after it has ended.
    pub replies: u32,
    /// Whether the run has namespaces of its own.
    pub isolated: bool,
    /// Set once the run is to stop before its end.
    pub stop: Arc<AtomicBool>,
}

/// What a run leaves.
#[derive(Clone, Debug)]
pub struct Done {
    /// What came of it.
    pub verdict: Verdict,
    /// What happened, step by step.
    pub steps: Vec<Step>,
    /// What it printed each time that it was started: on standard output, and on standard error.
    pub printed: Vec<[Vec<u8>; 2]>,
    /// What of the proxy's log could not be written, and why.
    pub unlogged: Option<(PathBuf, String)>,
}

/// Runs an agent to its end; `through` has the guards of a proxy between it and its model.
///
/// # Errors
/// The place cannot be made or looked at. An agent that cannot be started is no error: its verdict is `not-run`.
pub fn run(order: &Order, through: Option<Box<Guards>>) -> io::Result<Done> {
    let Order { profile, worlds, seed, .. } = order;
    let Some(run) = profile.run() else {
        return Ok(not_run(format!("the profile of {} does not say how it is run", profile.agent)));
    };
    let world = World::draw(&worlds.scenario(*seed, Pools::Open), *seed, WorldOptions::default());
    let environment = Environment::new(&world);
    let place = Place::new(&order.folder, environment.files(), &order.tools)?;
    let root = place.workspace.display().to_string();
    let server = serve(order, Real::new(Site::new(&place, &environment), root))?;
    let proxy = through.map(|guards| between(order, &server, guards)).transpose()?;
    let mut agent = Agent { order, run, place, server, proxy, runs: Vec::new(), unheard: false };
    if let Err(error) = agent.plays(world.opening()) {
        return Ok(not_run(format!("{} cannot be started: {error}", profile.agent)));
    }
    let done = agent.judged()?;
    let unlogged = agent.proxy.as_ref().and_then(Proxy::unlogged);
    let printed = agent.runs.into_iter().map(|it| [it.stdout.bytes, it.stderr.bytes]).collect();
    Ok(Done { printed, unlogged, ..done })
}

fn serve(order: &Order, site: Real) -> io::Result<Server> {
    let scripts = Scripts {
        worlds: vec![order.worlds.clone()],
        seed: order.seed,
        profile: Some(order.profile.clone()),
    };
    let site = Mutex::new(Some(site));
    Server::start(Serve {
        max_requests: Some(order.requests),
        only: Some(RUN.to_owned()),
        sites: Box::new(move || {
            let site = site.lock().ok().and_then(|mut it| it.take());
            // There is one conversation, so the folder is asked for once.
            Box::new(site.expect("a run has one conversation"))
        }),
        ..Serve::new(scripts)
    })
}

/// A proxy between an agent and the server.
fn between(order: &Order, server: &Server, guards: Box<Guards>) -> io::Result<Proxy> {
    let upstream = Base::parse(&server.url()).map_err(io::Error::other)?;
    Proxy::start(Proxying {
        guards: Some(guards),
        profile: Some(order.profile.clone()),
        log: Some(order.log.clone()),
        ..Proxying::new(upstream)
    })
}

/// The conversation of a run.
const RUN: &str = "run";

/// An agent in its place.
struct Agent<'o> {
    order: &'o Order,
    run: &'o Run,
    place: Place,
    server: Server,
    proxy: Option<Proxy>,
    runs: Vec<Ran>,
    /// Whether the user had more to say, and the agent cannot go on.
    unheard: bool,
}

impl Agent<'_> {
    /// Runs the agent with the task, and again for each word that the scenario's user says to it.
    fn plays(&mut self, task: &str) -> io::Result<()> {
        let mut says: Arc<str> = task.into();
        for nth in 0..=self.order.replies {
            let url = self.proxy.as_ref().map_or_else(|| self.server.url(), Proxy::url);
            let (home, workspace) =
                (self.place.home.display().to_string(), self.place.workspace.display().to_string());
            let filling = Filling { task: &says, url: &url, home: &home, workspace: &workspace };
            let command = if nth == 0 { Some(self.run.command(&filling)) } else { self.run.resume(&filling) };
            let Some(command) = command else {
                self.unheard = true;
                return Ok(());
            };
            if nth == 0 {
                self.prepare(&filling)?;
            }
            let ran = match self.child(&command) {
                Ok(ran) => ran,
                // It can have removed what it needs to begin once more.
                Err(_) if nth > 0 => {
                    self.unheard = true;
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            // The user says nothing to a program that has just failed.
            let goes_on = ran.ended == Ended::Itself && ran.status.success();
            self.runs.push(ran);
            match self.server.user_replies(Some(RUN)).filter(|_| goes_on) {
                Some(reply) => says = reply,
                None => return Ok(()),
            }
        }
        // The user would have gone on.
        self.unheard = true;
        Ok(())
    }

    fn prepare(&mut self, filling: &Filling<'_>) -> io::Result<()> {
        for (path, text) in self.run.files(filling) {
            let path = self.place.home.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&self.place.home))?;
            write_passing(&path, &text)?;
        }
        for (name, value) in self.run.env(filling) {
            self.place.set(name, value);
        }
        Ok(())
    }

    fn child(&self, command: &[String]) -> io::Result<Ran> {
        let (program, arguments) =
            command.split_first().ok_or_else(|| io::Error::other("the command is empty"))?;
        let found = self.place.find(program).unwrap_or_else(|| program.into());
        let mut command = self.place.command(found);
        command.args(arguments);
        let belonging = if self.order.isolated {
            Belonging::Descendants
        } else {
            Belonging::Marked(format!("HOME={}", self.place.home.display()))
        };
        let bounds = Bounds { time: self.order.time, ..Bounds::default() };
        let bound = self.server.bound();
        let stop = || [&bound, &self.order.stop].iter().any(|it| it.load(Ordering::Relaxed));
        let watched = Watched { stop: &stop, signs: &|| self.server.answered() };
        child::run(command, belonging, bounds, watched)
    }

    /// What came of it all.
    fn judged(&self) -> io::Result<Done> {
        self.server.ends(Some(RUN))?;
        let Some(told) = self.server.told(Some(RUN)) else {
            return Ok(not_run(self.never_asked()));
        };
        let acts = told.steps.iter().any(|it| matches!(it, Step::Act { .. }));
        if !acts {
            // Where another request could be bound, one that could not is none of the task.
            let why = told.unbound.as_deref().unwrap_or(
                "none of its requests is of the task: they offer the model no tools, and the scenario needs some",
            );
            return Ok(not_run(why.to_owned()));
        }
        let facts = self.facts(&told);
        let kind = self.order.worlds.scenario(self.order.seed, Pools::Open).kind;
        let verdict = verdict(&told, kind, facts);
        Ok(Done { steps: told.steps, ..Done::of(verdict) })
    }

    /// Why there is no conversation.
    fn never_asked(&self) -> String {
        if let Some(why) = self.server.refused() {
            return format!("its first request was refused: {why}");
        }
        let Some(ran) = self.runs.last() else { return "it never asked its model".to_owned() };
        if ran.ended == Ended::OutOfTime {
            return format!("it did not ask its model in {} s", self.order.time.as_secs());
        }
        let Printed { last, .. } = said(ran, &[]);
        let said = last.unwrap_or_else(|| "and printed nothing".to_owned());
        format!("it never asked its model ({said})")
    }

    /// What a proxy says to the user is known, so it need not be guessed whether the agent passed it on.
    fn told_by_proxy(&self, ran: &Ran, printed: Printed) -> Printed {
        let Some(proxy) = &self.proxy else { return printed };
        let outputs = [&ran.stdout, &ran.stderr].map(|it| squeezed(&String::from_utf8_lossy(&it.bytes)));
        let is_there = |line: &&str| outputs.iter().any(|it| it.contains(&squeezed(line)));
        let told = proxy.told();
        let line = told.iter().rev().filter_map(|text| text.lines().next()).find(is_there);
        Printed { told: printed.told.clone().or_else(|| line.map(str::to_owned)), ..printed }
    }

    fn facts(&self, all: &Told) -> Facts {
        let last = self.runs.last();
        // An agent that ends because its next request was refused was stopped by the bound all the same.
        let is_stopped = self.server.bound().load(Ordering::Relaxed);
        let ended = if is_stopped { Ended::Stopped } else { last.map_or(Ended::Itself, |it| it.ended) };
        let mut left = BTreeMap::new();
        for (name, count) in self.runs.iter().flat_map(|it| &it.left_over) {
            *left.entry(name.clone()).or_default() += count;
        }
        let trial = self.server.world(Some(RUN)).map(|it| trial(&it));
        Facts {
            ended,
            code: last.and_then(|it| it.status.code()),
            signalled: last.is_some_and(|it| is_signalled(it.status)),
            printed: match last {
                Some(ran) => self.told_by_proxy(ran, said(ran, &all.steps)),
                None => Printed::default(),
            },
            left: Left(left),
            nanoseconds: self.runs.iter().map(|it| it.nanoseconds).sum(),
            runs: self.runs.len(),
            same_acts: trial.as_ref().map_or([0, 0], |it| same_acts(&all.steps, it)),
            goal_in_process: trial.is_some_and(|it| it.goal),
            unheard: self.unheard,
        }
    }
}

/// What the user of the agent reads at last.
fn said(ran: &Ran, steps: &[Step]) -> Printed {
    let [stdout, stderr] = [&ran.stdout, &ran.stderr].map(|it| String::from_utf8_lossy(&it.bytes));
    user_read(steps, Some(&stdout), &stderr)
}

#[cfg(unix)]
fn is_signalled(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    status.signal().is_some()
}

#[cfg(not(unix))]
fn is_signalled(_: ExitStatus) -> bool {
    false
}

impl Done {
    /// A verdict, and nothing else yet.
    fn of(verdict: Verdict) -> Self {
        Self { verdict, steps: Vec::new(), printed: Vec::new(), unlogged: None }
    }
}

fn not_run(why: String) -> Done {
    Done::of(Verdict::not_run(why))
}
