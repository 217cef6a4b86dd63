//! `balk crash`: what real agents do when their model balks.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use balk_reports::records::crash::{Agent as OfAgent, CRASH_SCHEMA, InProcess, Record};
use balk_reports::report::crash::{Report, Section, happened};
use balk_reports::report::document::{Document, terminal};
use balk_scenarios::{Kind, Pools, Worlds};
use clap::Args;
use rayon::prelude::*;

use self::gates::{Gate, gate, gated};
use self::targets::worlds;
use super::context::Context;
use super::interrupt::Interrupt;
use super::load::{self, Failure};
use super::out;
use super::say::say;
use super::screen;
use super::threads::threads;
use crate::crash::record::{self, RUNS_MAX};
use crate::crash::{self, Agent, Finished, Job, in_process, isolation};
use crate::engine::TruthChannel;
use crate::error::Error;
use crate::exit::Exit;
use crate::guards::{Config, DEFAULT as GUARDED, Recipe};
use crate::lock::{Lock, check_free};
use crate::program;
use crate::proxy::Guards;

const AFTER_HELP: &str = "\
balk crash --agent codex
balk crash --cmd 'my-agent {task}' --env OPENAI_BASE_URL={url}/v1 --env OPENAI_API_KEY=x

Each run has a fresh home, a fresh folder with the files of the task, and an environment that is made from nothing but
PATH. On Linux it also has no network but its own loopback. The table says what came of each run in a word: `reached`,
`told` (not done, and the user was told), `silent` (ended without the goal and without a word), `ran-on` (stopped by a
bound), `crashed`, `not-run`. A control is healthy work: every word of the agent to its model there is a false alarm.";

mod gates;
mod learn;
mod targets;

/// Arguments of `balk crash`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Crash {
    /// An agent with a profile (docs/agents.md), or the file of a profile; may be given again
    #[arg(long, value_name = "NAME|FILE")]
    agent: Vec<String>,

    /// The command of any other agent, for a shell. `{task}` is what the user says, quoted; `{url}` is where the model
    /// is
    #[arg(long, value_name = "COMMAND")]
    cmd: Option<String>,

    /// A variable of that agent's environment, such as OPENAI_BASE_URL={url}/v1; may be given again
    #[arg(long, value_name = "NAME=VALUE", requires = "cmd", value_parser = load::variable)]
    env: Vec<(String, String)>,

    /// Play healthy work instead, and propose what the profile of each agent should say of it: as a diff, and as a file
    /// in the folder of --out
    #[arg(long)]
    learn: bool,

    /// A scenario, as `balk scenario` takes it; may be given again [default: six that balk, and three that do not; to
    /// learn, two that do not]
    #[arg(long, value_name = "NAME|FILE")]
    scenario: Vec<String>,

    /// The seeds of each, both ends included [default: 7-7; to learn, 7-8]
    #[arg(long, value_name = "A-B", allow_hyphen_values = true, value_parser = load::seeds)]
    seeds: Option<RangeInclusive<u64>>,

    /// A folder of programs that the agents need, before those of PATH; may be given again
    #[arg(long, value_name = "DIR")]
    path: Vec<PathBuf>,

    /// How long an agent may run without a request that is answered
    #[arg(long, value_name = "N", default_value_t = 90, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,

    /// How many requests a run may have [default: 40; to learn, 120]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_requests: Option<u64>,

    /// How often the user of the scenario answers an agent that has ended its turn, if its profile says how it goes on
    #[arg(long, value_name = "N", default_value_t = 20)]
    replies: u32,

    /// Play each run again with a proxy between the agent and its model, whose guards are SET [default: default]; the
    /// table sets both beside each other
    #[arg(long, value_name = "proxy[=SET]", value_parser = through, conflicts_with = "learn")]
    through: Option<String>,

    /// Runs at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: u16,

    /// The folder for what happened: a folder for each run. It must be new or empty
    #[arg(long, value_name = "DIR", default_value = "crash")]
    out: PathBuf,

    /// End with code 4 if a run has this verdict, or if a control has a `false-alarm`; also if no run was played, or if
    /// the program that judges one broke. May be given again
    #[arg(long, value_name = "WORD", value_parser = gate)]
    fail_on: Vec<Gate>,

    /// Plays one run, inside its namespaces
    #[arg(long, hide = true, value_name = "FILE", exclusive = true)]
    job: Option<PathBuf>,
}

/// What is played.
struct Plan {
    agents: Vec<OfAgent>,
    worlds: Vec<Worlds>,
    jobs: Vec<(Job, Kind)>,
}

