//! `balk live`: which guard brings a real model back, and at what price.

mod api;
mod following;
mod looks;
mod reacting;
mod server;
mod showing;
mod worlds;

use std::path::{Path, PathBuf};

use balk_contract::wire::{Asking, Dialect};
use balk_reports::records::{
    Bench as Record, Drawn, MAX_TURNS, Plan, PlannedLive, PlannedScenario, Seeds, Suite, is_under_test,
};
use balk_scenarios::Pools;
use clap::Args;
use serde_json::Number;

use super::bench::Ending;
use super::context::Context;
use super::gates::{Gates, HELP as GATES_HELP, Records};
use super::interrupt::Interrupt;
use super::load;
use super::say::say;
use super::suite;
use super::threads::threads;
use crate::bench::{Asked, Folder, Matrix, RECORD, Setting, Stopwatch};
use crate::error::Error;
use crate::exit::Exit;
use crate::guards::{NONE, Recipe};
use crate::live::{self, Budget, Model, SYSTEM, Store};

use api::Api;
use following::Following;
use reacting::React;
use server::Server;
use showing::{show, shown};
use worlds::{once_each, that_balk};

/// Arguments of `balk live`.
#[derive(Args, Clone, Debug)]
#[command(after_help = format!("{AFTER_HELP}\n\n{GATES_HELP}"))]
pub struct Live {
    /// The base URL of the model's server, such as http://127.0.0.1:8091/v1. Requests go there and nowhere else
    #[arg(long, value_name = "URL", required_unless_present = "offline", requires = "model")]
    endpoint: Option<String>,

    /// The model, as the server names it
    #[arg(long, value_name = "NAME", conflicts_with = "offline")]
    model: Option<String>,

    /// The format of the requests
    #[arg(long, value_enum, default_value_t = Api::Openai, conflicts_with = "offline")]
    api: Api,

    /// The environment variable that has the key; its value is sent to the endpoint and goes nowhere else
    #[arg(long, value_name = "NAME", conflicts_with = "offline")]
    key_env: Option<String>,

    /// The worlds: live (a choice for small budgets), or what `balk bench --suite` takes. Of two scenarios with the
    /// same world, the first is played. --messages takes those whose scripted model balks [default: live; with
    /// --messages stubborn; with --offline those of the record, which does not say where files are]
    #[arg(long)]
    suite: Option<String>,

    /// A stack to measure; may be given again. The baseline `none` is always measured [default: `default`; with
    /// --offline those of the record]
    #[arg(long, value_name = "SET")]
    guard: Vec<String>,

    /// Trials of each world: its first N seeds
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = load::trials())]
    #[arg(conflicts_with = "offline")]
    trials: u64,

    /// How much chance decides; without it the server's own setting
    #[arg(long, value_name = "NUMBER", value_parser = temperature, conflicts_with = "offline")]
    temperature: Option<Number>,

    /// The maximum number of tokens in a completion
    #[arg(long, value_name = "N", default_value_t = 1_024, conflicts_with = "offline")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=live::TOKENS_MOST))]
    max_tokens: u64,

    /// The maximum number of completions in a trial; without it that of the scenario, often 40
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "offline")]
    max_turns: Option<u32>,

    /// Send that maximum as `max_completion_tokens`: OpenAI's reasoning models refuse `max_tokens`
    #[arg(long, conflicts_with = "offline")]
    max_completion_tokens: bool,

    /// Ask for answers as streams, for servers that give no others
    #[arg(long, conflicts_with = "offline")]
    stream: bool,

    /// Requests at the same time; worlds of one seed are played side by side, so more than there are worlds are no help
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: u16,

    /// Stop before the tokens of requests and completions exceed N
    #[arg(long, value_name = "N")]
    budget_tokens: Option<u64>,

    /// Ask for nothing more after N minutes; requests under way come to their end
    #[arg(long, value_name = "N")]
    budget_minutes: Option<u64>,

    /// A TOML file with settings of guards, a table for each [default: balk.toml in this folder or the nearest one
    /// above it]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Draw texts and names from the reserve pools, on which nothing was tuned
    #[arg(long, conflicts_with = "offline")]
    reserve: bool,

    /// The folder for the record and all completions. It must be empty, or have a record to go on with (--resume)
    /// [default: live; with --offline nothing is written without it]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Go on in the folder of --out, with the same model. Trials, worlds and stacks may be others than before: no
    /// completion is asked for twice
    #[arg(long, conflicts_with = "offline")]
    resume: bool,

    /// Play the record in this folder again, without a model
    #[arg(long, value_name = "DIR")]
    offline: Option<PathBuf>,

    /// Show one trial of the record, under the stack of --guard, which may be `none`; without it, under the first one
    #[arg(long, value_name = "SCENARIO:SEED", requires = "offline", value_parser = shown)]
    show: Option<(String, u64)>,

    #[command(flatten)]
    react: React,

    #[command(flatten)]
    gates: Gates,
}

