//! A run that the program starts itself again for, inside the namespaces of the run.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use balk_contract::wire::Dialect;
use balk_reports::records::crash::{Run as Played, Verdict};
use balk_scenarios::agents::{self, Profile, Run, Template};
use balk_scenarios::{Kind, Worlds};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::isolation;
use super::place;
use super::run::{self, Order};
use crate::error::Error;
use crate::files::{self, write_whole};
use crate::input;
use crate::processes;
use crate::proxy::Guards;
use crate::serve::Step;

/// Which agent is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agent {
    /// One with a profile that comes with Balk, or is in a file.
    Profile(String),
    /// Any other one, by its command for a shell.
    Command {
        /// The command, with holes.
        command: String,
        /// Its environment: names and texts with holes.
        env: Vec<(String, String)>,
    },
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Which agent.
    pub agent: Agent,
    /// Its name in the table.
    pub name: String,
    /// What is played to it, as the command line names it.
    pub target: String,
    /// The name of the scenario.
    pub scenario: String,
    /// The seed of the world.
    pub seed: u64,
    /// Folders of programs that the agent needs.
    pub tools: Vec<PathBuf>,
    /// How many seconds it may run without a request that is answered.
    pub seconds: u64,
    /// How many requests it may send.
    pub requests: u64,
    /// How often its user answers it.
    pub replies: u32,
    /// The guards of a proxy between it and its model; without one, it speaks to the model itself.
    pub through: Option<String>,
    /// Whether the run has namespaces of its own.
    pub isolated: bool,
    /// The folder that gets what happened.
    pub out: PathBuf,
    /// The same folder, below that of all runs.
    pub folder: String,
}

impl Agent {
    /// What is known of it.
    ///
    /// # Errors
    /// The profile is bad, or the command has a hole that is not known: in words for the user.
    pub fn profile(&self) -> Result<Profile, String> {
        match self {
            Self::Profile(name) => match agents::find(name) {
                Some(profile) => Ok(profile.clone()),
                None => {
                    let text = input::text(Path::new(name)).map_err(|error| error.to_string())?;
                    agents::parse(name, &text).map_err(|bad| bad.to_string())
                }
            },
            Self::Command { command, env } => {
                let template = |text: &str| {
                    Template::read(text).map_err(|hole| {
                        format!("`{{{hole}}}` in `{text}`; holes are {{task}}, {{url}}, {{home}} and {{workspace}}")
                    })
                };
                let run = Run {
                    // Whatever it speaks, the server finds out.
                    api: Dialect::OpenAi,
                    install: None,
                    command: vec![
                        template("sh")?,
                        template("-c")?,
                        template(&task_as_a_word(command))?,
                        template("sh")?,
                        template("{task}")?,
                    ],
                    resume: None,
                    env: env
                        .iter()
                        .map(|(name, text)| Ok((name.clone(), template(text)?)))
                        .collect::<Result<_, String>>()?,
                    files: Vec::new(),
                };
                Ok(Profile::of_run("agent", run))
            }
        }
    }
}

/// The task is the first argument of the shell, so no word of it is read as a command.
pub(super) fn task_as_a_word(command: &str) -> String {
    command.replace("{task}", "\"$1\"")
}

