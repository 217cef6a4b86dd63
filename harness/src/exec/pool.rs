//! The children of one command.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;

use super::child::{Child, shown};
use super::lines::{FromGuard, Introduction, NAME_CHARS_MAX, PROTOCOL, ToGuard};
use super::settings::Settings;

/// How many children are kept while nothing is asked. Where more runs than these are open at the same time, as in a
/// proxy, a child changes between them.
const KEPT: usize = 16;

/// The children of one command. Each is started when it is needed, and serves one run after another.
pub struct Pool {
    command: Vec<String>,
    settings: Settings,
    introduction: Introduction,
    idle: Mutex<Vec<Session>>,
    runs: AtomicU64,
}

/// A child, and what it knows.
pub(super) struct Session {
    child: Child,
    answer_limit: Duration,
    /// How many runs it was given.
    runs: u64,
    /// The run that it is in.
    pub(super) run: Option<u64>,
    /// How many entries of the run it was told, since its beginning or the state that it took.
    pub(super) entries: usize,
}

impl Pool {
    /// Starts the first child of a command, which is split into words as a shell does it.
    ///
    /// # Errors
    /// What was expected, and what was found.
    pub fn start(command: &str, settings: Settings) -> Result<Self, String> {
        let words = shlex::split(command).filter(|it| !it.is_empty());
        let words = words.ok_or_else(|| format!("expected a command, found `{command}`"))?;
        let (session, introduction) = Session::start(&words, &settings)?;
        let (idle, runs) = (Mutex::new(vec![session]), AtomicU64::default());
        Ok(Self { command: words, settings, introduction, idle, runs })
    }

    /// The words of the command.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.command
    }

    /// What its children say of themselves.
    #[must_use]
    pub fn introduction(&self) -> &Introduction {
        &self.introduction
    }

    /// A number for one more run.
    pub(super) fn begins(&self) -> u64 {
        self.runs.fetch_add(1, Ordering::Relaxed)
    }

    /// No child is asked about this run any more.
    pub(super) fn ends(&self, run: u64) {
        for session in self.idle().iter_mut().filter(|it| it.run == Some(run)) {
            session.run = None;
        }
    }

    /// Talks about a run with a child: the one that is in it, or else one that is in none, or a new one.
    ///
    /// # Errors
    /// The reason of `talk`, with the last lines of the child, which is ended then.
    pub(super) fn with<T>(
        &self,
        run: u64,
        talk: impl FnOnce(&mut Session) -> Result<T, String>,
    ) -> Result<T, String> {
        let mut session = match self.taken(run) {
            Some(session) => session,
            None => self.another()?,
        };
        match talk(&mut session) {
            Ok(said) => {
                self.returned(session);
                Ok(said)
            }
            Err(reason) => Err(session.child.explained(reason)),
        }
    }

    fn taken(&self, run: u64) -> Option<Session> {
        let mut idle = self.idle();
        let place = |of: Option<u64>| idle.iter().position(|it| it.run == of);
        let longest_unused = || (idle.len() >= KEPT).then_some(0);
        let at = place(Some(run)).or_else(|| place(None)).or_else(longest_unused)?;
        Some(idle.remove(at))
    }

    fn another(&self) -> Result<Session, String> {
        let (session, introduction) = Session::start(&self.command, &self.settings)?;
        if introduction == self.introduction {
            return Ok(session);
        }
        let json = |of: &Introduction| serde_json::to_string(of).expect("it is plain data");
        let (expected, found) = (json(&self.introduction), json(&introduction));
        Err(format!("expected the hello of the first process, `{expected}`, found `{found}`"))
    }

    fn returned(&self, session: Session) {
        let mut idle = self.idle();
        let over = if idle.len() >= KEPT { Some(idle.remove(0)) } else { None };
        idle.push(session);
        drop(idle);
        // Ends without the lock: that takes a moment.
        drop(over);
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Session>> {
        // Nothing panics between two changes of the list.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({:?})", self.command)
    }
}

