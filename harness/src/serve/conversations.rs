//! All conversations of a server, by name.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use balk_guards::Usage;
use balk_guards::wire::Asked;

use crate::bench::Stopwatch;
use crate::error::shown;
use crate::files;
use crate::listen::Held;

use super::conversation::{Answer, Conversation, NoAnswer};
use super::record::Step;
use super::script::{NoScript, Scripts, Toolsets};
use super::site::Site;
use super::usage::usage;
use super::verdict::Verdict;

/// Where the agents of a server work.
pub type Sites = dyn Fn() -> Box<dyn Site> + Send + Sync;

/// All conversations of a server.
pub(super) struct Conversations {
    scripts: Scripts,
    toolsets: Arc<Toolsets>,
    sites: Box<Sites>,
    max_requests: Option<u64>,
    /// About how many bytes all conversations may take, and how many they do.
    max_kept: usize,
    kept: Arc<AtomicUsize>,
    log: Option<PathBuf>,
    all: Mutex<BTreeMap<String, Arc<Mutex<Logged>>>>,
    /// The conversation of all requests, if there is only one.
    only: Option<String>,
    /// Whether a conversation has come to its bound.
    bound: Arc<AtomicBool>,
    /// How many requests were answered.
    answered: AtomicU64,
    /// How many bytes the bodies have whose requests are not answered yet.
    bodies: Arc<AtomicUsize>,
    /// The first file of a log that could not be written, and why.
    unlogged: Mutex<Option<(PathBuf, String)>>,
    /// Why the first request was refused that was.
    refused: Mutex<Option<String>>,
}

/// A conversation, and the file that gets its steps.
struct Logged {
    conversation: Conversation,
    file: Option<PathBuf>,
    /// How many steps the file has.
    written: usize,
    unbound: Option<String>,
    tokens: Usage,
    watch: Stopwatch,
    arrivals: Vec<u64>,
    handling: Vec<u64>,
    /// What it takes beside what its requests add, and what it takes with that, among all conversations.
    empty: usize,
    held: Held,
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
    /// No answer has the id that the request follows.
    NotPrevious(String),
    /// The conversation has had all its requests, or the server has kept all that it may.
    Bound(String),
}

/// What happened in a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Step by step.
    pub steps: Vec<Step>,
    /// What came of it.
    pub verdict: Verdict,
    /// Whether the model's last act says that it waits, because no tool on offer does.
    pub waits: bool,
    /// Why a request got no answer, if one did not: the tools on offer cannot play the script.
    pub unbound: Option<String>,
    /// The tokens of all requests and of all answers, as the answers say them.
    pub tokens: Usage,
    /// When each request came that was answered, in nanoseconds since the first one: one for each act and each side
    /// call among the steps, in their order. Two equal runs differ in it.
    pub arrivals: Vec<u64>,
    /// How long the server took to read each of these and to find its answer, in nanoseconds.
    pub handling: Vec<u64>,
}

/// The name of a conversation without one.
const DEFAULT: &str = "default";
/// About how many bytes a conversation takes that has had no request.
const CONVERSATION_BYTES: usize = 16_384;

impl Conversations {
    pub(super) fn new(
        scripts: Scripts,
        sites: Box<Sites>,
        (max_requests, max_kept): (Option<u64>, usize),
        log: Option<PathBuf>,
        only: Option<String>,
    ) -> Self {
        let (all, bound, answered, bodies, unlogged, refused) = Default::default();
        let kept = Arc::default();
        Self {
            scripts,
            toolsets: Arc::new(Toolsets::new(&kept, max_kept)),
            sites,
            max_requests,
            max_kept,
            kept,
            log,
            all,
            only,
            bound,
            answered,
            bodies,
            unlogged,
            refused,
        }
    }

    /// Set once a conversation has come to its bound.
    pub(super) fn bound(&self) -> &Arc<AtomicBool> {
        &self.bound
    }

    /// How many bytes the bodies have whose requests are not answered yet.
    pub(super) fn bodies(&self) -> &Arc<AtomicUsize> {
        &self.bodies
    }

    /// Keeps why a request was refused, if it is the first one.
    pub(super) fn refuse(&self, why: &str) {
        locked(&self.refused).get_or_insert_with(|| shown(why).into_owned());
    }

    /// Why the first request was refused that was.
    pub(super) fn refused(&self) -> Option<String> {
        locked(&self.refused).clone()
    }