/// Starts the program again for a run, in namespaces of its own if it is to have them, and waits for its end. Returns
/// `None` if `stop` ended it: then its folder has what happened so far, and no verdict.
///
/// The run has an open input for as long as it is waited for. So it ends as well if this program is killed.
///
/// # Errors
/// The program cannot be started, or a folder cannot be written.
pub fn start(job: &Job, kind: Kind, program: &OsStr, stop: &AtomicBool) -> io::Result<Option<Played>> {
    files::make_folder(&job.out)?;
    let folder = place::fresh()?;
    let file = job.out.join(JOB);
    let text = serde_json::to_string(job)?;
    write_whole(&file, |out| io::Write::write_all(out, text.as_bytes()))?;
    let mut command =
        if job.isolated { isolation::wrapped(program, folder.path())? } else { Command::new(program) };
    let said = folder.path().join("said.txt");
    command.args(["crash", "--job"]).arg(&file).stdin(Stdio::piped()).stdout(Stdio::null());
    // Ctrl-C in a terminal goes to the whole group of this program. The run ends by its input, in order.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.stderr(files::passing(&said)?).spawn()?;
    let mut input = child.stdin.take();
    while child.try_wait()?.is_none() {
        if stop.load(Ordering::Relaxed) {
            drop(input.take());
        }
        thread::sleep(STEP);
    }
    files::remove(&file)?;
    let verdict = match input::own(&job.out.join(VERDICT)) {
        Ok(text) => serde_json::from_slice(&text)?,
        Err(_) if input.is_none() => return Ok(None),
        Err(_) => {
            let said = String::from_utf8_lossy(&input::own(&said).map_err(io::Error::other)?).into_owned();
            Verdict::not_run(said.lines().last().unwrap_or("the run ended without a word").to_owned())
        }
    };
    let record = input::own(&job.out.join(RECORD)).ok();
    Ok(Some(Played {
        agent: job.name.clone(),
        scenario: job.scenario.clone(),
        kind,
        seed: job.seed.to_string(),
        folder: job.folder.clone(),
        record: record.map(|it| format!("{:016x}", xxh3_64(&it))),
        verdict,
    }))
}

/// How often it is looked whether a run has ended, or should.
const STEP: Duration = Duration::from_millis(10);

/// Reads the run that a file describes.
///
/// # Errors
/// The file cannot be read, or is no run.
pub fn read(file: &Path) -> Result<Job, Error> {
    serde_json::from_slice(&input::own(file)?).map_err(|error| Error::file(file, "a run", error))
}

/// Plays a run, and leaves what happened in its folder. The run stops when the standard input ends, because then the
/// program that started it is gone or wants no more of it.
///
/// # Errors
/// A folder cannot be read or written: an agent may have removed it.
pub fn play(
    job: Job,
    read: impl FnOnce(&str) -> io::Result<Worlds>,
    guards: impl FnOnce(&str) -> io::Result<Box<Guards>>,
) -> io::Result<()> {
    // What a run starts has the bounds of this program, so its agent never runs without them.
    processes::bound_memory();
    let folder = place::fresh()?;
    let order = Order {
        profile: Arc::new(job.agent.profile().map_err(io::Error::other)?),
        worlds: read(&job.target)?,
        seed: job.seed,
        folder: folder.path().to_owned(),
        tools: job.tools,
        time: Duration::from_secs(job.seconds),
        requests: job.requests,
        replies: job.replies,
        isolated: job.isolated,
        stop: input::has_ended(),
    };
    let through = job.through.as_deref().map(guards).transpose()?;
    let is_behind = through.is_some();
    let done = run::run(&order, through)?;
    let is_stopped = order.stop.load(Ordering::Relaxed);
    let lines = |steps: &mut dyn Iterator<Item = Step>| -> io::Result<String> {
        steps.map(|it| Ok(serde_json::to_string(&it)? + "\n")).collect()
    };
    let transcript = lines(&mut done.steps.iter().cloned())?;
    let record = lines(&mut done.steps.iter().map(Step::canonical))?;
    let verdict = serde_json::to_string_pretty(&done.verdict)?;
    for entry in fs::read_dir(folder.path())? {
        let entry = entry?;
        if entry.path().extension() == Some(OsStr::new("txt")) {
            files::copy(&entry.path(), &job.out.join(entry.file_name()))?;
        }
    }
    if is_behind {
        let log = job.out.join(run::PROXY);
        files::make_folder(&log)?;
        for entry in fs::read_dir(folder.path().join(run::PROXY))? {
            let entry = entry?;
            files::copy(&entry.path(), &log.join(entry.file_name()))?;
        }
    }
    // What came of a run that was stopped is not known.
    let verdict = (!is_stopped).then_some((VERDICT, verdict));
    for (name, text) in [(TRANSCRIPT, transcript), (RECORD, record)].into_iter().chain(verdict) {
        write_whole(&job.out.join(name), |out| io::Write::write_all(out, text.as_bytes()))?;
    }
    Ok(())
}

const JOB: &str = "job.json";
/// Every step of a run, in its folder.
pub(super) const TRANSCRIPT: &str = "transcript.jsonl";
/// The same without what differs from run to run.
pub(super) const RECORD: &str = "record.jsonl";
const VERDICT: &str = "verdict.json";
