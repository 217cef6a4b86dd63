//! All conversations of a server, by name.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use balk_guards::wire::Asked;

use crate::bench::Stopwatch;

use super::conversation::{Answer, Conversation, NoAnswer};
use super::record::Step;
use super::script::{NoScript, Scripts};
use super::site::Site;
use super::verdict::Verdict;

/// Where the agents of a server work.
pub type Sites = dyn Fn() -> Box<dyn Site> + Send + Sync;

/// All conversations of a server.
pub(super) struct Conversations {
    scripts: Scripts,
    sites: Box<Sites>,
    max_requests: Option<u64>,
    log: Option<PathBuf>,
    all: Mutex<BTreeMap<String, Arc<Mutex<Logged>>>>,
    /// The conversation of all requests, if there is only one.
    only: Option<String>,
    /// Whether a conversation has come to its bound.
    bound: Arc<AtomicBool>,
}

/// A conversation, and the file that gets its steps.
struct Logged {
    conversation: Conversation,
    file: Option<File>,
    /// How many steps the file has.
    written: usize,
    unbound: Option<String>,
    watch: Stopwatch,
    arrivals: Vec<u64>,
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotAnswered {
    /// There is no script of this name.
    Unknown(String),
    /// The tools on offer cannot play the script.
    Unbound(String),
    /// The place where the tools work cannot be used.
    Site(String),
    /// The conversation has had all its requests.
    Bound(String),
}

/// What happened in a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Step by step.
    pub steps: Vec<Step>,
    /// What came of it.
    pub verdict: Verdict,
    /// Why a request got no answer, if one did not: the tools on offer cannot play the script.
    pub unbound: Option<String>,
    /// When each request came, in nanoseconds since the first one. Two equal runs differ in it.
    pub arrivals: Vec<u64>,
}

/// The name of a conversation without one.
const DEFAULT: &str = "default";

impl Conversations {
    pub(super) fn new(
        scripts: Scripts,
        sites: Box<Sites>,
        max_requests: Option<u64>,
        log: Option<PathBuf>,
        only: Option<String>,
    ) -> Self {
        let bound = Arc::default();
        Self { scripts, sites, max_requests, log, all: Mutex::default(), only, bound }
    }

    /// Set once a conversation has come to its bound.
    pub(super) fn bound(&self) -> &Arc<AtomicBool> {
        &self.bound
    }

    /// Answers a request of this conversation, with the conversation's name.
    pub(super) fn ask<'n>(
        &'n self,
        name: Option<&'n str>,
        asked: &Asked,
        wanted: impl FnOnce() -> Option<Arc<str>>,
    ) -> Result<(&'n str, Answer), NotAnswered> {
        let name = self.only.as_deref().or(name).unwrap_or(DEFAULT);
        let logged = self.named(name)?;
        let mut logged = locked(&logged);
        if let Some(most) = self.max_requests
            && logged.conversation.requests() >= most
        {
            self.bound.store(true, Ordering::Relaxed);
            return Err(NotAnswered::Bound(format!("this conversation has had its {most} requests")));
        }
        let arrived = logged.watch.nanoseconds();
        logged.arrivals.push(arrived);
        let answer = logged.conversation.ask(asked, wanted);
        // A log that cannot be written is no reason to fail an agent; the steps are kept all the same.
        let _ = logged.write();
        match answer {
            Ok(answer) => Ok((name, answer)),
            Err(NoAnswer::Unbound(why)) => {
                let why = why.to_string();
                logged.unbound = Some(why.clone());
                Err(NotAnswered::Unbound(why))
            }
            Err(NoAnswer::Site(why)) => Err(NotAnswered::Site(why.to_string())),
        }
    }

    /// The names of all conversations.
    pub(super) fn names(&self) -> Vec<String> {
        locked(&self.all).keys().cloned().collect()
    }

    /// The conversation of this name or, without a name, the only one.
    pub(super) fn told(&self, name: Option<&str>) -> Option<Told> {
        let found = self.found(name)?;
        let logged = locked(&found);
        let Logged { conversation, arrivals, unbound, .. } = &*logged;
        Some(Told {
            steps: conversation.steps().to_vec(),
            verdict: conversation.verdict(),
            unbound: unbound.clone(),
            arrivals: arrivals.clone(),
        })
    }

    /// Does something with a conversation. `None` if there is none of this name or, without a name, not exactly one.
    pub(super) fn with<T>(&self, name: Option<&str>, does: impl FnOnce(&mut Conversation) -> T) -> Option<T> {
        let found = self.found(name)?;
        let mut logged = locked(&found);
        let done = does(&mut logged.conversation);
        let _ = logged.write();
        Some(done)
    }

    fn found(&self, name: Option<&str>) -> Option<Arc<Mutex<Logged>>> {
        let all = locked(&self.all);
        match name.or_else(|| all.contains_key(DEFAULT).then_some(DEFAULT)) {
            Some(name) => all.get(name).cloned(),
            None if all.len() == 1 => all.values().next().cloned(),
            None => None,
        }
    }

    fn named(&self, name: &str) -> Result<Arc<Mutex<Logged>>, NotAnswered> {
        let mut all = locked(&self.all);
        if let Some(found) = all.get(name) {
            return Ok(found.clone());
        }
        let script = self.scripts.script(name).map_err(|NoScript(why)| NotAnswered::Unknown(why))?;
        let conversation = Conversation::new(script, (self.sites)());
        let file = self.log.as_ref().and_then(|folder| log_file(folder, name).ok());
        let logged = Arc::new(Mutex::new(Logged {
            conversation,
            file,
            written: 0,
            unbound: None,
            watch: Stopwatch::start(),
            arrivals: Vec::new(),
        }));
        all.insert(name.to_owned(), logged.clone());
        Ok(logged)
    }
}

impl Logged {
    /// Adds the steps that are new to the file.
    fn write(&mut self) -> io::Result<()> {
        let steps = self.conversation.steps();
        let new = steps.get(self.written..).unwrap_or(steps);
        if let Some(file) = &mut self.file {
            let mut lines = String::new();
            for step in new {
                lines.push_str(&serde_json::to_string(step)?);
                lines.push('\n');
            }
            file.write_all(lines.as_bytes())?;
        }
        self.written = steps.len();
        Ok(())
    }
}

/// The file of a conversation. Its name may come from a client, so only plain characters of it are kept.
fn log_file(folder: &std::path::Path, name: &str) -> io::Result<File> {
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).take(64).collect();
    OpenOptions::new().create(true).append(true).open(folder.join(format!("{plain}.jsonl")))
}

/// A panic elsewhere leaves a conversation as it was after its last step.
fn locked<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}