/// The guards of `proxy[=SET]`.
fn through(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        None if text == "proxy" => Ok(GUARDED.to_owned()),
        Some(("proxy", set)) if !set.is_empty() => Ok(set.to_owned()),
        _ => Err("expected `proxy`, or `proxy=` and the names of guards".to_owned()),
    }
}

/// A kill loses at most one in so many of the runs that have ended. The record is written whole each time: ten thousand
/// runs cost 64 times its size this way, and 5,000 times if it were written after each.
const WRITTEN: usize = 64;

impl Crash {
    /// Runs the command.
    ///
    /// # Errors
    /// An invalid command line, a folder that cannot be written, a run that cannot be started at all.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        if let Some(file) = &self.job {
            return play_one(context, file);
        }
        if self.agent.is_empty() && self.cmd.is_none() {
            let expected = "the name of an agent, or --cmd with the command of one";
            return Err(Error::usage("--agent", expected, "neither").hint("`--help` has an example of each"));
        }
        self.check_through(context)?;
        let isolated = isolation::available();
        let is_isolated = isolated.is_ok();
        let Plan { agents, worlds, jobs } = match self.plan(is_isolated) {
            Ok(plan) => plan,
            Err(failure) => return failure.or_exit(),
        };
        check_played(&self.out)?;
        let _lock = Lock::of_new(&self.out)?;
        if let Err(why) = isolated {
            say(format_args!(
                "the runs have no namespaces of their own: {why}. They see the network of this machine"
            ));
        }
        let interrupt = Interrupt::catch();
        let mut record = Record {
            schema: CRASH_SCHEMA,
            balk: env!("CARGO_PKG_VERSION").to_owned(),
            command: program::reported_command_line(),
            isolated: is_isolated,
            planned: jobs.len() as u64,
            agents,
            in_process: self.in_process(context, &worlds)?,
            runs: Vec::new(),
        };
        let lost = self.play(&jobs, &interrupt, &mut record)?;
        if interrupt.came() {
            say(format_args!("interrupted: {} of {} runs have a verdict", record.runs.len(), jobs.len()));
        }
        if self.learn {
            if let Err(failure) = learn::learn(&self.out, &jobs, &record.runs) {
                return failure.or_exit();
            }
            return Ok(self.exit(&interrupt, &record, &lost));
        }
        // What came of each run was said when it ended.
        let report = Report::new(std::slice::from_ref(&record));
        let document = [Section::Short, Section::Agents].map(|it| it.document(&report).blocks).concat();
        write!(out::people(), "{}", terminal(&Document { blocks: document }, screen::output()))?;
        let out = self.out.display();
        say(format_args!(
            "{out} has the transcript, the output and the verdict of each run; `{}` shows them beside the same actor \
             in process",
            program::command(&format!("report {out}"))
        ));
        Ok(self.exit(&interrupt, &record, &lost))
    }

    fn exit(&self, interrupt: &Interrupt, record: &Record, lost: &[String]) -> Exit {
        if interrupt.came() { Exit::Interrupted } else { gated(&self.fail_on, &record.runs, lost) }
    }

    /// Plays the runs, several at once. An interrupt stops those that are played, and no other one begins. The record
    /// is written before the first one and after each; where there are many, after some, as [`WRITTEN`] says. Returns
    /// the folders of runs whose program broke.
    fn play(
        &self,
        jobs: &[(Job, Kind)],
        interrupt: &Interrupt,
        record: &mut Record,
    ) -> Result<Vec<String>, Error> {
        let program = std::env::current_exe()?;
        record::write(&self.out, record)?;
        let (mut lost, mut next) = (Vec::new(), 1);
        let kept = Mutex::new((&mut *record, vec![None; jobs.len()], &mut lost, &mut next));
        let play = |(at, (job, kind)): (usize, &(Job, Kind))| {
            if interrupt.came() {
                return Ok(());
            }
            let Finished { run, is_lost, complaints } =
                crash::start(job, *kind, program.as_os_str(), &interrupt.flag())?;
            complaints.iter().for_each(|it| say(format_args!("{}: {it}", job.folder)));
            let Some(run) = run else { return Ok(()) };
            let happened = happened(&run.verdict).plain();
            let colon = if happened.is_empty() { "" } else { ": " };
            let (word, seed) = (run.verdict.word, job.seed);
            say(format_args!("{} {}:{seed} {word}{colon}{happened}", job.name, job.scenario));
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            let (record, runs, lost, next) = &mut *kept;
            runs[at] = Some(run);
            lost.extend(is_lost.then(|| job.folder.clone()));
            record.runs = runs.iter().flatten().cloned().collect();
            if record.runs.len() >= **next {
                **next = record.runs.len() + record.runs.len() / WRITTEN + 1;
                // The other runs go on, and the last time counts.
                if let Err(error) = record::write(&self.out, record) {
                    say(format_args!("not yet: {error}"));
                }
            }
            Ok(())
        };
        let played = threads(self.jobs.into())?.install(|| jobs.par_iter().enumerate().try_for_each(play));
        let written = record::write(&self.out, record);
        played.and(written).map(|()| lost)
    }

    /// Whether there are guards for `--through` that can be there.
    fn check_through(&self, context: &Context) -> Result<(), Error> {
        let Some(spec) = &self.through else { return Ok(()) };
        if Recipe::without_command(spec).is_err() {
            let expected = "a stack without commands, whose processes would be taken for those of the agent";
            return Err(Error::usage("--through", expected, format!("`{spec}`")));
        }
        Recipe::new(&context.registry, spec, &Config::default())?;
        Ok(())
    }

    /// The same actors in process, without a guard and with the default ones.
    fn in_process(&self, context: &Context, worlds: &[Worlds]) -> Result<Vec<InProcess>, Error> {
        let stacks = [Recipe::none(), Recipe::new(&context.registry, GUARDED, &Config::default())?];
        let seeds = || self.seeds();
        let each = worlds.iter().flat_map(|worlds| seeds().map(move |seed| (worlds, seed)));
        Ok(each.flat_map(|(worlds, seed)| stacks.each_ref().map(|it| in_process(worlds, seed, it))).collect())
    }

    /// All runs, agent by agent.
    fn plan(&self, isolated: bool) -> Result<Plan, Failure> {
        let named = match &self.scenario[..] {
            [] => targets::default(self.learn),
            named => named.to_vec(),
        };
        let agents = self.behind(self.agents()?);
        check_names(&agents)?;
        let worlds: Vec<Worlds> = named.iter().map(|it| worlds(it)).collect::<Result<_, _>>()?;
        let seeds = self.seeds();
        let seeds = (seeds.end() - seeds.start()).saturating_add(1);
        let runs = seeds.saturating_mul((agents.len() * worlds.len()) as u64);
        if runs > RUNS_MAX {
            let expected = format!("at most {RUNS_MAX} runs: agents times scenarios times seeds");
            return Err(Error::usage("--seeds", &expected, runs).into());
        }
        let tools = self.tools();
        let (mut jobs, mut folders) = (Vec::new(), BTreeSet::new());
        for (agent, OfAgent { name, .. }, through) in &agents {
            for (target, worlds) in named.iter().zip(&worlds) {
                for seed in self.seeds() {
                    let scenario = worlds.name().into_owned();
                    let kind = worlds.scenario(seed, Pools::Open).kind;
                    if self.learn && kind != Kind::Control {
                        let expected =
                            "healthy work to learn from: what a model that balks meets is no habit";
                        return Err(Error::usage("--scenario", expected, format!("`{target}`")).into());
                    }
                    let folder = format!("{name}/{}-{seed}", scenario.replace('/', "_"));
                    if !folders.insert(folder.clone()) {
                        let expected =
                            "scenarios of different names, because each run has a folder of its own";
                        let found = format!("two of the name `{scenario}`");
                        return Err(Error::usage("--scenario", expected, found).into());
                    }
                    let job = Job {
                        agent: agent.clone(),
                        name: name.clone(),
                        target: target.clone(),
                        scenario,
                        seed,
                        tools: tools.clone(),
                        seconds: self.seconds,
                        requests: self.max_requests.unwrap_or(if self.learn { 120 } else { 40 }),
                        replies: self.replies,
                        through: through.clone(),
                        isolated,
                        quotes: record::quotes(runs),
                        out: self.out.join(&folder),
                        folder,
                    };
                    jobs.push((job, kind));
                }
            }
        }
        Ok(Plan { agents: agents.into_iter().map(|(_, it, _)| it).collect(), worlds, jobs })
    }

    /// Each agent alone and, where there is a proxy, behind it as well, with the guards of that.
    fn behind(&self, agents: Vec<(Agent, OfAgent)>) -> Vec<(Agent, OfAgent, Option<String>)> {
        let both = |(agent, of): (Agent, OfAgent)| {
            let behind = self.through.clone().map(|set| {
                let named = OfAgent { name: format!("{}+proxy", of.name), version: of.version.clone() };
                (agent.clone(), named, Some(set))
            });
            std::iter::once((agent, of, None)).chain(behind)
        };
        agents.into_iter().flat_map(both).collect()
    }

    fn seeds(&self) -> RangeInclusive<u64> {
        self.seeds.clone().unwrap_or(if self.learn { 7..=8 } else { 7..=7 })
    }

    /// The agents, in the order of the command line.
    fn agents(&self) -> Result<Vec<(Agent, OfAgent)>, Failure> {
        let mut agents = Vec::new();
        for name in &self.agent {
            let profile = super::serve::profile(name)?;
            if profile.run().is_none() {
                let expected = "a profile that says how the agent is run ([run] in docs/agents.md)";
                return Err(Error::usage("--agent", expected, format!("`{name}`")).into());
            }
            let (name_of, version) = (profile.agent.clone(), Some(profile.version.clone()));
            agents.push((Agent::Profile(name.clone()), OfAgent { name: name_of, version }));
        }
        if let Some(command) = &self.cmd {
            let agent = Agent::Command { command: command.clone(), env: self.env.clone() };
            agent
                .profile()
                .map_err(|why| Error::usage("--cmd", "a command with holes that are known", why))?;
            self.check_holes(command)?;
            agents.push((agent, OfAgent { name: "agent".to_owned(), version: None }));
        }
        Ok(agents)
    }

    /// Without the task and the address of its model an agent cannot do anything, so what lacks them is a slip.
    fn check_holes(&self, command: &str) -> Result<(), Error> {
        let said = || std::iter::once(command).chain(self.env.iter().map(|(_, text)| &**text));
        for (hole, hint) in [
            ("{task}", "`--cmd 'my-agent {task}'` gives it as one argument"),
            ("{url}", "`--env 'OPENAI_BASE_URL={url}/v1'` gives it to most agents"),
        ] {
            if !said().any(|it| it.contains(hole)) {
                let expected = format!("`{hole}` in the command or in a variable");
                return Err(Error::usage("--cmd", &expected, format!("`{command}`")).hint(hint));
            }
        }
        if ["'{task}", "\"{task}", "{task}'", "{task}\""].iter().any(|it| command.contains(it)) {
            let expected = "`{task}` without quotes around it: it is one word of the shell already";
            return Err(Error::usage("--cmd", expected, format!("`{command}`")));
        }
        Ok(())
    }

    /// The folders of programs: those that were named, and those of `PATH`.
    fn tools(&self) -> Vec<PathBuf> {
        let path: OsString = std::env::var_os("PATH").unwrap_or_default();
        let named = self.path.iter().map(|it| fs::canonicalize(it).unwrap_or_else(|_| it.clone()));
        named.chain(std::env::split_paths(&path)).collect()
    }
}

