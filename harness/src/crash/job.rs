//! A run that the program starts itself again for, inside the namespaces of the run.

use std::ffi::OsStr;
use std::io::{self, Write as _};
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

use super::child;
use super::isolation;
use super::place::{self, Folder};
use super::run::{self, Done, Order};
use super::verdict::quoting;
use crate::error::Error;
use crate::files::{self, write_own, write_passing};
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
    /// How many bytes of the agent's words, waits and names its verdict may quote.
    pub quotes: usize,
    /// The folder that gets what happened.
    pub out: PathBuf,
    /// The same folder, below that of all runs.
    pub folder: String,
}

/// A run, and the folder that its agent gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed {
    /// The run.
    pub job: Job,
    place: PathBuf,
}

/// What the program inside the namespaces says at its end. Nothing of the agent is running then.
#[derive(Debug, Serialize, Deserialize)]
struct Told {
    /// None if the run was stopped: what came of it is not known.
    verdict: Option<Verdict>,
    /// The checksum of the record, if that was written.
    record: Option<String>,
    /// What could not be written.
    unwritten: Vec<String>,
}

/// A run that has ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// What came of it. None if it was stopped.
    pub run: Option<Played>,
    /// Whether the program of the run ended without a verdict, so nothing can be said of the agent.
    pub is_lost: bool,
    /// What could not be written or removed, in words for the user.
    pub complaints: Vec<String>,
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

/// Starts the program again for a run, in namespaces of its own if it is to have them, and waits for its end, which
/// `stop` brings about. Then it removes the folder of the agent: what the agent has mounted there is gone by then with
/// its namespaces.
///
/// The run has an open input for as long as it is waited for. So it ends as well if this program is killed.
///
/// # Errors
/// The program cannot be started, or a folder cannot be made.
pub fn start(job: &Job, kind: Kind, program: &OsStr, stop: &AtomicBool) -> io::Result<Finished> {
    files::make_folder(&job.out)?;
    let (own, place) = (Folder::new()?, Folder::new()?);
    let file = own.path().join(JOB);
    let placed = Placed { job: job.clone(), place: place.path().to_owned() };
    write_passing(&file, serde_json::to_string(&placed)?)?;
    let mut command =
        if job.isolated { isolation::wrapped(program, own.path())? } else { Command::new(program) };
    command.args(["crash", "--job"]).arg(&file);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Ctrl-C in a terminal goes to the whole group of this program. The run ends by its input, in order.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let mut input = child.stdin.take();
    let (out, err) = child::outputs(&mut child, TOLD_BYTES);
    while child.try_wait()?.is_none() {
        if stop.load(Ordering::Relaxed) {
            drop(input.take());
        }
        thread::sleep(STEP);
    }
    let (told, said) = (out.all(), err.all());
    let mut complaints: Vec<String> = [place, own].into_iter().filter_map(left).collect();
    let told = serde_json::from_slice::<Told>(&told).ok();
    let (verdict, record, is_lost) = match told {
        Some(Told { verdict, record, unwritten }) => {
            complaints.extend(unwritten);
            (verdict, record, false)
        }
        None if input.is_none() => (None, None, false),
        None => {
            let said = String::from_utf8_lossy(&said).into_owned();
            let why = said.lines().last().unwrap_or("the run ended without a word").to_owned();
            (Some(quoting(Verdict::not_run(why), job.quotes)), None, true)
        }
    };
    if let Some(verdict) = &verdict {
        let text = serde_json::to_string_pretty(verdict)?;
        complaints.extend(written(&job.out.join(VERDICT), text.as_bytes()).err());
    }
    let played = |verdict| Played {
        agent: job.name.clone(),
        scenario: job.scenario.clone(),
        kind,
        seed: job.seed.to_string(),
        folder: job.folder.clone(),
        record,
        verdict,
    };
    Ok(Finished { run: verdict.map(played), is_lost, complaints })
}

/// Removes the folder of a run, and says so if something of it is left.
fn left(folder: Folder) -> Option<String> {
    let path = folder.path().display().to_string();
    folder.remove().err().map(|why| format!("{path} is left: {why}"))
}

