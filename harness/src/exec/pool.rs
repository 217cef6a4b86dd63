//! The children of one command.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;

use super::child::{Child, shown};
use super::lines::{FromGuard, Introduction, NAME_CHARS_MAX, PROTOCOL, ToGuard};
use super::settings::Settings;
use crate::bench::Stopwatch;

/// How many children are kept while nothing is asked. Where more runs than these are open at the same time, as in a
/// proxy, a child changes between them.
const KEPT: usize = 16;

/// How many children there are at most. Where more are asked at the same time, a question waits until one is free.
const MOST: usize = 64;

/// The children of one command. Each is started when it is needed, and serves one run after another.
pub struct Pool {
    command: Vec<String>,
    settings: Settings,
    introduction: Introduction,
    children: Mutex<Children>,
    /// A child is free, or there may be one more.
    free: Condvar,
    runs: AtomicU64,
}

struct Children {
    idle: Vec<Session>,
    /// How many are being asked, or started.
    busy: usize,
}

/// A child that is being asked counts until it is idle or has ended.
struct Busy<'p>(&'p Pool);

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
        let children = Mutex::new(Children { idle: vec![session], busy: 0 });
        let (free, runs) = (Condvar::new(), AtomicU64::default());
        Ok(Self { command: words, settings, introduction, children, free, runs })
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
        for session in self.children().idle.iter_mut().filter(|it| it.run == Some(run)) {
            session.run = None;
        }
    }

    /// Talks about a run with a child: the one that is in it, or else one that is in none, or a new one.
    ///
    /// # Errors
    /// The reason of `talk`, with the last lines of the child, which is ended then; or that none was free in time.
    pub(super) fn with<T>(
        &self,
        run: u64,
        talk: impl FnOnce(&mut Session) -> Result<T, String>,
    ) -> Result<T, String> {
        let (idle, _busy) = self.taken(run)?;
        let mut session = match idle {
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

    /// A child that is idle, or room for one more. Waits for it as long as an answer may take.
    fn taken(&self, run: u64) -> Result<(Option<Session>, Busy<'_>), String> {
        let (watch, limit) = (Stopwatch::start(), Duration::from_millis(self.settings.answer_ms));
        let mut children = self.children();
        loop {
            let idle = children.take(run);
            if idle.is_some() || children.have_room() {
                children.busy += 1;
                return Ok((idle, Busy(self)));
            }
            let left = limit.saturating_sub(Duration::from_nanos(watch.nanoseconds()));
            if left.is_zero() {
                let waited = limit.as_millis();
                return Err(format!(
                    "expected one of {MOST} processes to be free, found none within {waited} ms"
                ));
            }
            let waited = self.free.wait_timeout(children, left);
            children = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
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
        let mut children = self.children();
        let idle = &mut children.idle;
        let over = if idle.len() >= KEPT { Some(idle.remove(0)) } else { None };
        idle.push(session);
        drop(children);
        // Ends without the lock: that takes a moment.
        drop(over);
    }

    fn children(&self) -> MutexGuard<'_, Children> {
        // Nothing panics between two changes of the list.
        self.children.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Children {
    /// An idle child for a run: the one that is in it, one that is in none or, where there are enough, the one that was
    /// not used for the longest time.
    fn take(&mut self, run: u64) -> Option<Session> {
        let place = |of: Option<u64>| self.idle.iter().position(|it| it.run == of);
        let are_enough = self.idle.len() >= KEPT || !self.have_room();
        let longest_unused = || (are_enough && !self.idle.is_empty()).then_some(0);
        let at = place(Some(run)).or_else(|| place(None)).or_else(longest_unused)?;
        Some(self.idle.remove(at))
    }

    fn have_room(&self) -> bool {
        self.idle.len() + self.busy < MOST
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.children().busy -= 1;
        self.0.free.notify_one();
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
        let found = |found| format!("expected a hello, found {found}");
        match session.child.ask(&hello, limit).map_err(found).and_then(introduction) {
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
        let found = |found| format!("expected an answer to `{name}`, found {found}");
        let line = self.child.ask(line, self.answer_limit).map_err(found)?;
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

#[cfg(all(test, unix))]
mod tests {
    use std::thread;

    use super::*;

    const HELLO: &str = r#"sh -c 'read -r _
        echo "{\"hello\":{\"protocol\":1,\"guard\":\"g\",\"answers\":[\"review\"]}}"; read -r _'"#;

    fn pool(answer_ms: u64) -> Pool {
        let settings = Settings { start_ms: 60_000, answer_ms, ..Settings::default() };
        Pool::start(HELLO, settings).expect("it says hello")
    }

    /// All that there may be, without a process for each.
    fn all_taken(pool: &Pool) -> Vec<(Option<Session>, Busy<'_>)> {
        (0..MOST as u64).map(|run| pool.taken(run).expect("there is room")).collect()
    }

    #[test]
    fn no_more_children_than_a_bound_are_asked_at_the_same_time() {
        let pool = pool(50);
        let all = all_taken(&pool);
        assert_eq!(all.iter().filter(|it| it.0.is_some()).count(), 1, "the first one was idle");
        let error = pool.with(1_000, |_| Ok(())).expect_err("none is free");
        assert_eq!(error, "expected one of 64 processes to be free, found none within 50 ms");
        drop(all);
        assert_eq!(pool.with(1_000, |_| Ok("asked")), Ok("asked"), "what ended makes room");
    }

    #[test]
    fn a_question_waits_for_a_child_that_becomes_free() {
        let pool = pool(600_000);
        let mut all = all_taken(&pool);
        let (first, busy) = all.remove(0);
        thread::scope(|scope| {
            let waits = scope.spawn(|| pool.with(1_000, |session| Ok(session.run)));
            pool.returned(first.expect("it was idle"));
            drop(busy);
            assert_eq!(waits.join().expect("no panic"), Ok(None));
        });
        let children = pool.children();
        assert_eq!(
            (children.idle.len(), children.busy),
            (1, MOST - 1),
            "it is the same one, and no other was started"
        );
    }
}