const AFTER_HELP: &str = "\
A real model takes the place of the scripted one; the worlds, the guards and the counts stay as they are. The world says
what counts: whether the goal holds in the end, what the user was told, and which rounds moved anything.

The baseline is played first. Every stack is played from the same start, and what was asked before is not asked again:
so pairs share everything up to the first intervention, and a stack that never steps in costs nothing. An intervention
counts as false if the two rounds before it changed the world.

DIR/bench.jsonl has the counts, for `balk report` and `balk compare`; DIR/transcripts has every trial, for `balk
replay`; DIR/completions.jsonl.zst has every request and completion, for --offline; DIR/meta.json has the endpoint, the
time and what the server says of itself; DIR/reactions.json has what --react found, and
DIR/reactions.toml what follows from it, for --set-from. After Ctrl-C the exit code is 130, and --resume goes on.";

/// What is measured, and how the model is asked.
struct Setup {
    suite: String,
    guards: Vec<String>,
    seeds: [u64; 2],
    pools: Pools,
    planned: PlannedLive,
}

impl Live {
    /// Runs the command.
    ///
    /// # Errors
    /// An invalid command line, a folder with other contents, a record of another model, an endpoint that gives no
    /// answers. An invalid scenario is shown, and returns its exit code.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        let again =
            self.offline.as_deref().map(|path| Folder::open(path).map(|(_, record)| record)).transpose()?;
        let setup = match (&self.offline, &again) {
            (Some(path), Some(record)) => self.setup_of(path, record)?,
            _ => self.setup(),
        };
        let worlds = match suite::asked(&setup.suite, setup.pools, &[], &[Vec::new()]) {
            Ok(worlds) if setup.planned.messages => that_balk(worlds)?,
            Ok(worlds) => once_each(worlds)?,
            Err(failure) => return failure.or_exit(),
        };
        let matrix = self.matrix(context, &setup, worlds)?;
        self.gates.fit(matrix.plan(), Records::One)?;
        self.play(&matrix, &setup.planned, again)
    }

    /// Plays the plan, or what a record has of it.
    fn play(&self, matrix: &Matrix, planned: &PlannedLive, again: Option<Record>) -> Result<Exit, Error> {
        let pool = threads(self.jobs.into())?;
        let server = self.server(Api::dialect(&planned.api))?;
        let before = self.before(matrix)?;
        let store = Store::read(self.offline.as_deref().unwrap_or(self.out()))?;
        let interrupt = Interrupt::catch();
        let model = Model {
            dialect: Api::dialect(&planned.api),
            asking: asking(planned),
            store: &store,
            endpoint: server.as_ref().map(|it| &it.endpoint),
            budget: &Budget::new(self.budget_tokens, self.budget_minutes, interrupt.flag()),
        };
        if let (Some((scenario, seed)), Some(folder)) = (&self.show, &self.offline) {
            return show(folder, matrix, &model, (scenario, *seed));
        }
        let mut record = Record::new(matrix.plan().clone());
        let has_trials = !planned.messages;
        let wanted =
            |scenario: usize, seed| has_trials && again.as_ref().is_none_or(|it| it.done[scenario].has(seed));
        let units = match &again {
            _ if !has_trials => 0,
            Some(record) => record.done.iter().map(Seeds::count).sum(),
            None => record.done.len() as u64 * self.trials,
        };
        announce(matrix);
        if has_trials && again.is_none() {
            looks::announce(before.as_ref().map_or(&record, |(_, before)| before), self.trials);
        }
        let mut runs = before.as_ref().map_or_else(|| Ok(Vec::new()), |(folder, _)| folder.answered())?;
        let watch = Stopwatch::start();
        if let Some(server) = &server {
            interrupt.say(server::waits());
            runs.push(server.begun(matrix, &model, &runs)?);
        }
        // Nothing is written before the server has answered.
        let folder = self.folder(matrix, before.map(|(folder, _)| folder))?;
        if server.is_some() {
            store.write()?;
        }
        let mut following = Following::new(folder, interrupt, units, again.is_none());
        if server.is_some() {
            following.write_meta(self.jobs, 0, runs.clone())?;
        }
        let ran = live::run(&pool, matrix, &model, &mut record, wanted, &mut following).and_then(|sample| {
            let offline = self.offline.as_deref();
            Ok((sample, self.react.run(&pool, matrix, &model, &record, offline, &following)?))
        });
        // Completions are kept even where the run ends badly.
        let packed = if server.is_some() { store.pack() } else { Ok(()) };
        let (sample, reacted) = ran?;
        packed?;
        following.write_sample(&sample)?;
        if let (Some(_), Some(run)) = (&server, runs.last_mut()) {
            run.tokens = model.budget.taken();
            run.stopped = following.stopped();
            if let (true, Some(reacted)) = (run.stopped.is_empty(), &reacted) {
                run.stopped = reacted.stopped();
            }
            following.write_meta(self.jobs, watch.nanoseconds(), runs)?;
        }
        let reacted = reacted.map_or(Ok(Exit::Fine), |it| it.show())?;
        let exit = if has_trials { following.end(&record, &self.ending())? } else { Exit::Fine };
        Ok(if exit == Exit::Fine { reacted } else { exit })
    }

    /// What the command line asks for.
    fn setup(&self) -> Setup {
        let suite = if self.react.messages { suite::STUBBORN } else { suite::LIVE };
        let drawn = |name: &str, value: String| Drawn { name: name.to_owned(), value };
        let sampling = [
            Some(drawn(MAX_TOKENS, self.max_tokens.to_string())),
            self.max_turns.map(|it| drawn(MAX_TURNS, it.to_string())),
            self.temperature.as_ref().map(|it| drawn(TEMPERATURE, it.to_string())),
            self.max_completion_tokens.then(|| drawn(MAX_COMPLETION_TOKENS, "true".to_owned())),
            self.stream.then(|| drawn(STREAM, "true".to_owned())),
        ];
        Setup {
            suite: self.suite.clone().unwrap_or_else(|| suite.to_owned()),
            guards: if self.guard.is_empty() { vec!["default".to_owned()] } else { self.guard.clone() },
            seeds: [0, self.trials - 1],
            pools: if self.reserve { Pools::Reserve } else { Pools::Open },
            planned: PlannedLive {
                api: self.api.name().to_owned(),
                model: self.model.clone().unwrap_or_default(),
                system: SYSTEM.to_owned(),
                sampling: sampling.into_iter().flatten().collect(),
                messages: self.react.messages,
            },
        }
    }

    /// What a record was made with; the stacks may be others.
    fn setup_of(&self, path: &Path, record: &Record) -> Result<Setup, Error> {
        let plan = &record.plan;
        let Some(planned) = plan.live.clone() else {
            let path = path.join(RECORD);
            return Err(Error::file(&path, "the record of a live run", "the record of a simulated one"));
        };
        let stacks: Vec<_> = plan.stacks.iter().map(|it| it.guard.clone()).filter(|it| it != NONE).collect();
        if self.guard.is_empty() {
            stacks.iter().try_for_each(|it| Recipe::without_command(it))?;
        }
        Ok(Setup {
            suite: self.suite_of(path, plan)?,
            guards: match (&*self.guard, &self.show) {
                ([], _) => stacks,
                ([only], Some(_)) if only == NONE => Vec::new(),
                (guards, _) => guards.to_vec(),
            },
            seeds: plan.seeds,
            pools: plan.pools,
            planned,
        })
    }

    /// The worlds of a record. It names files by their scenarios alone.
    fn suite_of(&self, path: &Path, plan: &Plan) -> Result<String, Error> {
        // What a record says is no reason to look for a file.
        let is_of_file = |it: &&PlannedScenario| it.suite == Suite::File || !load::is_ours(&it.name);
        let in_file = plan.scenarios.iter().find(is_of_file);
        match (&self.suite, in_file) {
            (Some(suite), _) => Ok(suite.clone()),
            (None, None) if suite::are_ours(&plan.suite, plan.pools) => Ok(plan.suite.clone()),
            (None, None) => {
                Err(Error::usage("--suite", "the scenarios of the record", format!("`{}` in it", plan.suite)))
            }
            (None, Some(scenario)) => {
                let found = format!("none for `{}`, which is not in the catalogue", scenario.name);
                let error = Error::usage("--suite", "the files of the scenarios in the record", found);
                Err(error.hint(&format!("{} was measured with --suite {}", path.display(), plan.suite)))
            }
        }
    }

    fn matrix(&self, context: &Context, setup: &Setup, worlds: Vec<Asked>) -> Result<Matrix, Error> {
        if let Some(told) = setup.guards.iter().find(|it| !is_under_test(it)) {
            let expected = if told == NONE {
                "a stack beside `none`, which is always measured"
            } else {
                "a stack that is told nothing: no script knows what a real model is at"
            };
            return Err(Error::usage("--guard", expected, format!("`{told}`")));
        }
        let config = context.config(self.config.as_deref())?;
        let setting = Setting {
            suite: &setup.suite,
            sweep: None,
            stacks: Recipe::all(&context.registry, &setup.guards, &config)?,
            config: &config,
            pools: setup.pools,
            seeds: setup.seeds,
            set: &[],
        };
        Ok(Matrix::new(worlds, setting).live(setup.planned.clone()))
    }

    /// Whether nothing of this run is kept.
    fn keeps_nothing(&self) -> bool {
        self.show.is_some() || self.offline.is_some() && self.out.is_none()
    }

    /// The folder and the record that the run goes on with; none for a new one. The record is made again from the
    /// completions.
    fn before(&self, matrix: &Matrix) -> Result<Option<(Folder, Record)>, Error> {
        let path = self.out();
        if self.keeps_nothing() {
            return Ok(None);
        }
        if !self.resume || !path.join(RECORD).exists() {
            return Folder::check_new(path).map(|()| None);
        }
        let (folder, before) = Folder::resume(path)?;
        if before.plan.live != matrix.plan().live {
            let expected = "the same API, model and settings as on the command line";
            return Err(Error::file(&path.join(RECORD), expected, "others")
                .hint(&format!("its command was: {}", crate::program::own(&before.plan.command()))));
        }
        looks::left_out(&before, matrix.plan());
        Ok(Some((folder, before)))
    }

    /// The folder to write to, if anything is kept.
    fn folder(&self, matrix: &Matrix, before: Option<Folder>) -> Result<Option<Folder>, Error> {
        if self.keeps_nothing() {
            return Ok(None);
        }
        if let Some(folder) = before {
            folder.clear_transcripts()?;
            return Ok(Some(folder));
        }
        let folder = Folder::create(self.out())?;
        // With it, a run that is killed at any moment can be resumed.
        folder.write(&Record::new(matrix.plan().clone()))?;
        Ok(Some(folder))
    }

    fn out(&self) -> &Path {
        self.out.as_deref().unwrap_or(Path::new("live"))
    }

    /// The server to ask; none plays a record again.
    fn server(&self, dialect: Dialect) -> Result<Option<Server>, Error> {
        self.endpoint.as_deref().map(|url| Server::at(url, dialect, self.key_env.as_deref())).transpose()
    }

    fn ending(&self) -> Ending<'_> {
        Ending {
            gates: &self.gates,
            out: if self.offline.is_some() { self.out.as_deref() } else { Some(self.out()) },
            is_part: false,
            resumes: self.resume,
        }
    }
}