/// Writes a file of a run. The error is for the user.
fn written(path: &Path, bytes: &[u8]) -> Result<(), String> {
    write_own(path, |out| out.write_all(bytes))
        .map_err(|why| format!("{} cannot be written: {why}", path.display()))
}

/// The most that is read of what the program of a run says on each of its outputs, in bytes.
const TOLD_BYTES: usize = 8 << 20;

/// How often it is looked whether a run has ended, or should.
const STEP: Duration = Duration::from_millis(10);

/// Reads the run that a file describes.
///
/// # Errors
/// The file cannot be read, or is no run.
pub fn read(file: &Path) -> Result<Placed, Error> {
    serde_json::from_slice(&input::own(file)?).map_err(|error| Error::file(file, "a run", error))
}

/// Plays a run, leaves what happened in its folder, and has `tell` say what came of it. The run stops when the standard
/// input ends, because then the program that started it is gone or wants no more of it.
///
/// # Errors
/// A folder cannot be read or written: an agent may have removed it.
pub fn play(
    placed: Placed,
    read: impl FnOnce(&str) -> io::Result<Worlds>,
    guards: impl FnOnce(&str) -> io::Result<Box<Guards>>,
    tell: impl FnOnce(&str) -> io::Result<()>,
) -> io::Result<()> {
    // What a run starts has the bounds of this program, so its agent never runs without them.
    processes::bound_memory();
    let Placed { job, place } = placed;
    let order = Order {
        profile: Arc::new(job.agent.profile().map_err(io::Error::other)?),
        worlds: read(&job.target)?,
        seed: job.seed,
        folder: place.clone(),
        log: job.out.join(PROXY),
        tools: job.tools,
        time: Duration::from_secs(job.seconds),
        requests: job.requests,
        replies: job.replies,
        isolated: job.isolated,
        stop: input::has_ended(),
    };
    let through = job.through.as_deref().map(guards).transpose()?;
    let done = run::run(&order, through)?;
    let is_stopped = order.stop.load(Ordering::Relaxed);
    let (record, unwritten) = kept(&job.out, &done)?;
    let verdict = (!is_stopped).then(|| quoting(done.verdict, job.quotes));
    let told = serde_json::to_string(&Told { verdict, record, unwritten })?;
    // If the program that started this one is gone, nothing else removes the folder.
    tell(&told).or_else(|_| place::remove(&place))
}

/// Writes what happened. Returns the checksum of the record if that was written, and what could not be.
fn kept(out: &Path, done: &Done) -> io::Result<(Option<String>, Vec<String>)> {
    let lines = |steps: &mut dyn Iterator<Item = Step>| -> io::Result<String> {
        steps.map(|it| Ok(serde_json::to_string(&it)? + "\n")).collect()
    };
    let transcript = lines(&mut done.steps.iter().cloned())?;
    let record = lines(&mut done.steps.iter().map(Step::canonical))?;
    let outputs = done.printed.iter().enumerate().flat_map(|(nth, [stdout, stderr])| {
        [(format!("stdout-{nth}.txt"), &**stdout), (format!("stderr-{nth}.txt"), &**stderr)]
    });
    let files = outputs.chain([(TRANSCRIPT.to_owned(), transcript.as_bytes())]);
    let mut unwritten: Vec<String> =
        files.filter_map(|(name, bytes)| written(&out.join(name), bytes).err()).collect();
    let log = done.unlogged.as_ref();
    unwritten.extend(log.map(|(file, why)| format!("{} cannot be written: {why}", file.display())));
    let recorded = written(&out.join(RECORD), record.as_bytes());
    let checksum = recorded.is_ok().then(|| format!("{:016x}", xxh3_64(record.as_bytes())));
    unwritten.extend(recorded.err());
    Ok((checksum, unwritten))
}

const JOB: &str = "job.json";
/// Every step of a run, in its folder.
pub(super) const TRANSCRIPT: &str = "transcript.jsonl";
/// The same without what differs from run to run.
pub(super) const RECORD: &str = "record.jsonl";
const VERDICT: &str = "verdict.json";
/// The log of a proxy, in the same place.
const PROXY: &str = "proxy";