    /// How many requests were answered.
    pub(super) fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    /// Whether it is played to one agent, which has no say in it.
    pub(super) fn is_of_one(&self) -> bool {
        self.only.is_some()
    }

    /// Answers a request of this conversation, which the server has had for as long as the watch says.
    pub(super) fn ask(
        &self,
        name: Option<&str>,
        asked: &Asked,
        request_bytes: usize,
        wanted: impl FnOnce() -> Option<Arc<str>>,
        watch: Stopwatch,
    ) -> Result<Answer, NotAnswered> {
        let logged = self.named(self.only.as_deref().or(name).unwrap_or(DEFAULT))?;
        let mut logged = locked(&logged);
        let Logged { conversation, .. } = &mut *logged;
        if self.max_requests.is_some_and(|most| conversation.requests() >= most) {
            self.bound.store(true, Ordering::Relaxed);
            let requests = conversation.requests();
            return Err(NotAnswered::Bound(format!("this conversation has had its {requests} requests")));
        }
        self.has_room(0).map_err(NotAnswered::Bound)?;
        let arrived = logged.watch.nanoseconds();
        let answer = logged.conversation.ask(asked, wanted).map(|mut answer| {
            let usage = usage(request_bytes, &answer.completion);
            Arc::make_mut(&mut answer.completion).usage = usage;
            logged.tokens.input_tokens += usage.input_tokens;
            logged.tokens.output_tokens += usage.output_tokens;
            answer
        });
        match &answer {
            // An agent that is refused and asks for ever gets no more time by it, and nothing is kept of it.
            Ok(_) => {
                logged.arrivals.push(arrived);
                logged.handling.push(watch.nanoseconds());
                self.answered.fetch_add(1, Ordering::Relaxed);
            }
            Err(NoAnswer::Unbound(why)) => logged.unbound = Some(why.to_string()),
            Err(NoAnswer::Site(_) | NoAnswer::NotPrevious(_)) => {}
        }
        logged.count();
        self.write(&mut logged);
        answer.map_err(NotAnswered::from)
    }

    /// Whether so many bytes may be kept, and something more.
    ///
    /// # Errors
    /// All conversations have come to their bound.
    pub(super) fn has_room(&self, bytes: usize) -> Result<(), String> {
        if self.kept.load(Ordering::Relaxed).saturating_add(bytes) < self.max_kept {
            return Ok(());
        }
        let most = self.max_kept >> 20;
        Err(format!(
            "the conversations of this server take {most} MiB, as much as they may: expected POST \
             /c/NAME/_balk/reset of one that has ended, or a new server"
        ))
    }

    /// The names of all conversations.
    pub(super) fn names(&self) -> Vec<String> {
        locked(&self.all).keys().cloned().collect()
    }

    /// The conversation of this name or, without a name, the only one.
    pub(super) fn told(&self, name: Option<&str>) -> Option<Told> {
        let found = self.found(name)?;
        let logged = locked(&found);
        let Logged { conversation, arrivals, handling, unbound, tokens, .. } = &*logged;
        Some(Told {
            steps: conversation.steps().to_vec(),
            verdict: conversation.verdict(),
            waits: conversation.scene().is_some_and(|it| it.actor.waits_in_words()),
            unbound: unbound.clone(),
            tokens: *tokens,
            arrivals: arrivals.clone(),
            handling: handling.clone(),
        })
    }

    /// Does something with a conversation. `None` if there is none of this name or, without a name, not exactly one.
    pub(super) fn with<T>(&self, name: Option<&str>, does: impl FnOnce(&mut Conversation) -> T) -> Option<T> {
        let found = self.found(name)?;
        Some(self.counting(&found, does))
    }

    /// Does something with a conversation, and counts what it keeps.
    fn counting<T>(&self, logged: &Mutex<Logged>, does: impl FnOnce(&mut Conversation) -> T) -> T {
        let mut logged = locked(logged);
        let done = does(&mut logged.conversation);
        logged.count();
        self.write(&mut logged);
        done
    }

    /// A log that cannot be written is no reason to fail an agent; the steps are kept all the same.
    fn write(&self, logged: &mut Logged) {
        if let Err(why) = logged.write() {
            let file = logged.file.clone().unwrap_or_default();
            locked(&self.unlogged).get_or_insert((file, why.to_string()));
        }
    }