/// Each agent has a folder of its own, alone and behind a proxy.
fn check_names(agents: &[(Agent, OfAgent, Option<String>)]) -> Result<(), Error> {
    let mut names: Vec<&str> = agents.iter().map(|(_, it, _)| &*it.name).collect();
    names.sort_unstable();
    let Some([twice, _]) = names.array_windows().find(|[a, b]| a == b) else { return Ok(()) };
    let expected = "agents of different names, because each has a folder of its own";
    let hint = "the member `agent` of a profile is its name; --cmd has the name `agent`, and an agent behind a proxy \
                `+proxy` after its own";
    Err(Error::usage("--agent", expected, format!("two of the name `{twice}`")).hint(hint))
}

/// Plays the run that a file describes, inside its namespaces.
fn play_one(context: &Context, file: &Path) -> Result<Exit, Error> {
    let read =
        |target: &str| worlds(target).map_err(|_| io::Error::other(format!("`{target}` cannot be read")));
    let guards = |spec: &str| {
        let recipe = Recipe::new(&context.registry, spec, &Config::default());
        let recipe = recipe.map_err(io::Error::other)?;
        Ok(Box::new(move || recipe.stack(&TruthChannel::default())) as Box<Guards>)
    };
    let placed = crash::read(file)?;
    let out = placed.job.out.clone();
    let tell = |told: &str| {
        let mut out = out::json();
        out.write_all(told.as_bytes()).and_then(|()| out.flush())
    };
    crash::play(placed, read, guards, tell)
        .map_err(|error| Error::file(&out, "a run that can be played", error.to_string()))?;
    Ok(Exit::Fine)
}

/// Says what is in the way if that is what an earlier command played.
fn check_played(out: &Path) -> Result<(), Error> {
    check_free(out)?;
    let Ok(there) = record::read(out) else { return Ok(()) };
    let found = format!("{} of {} runs of an earlier `balk crash`", there.runs.len(), there.planned);
    let hint = "they are not resumed: delete the folder, or name another one";
    Err(Error::file(out, "an empty or new folder", found).hint(hint))
}