impl Session {
    /// Starts a child that says who it is.
    fn start(command: &[String], settings: &Settings) -> Result<(Self, Introduction), String> {
        let limit = Duration::from_millis(settings.start_ms);
        let child =
            Child::start(command, settings).map_err(|found| format!("expected a hello, found {found}"))?;
        let answer_limit = Duration::from_millis(settings.answer_ms);
        let mut session = Self { child, answer_limit, runs: 0, run: None, entries: 0 };
        let hello = ToGuard::Hello {
            protocol: PROTOCOL,
            balk: env!("CARGO_PKG_VERSION").into(),
            answer_ms: settings.answer_ms,
        };
        let introduced = session.put(&hello).and_then(|()| {
            let found = |found| format!("expected a hello, found {found}");
            let line = session.child.answer(limit).map_err(found)?;
            introduction(line)
        });
        match introduced {
            Ok(introduction) => Ok((session, introduction)),
            Err(reason) => Err(session.child.explained(reason)),
        }
    }

    /// Begins a run.
    pub(super) fn begin(&mut self, run: u64) -> Result<(), String> {
        self.runs += 1;
        (self.run, self.entries) = (Some(run), 0);
        self.put(&ToGuard::Begin { run: self.runs })
    }

    /// Says something that has no answer.
    pub(super) fn put(&mut self, line: &ToGuard) -> Result<(), String> {
        let found = |found| format!("expected that it reads, found {found}");
        self.child.put(line, self.answer_limit).map_err(found)
    }

    /// Asks something. `name` is the name of the line.
    pub(super) fn ask(&mut self, name: &str, line: &ToGuard) -> Result<FromGuard, String> {
        self.put(line)?;
        let found = |found| format!("expected an answer to `{name}`, found {found}");
        let line = self.child.answer(self.answer_limit).map_err(found)?;
        let answer = answer(line).map_err(|why| found(format!("{} ({why})", shown(line))))?;
        match answer.name() {
            same if same == name => Ok(answer),
            other => Err(found(format!("one to `{other}`: {}", shown(line)))),
        }
    }
}

/// Reads a line.
fn answer(line: &[u8]) -> Result<FromGuard, String> {
    let mut json = serde_json::Deserializer::from_slice(line);
    let answer = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let (path, why) = (error.path().to_string(), error.into_inner());
        if path == "." { why.to_string() } else { format!("{path}: {why}") }
    })?;
    json.end().map_err(|error| error.to_string())?;
    Ok(answer)
}

/// Reads a hello. The version comes first: the rest may have another form in another one.
fn introduction(line: &[u8]) -> Result<Introduction, String> {
    #[derive(Deserialize)]
    #[serde(expecting = "an object with the member `hello`")]
    struct Probe {
        hello: Versioned,
    }
    #[derive(Deserialize)]
    #[serde(expecting = "an object with the member `protocol`")]
    struct Versioned {
        protocol: u64,
    }
    let found = |why: String| format!("expected a hello, found {} ({why})", shown(line));
    let probe: Probe = serde_json::from_slice(line).map_err(|error| found(error.to_string()))?;
    let version = probe.hello.protocol;
    if version != u64::from(PROTOCOL) {
        return Err(format!(
            "expected a guard that speaks version {PROTOCOL} of the protocol, found {version}"
        ));
    }
    let FromGuard::Hello(introduction) = answer(line).map_err(found)? else {
        return Err(found("another line".to_owned()));
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if introduction.guard.is_empty() || !introduction.guard.chars().all(is_part) {
        return Err(found("its name is not of letters, digits and dashes".to_owned()));
    }
    if introduction.guard.len() > NAME_CHARS_MAX {
        return Err(found(format!("its name has more than {NAME_CHARS_MAX} characters")));
    }
    if introduction.answers.is_empty() {
        return Err(found("it answers no question, so it would be told nothing".to_owned()));
    }
    Ok(introduction)
}