    /// The first file of a log that could not be written, and why.
    pub(super) fn unlogged(&self) -> Option<(PathBuf, String)> {
        locked(&self.unlogged).clone()
    }

    /// Begins a conversation of this name, if there is none, and does something with it.
    pub(super) fn begin<T>(
        &self,
        name: Option<&str>,
        does: impl FnOnce(&mut Conversation) -> T,
    ) -> Result<T, NotAnswered> {
        self.has_room(0).map_err(NotAnswered::Bound)?;
        let logged = self.named(self.only.as_deref().or(name).unwrap_or(DEFAULT))?;
        Ok(self.counting(&logged, does))
    }

    /// Forgets a conversation: its name begins another one. `false` if there is none, as for [`Self::with`]. A request
    /// on its way there is answered as if it had come before.
    pub(super) fn forget(&self, name: Option<&str>) -> bool {
        let mut all = locked(&self.all);
        let name = found(&all, name).map(|(name, _)| name.clone());
        let forgotten = name.and_then(|it| all.remove(&it));
        // It can be large, and others need not wait for it.
        drop(all);
        forgotten.is_some()
    }

    fn found(&self, name: Option<&str>) -> Option<Arc<Mutex<Logged>>> {
        found(&locked(&self.all), name).map(|(_, it)| it.clone())
    }

    fn named(&self, name: &str) -> Result<Arc<Mutex<Logged>>, NotAnswered> {
        if let Some(found) = locked(&self.all).get(name) {
            return Ok(found.clone());
        }
        let empty = CONVERSATION_BYTES + name.len();
        self.has_room(empty).map_err(NotAnswered::Bound)?;
        // Drawing a script can take a while, so it happens outside the lock; if two race, one script is dropped.
        let script = self.scripts.script(name, &self.toolsets);
        let script = script.map_err(|NoScript(why)| NotAnswered::Unknown(why))?;
        let mut all = locked(&self.all);
        let logged = all.entry(name.to_owned()).or_insert_with(|| {
            let logged = Logged {
                conversation: Conversation::new(name, script, (self.sites)()),
                file: self
                    .log
                    .as_ref()
                    .map(|folder| folder.join(format!("{}.jsonl", files::plain_name(name)))),
                written: 0,
                unbound: None,
                tokens: Usage::default(),
                watch: Stopwatch::start(),
                arrivals: Vec::new(),
                handling: Vec::new(),
                empty,
                held: Held::new(&self.kept, self.max_kept),
            };
            logged.count();
            Arc::new(Mutex::new(logged))
        });
        Ok(logged.clone())
    }
}

impl Logged {
    /// Counts what it takes.
    fn count(&self) {
        self.held.becomes(self.empty + self.conversation.kept());
    }

    /// Adds the steps that are new to the file.
    fn write(&mut self) -> io::Result<()> {
        let steps = self.conversation.steps();
        let new = steps.get(self.written..).unwrap_or(steps);
        if let Some(file) = &self.file
            && !new.is_empty()
        {
            let mut lines = String::new();
            for step in new {
                lines.push_str(&serde_json::to_string(step)?);
                lines.push('\n');
            }
            append(file, &lines)?;
        }
        self.written = steps.len();
        Ok(())
    }
}

/// The conversation of this name or, without a name, the one without a name or the only one.
fn found<'a>(
    all: &'a BTreeMap<String, Arc<Mutex<Logged>>>,
    name: Option<&str>,
) -> Option<(&'a String, &'a Arc<Mutex<Logged>>)> {
    match name.or_else(|| all.contains_key(DEFAULT).then_some(DEFAULT)) {
        Some(name) => all.get_key_value(name),
        None if all.len() == 1 => all.iter().next(),
        None => None,
    }
}

/// A file is open only while it is written: a server can have more conversations than open files.
fn append(file: &Path, text: &str) -> io::Result<()> {
    files::append(file)?.write_all(text.as_bytes())
}

impl From<NoAnswer> for NotAnswered {
    fn from(no_answer: NoAnswer) -> Self {
        match no_answer {
            NoAnswer::Unbound(why) => Self::Unbound(why.to_string()),
            NoAnswer::Site(why) => Self::Site(why.to_string()),
            NoAnswer::NotPrevious(id) => {
                Self::NotPrevious(format!("no response of this conversation has the id {id}"))
            }
        }
    }
}

/// A panic elsewhere leaves a conversation as it was after its last step.
fn locked<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}