/// What the requests of this plan say beside the view.
fn asking(planned: &PlannedLive) -> Asking {
    let value = |name: &str| planned.setting(name);
    Asking {
        system: Some(planned.system.as_str().into()),
        max_tokens: value(MAX_TOKENS).and_then(|it| it.parse().ok()),
        max_completion_tokens: value(MAX_COMPLETION_TOKENS).is_some(),
        temperature: value(TEMPERATURE).and_then(|it| it.parse().ok()),
        stream: value(STREAM).is_some(),
        ..Asking::of(&planned.model)
    }
}

const MAX_TOKENS: &str = "max_tokens";
const MAX_COMPLETION_TOKENS: &str = "max_completion_tokens";
const TEMPERATURE: &str = "temperature";
const STREAM: &str = "stream";

/// Parses a temperature, which is sent as it is written.
fn temperature(text: &str) -> Result<Number, String> {
    text.parse().map_err(|_| "expected a number, as in 0.7".to_owned())
}

/// Prints what will run.
fn announce(matrix: &Matrix) {
    let plan = matrix.plan();
    let stacks: Vec<&str> = plan.stacks.iter().map(|it| &*it.guard).collect();
    let [from, to] = plan.seeds;
    say(format_args!(
        "worlds: {}, seeds {from}-{to}\nstacks: {} ({})",
        plan.scenarios.len(),
        stacks.len(),
        stacks.join(" ")
    ));
}
