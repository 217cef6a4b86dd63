//! How many connections are open at once. Where there is no room for one more, the one ends that has waited longest for
//! a request: its client comes back when it has one, and who only holds connections keeps no other out. But each has
//! some time for its request first, or a crowd of clients would only put each other out.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::{Duration, Instant, timeout_at};

use super::limits::Limits;

/// The connections of a server.
pub(super) struct Room {
    most: usize,
    /// How long a connection may wait for a request before it makes room.
    idle: Duration,
    open: Mutex<Open>,
    /// A connection has ended, or waits for a request.
    changed: Notify,
}

/// Those that are open.
#[derive(Default)]
struct Open {
    count: usize,
    /// Those that wait for a request, in the order in which they began to, and since when.
    waiting: BTreeMap<u64, (Instant, Arc<Seat>)>,
    /// How often one began to wait.
    waits: u64,
    /// How many were told to end, and have not.
    ending: usize,
}

/// The place of one connection among all.
pub(super) struct Seat {
    room: Arc<Room>,
    task: OnceLock<AbortHandle>,
    /// The number of its wait for a request; 0 while a request is on its way.
    wait: AtomicU64,
    /// Whether hyper has all of the answer. The client may not have it yet.
    is_answered: AtomicBool,
}

impl Room {
    /// Room for so many connections as the limits say, or fewer, where fewer files may be open. A connection of a
    /// server that sends requests on needs another one, and guards in other processes need pipes.
    pub(super) fn new(limits: &Limits, sends_on: bool) -> Arc<Self> {
        let (each, others) = if sends_on { (2, 128) } else { (1, 24) };
        let most = limits.connections;
        let most = files().map_or(most, |files| most.min(files.saturating_sub(others) / each)).max(1);
        Arc::new(Self { most, idle: limits.idle, open: Mutex::default(), changed: Notify::new() })
    }

    /// A place for one more, once there is one. Only one asks at a time.
    pub(super) async fn seat(self: &Arc<Self>) -> Arc<Seat> {
        while let Err(next) = self.take_place() {
            let changed = self.changed.notified();
            match next {
                // Both are a reason to look again.
                Some(next) => drop(timeout_at(next, changed).await),
                None => changed.await,
            }
        }
        let seat = Arc::new(Seat {
            room: self.clone(),
            task: OnceLock::new(),
            wait: AtomicU64::new(0),
            is_answered: AtomicBool::new(false),
        });
        seat.waits();
        seat
    }

    /// Takes a place. If there is none, one is made where that can be; or it says when one could be made, if the
    /// connection that waits longest goes on waiting.
    fn take_place(&self) -> Result<(), Option<Instant>> {
        let mut open = self.open();
        if open.count < self.most {
            open.count += 1;
            return Ok(());
        }
        if open.ending > 0 {
            return Err(None);
        }
        let Some(longest) = open.waiting.first_entry() else { return Err(None) };
        let end = longest.get().0 + self.idle;
        if Instant::now() < end {
            return Err(Some(end));
        }
        let (_, longest) = longest.remove();
        open.ending = 1;
        if let Some(task) = longest.task.get() {
            task.abort();
        }
        Err(None)
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        // Nothing panics between two changes of it.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// The connection is served by this task. It is known before another connection asks for a place.
    pub(super) fn is_served_by(&self, task: AbortHandle) {
        let _ = self.task.set(task);
    }

    /// The number of its wait for a request, if it waits for one.
    pub(super) fn wait(&self) -> Option<u64> {
        Some(self.wait.load(Ordering::Relaxed)).filter(|it| *it > 0)
    }

    /// The head of a request has come.
    pub(super) fn begins(&self) {
        self.is_answered.store(false, Ordering::Relaxed);
        // One that was told to end does so all the same.
        if self.room.open().waiting.remove(&self.wait.load(Ordering::Relaxed)).is_some() {
            self.wait.store(0, Ordering::Relaxed);
        }
    }

    /// The request has all of its answer.
    pub(super) fn is_answered(&self) {
        self.is_answered.store(true, Ordering::Relaxed);
    }

    /// All that there was to write is written.
    pub(super) fn is_written(self: &Arc<Self>) {
        if self.is_answered.swap(false, Ordering::Relaxed) {
            self.waits();
        }
    }

    /// The connection has ended.
    pub(super) fn leaves(&self) {
        let mut open = self.room.open();
        open.count -= 1;
        if let Some(wait) = self.wait()
            && open.waiting.remove(&wait).is_none()
        {
            open.ending -= 1;
        }
        drop(open);
        self.room.changed.notify_one();
    }

    fn waits(self: &Arc<Self>) {
        if self.wait().is_some() {
            return;
        }
        let mut open = self.room.open();
        open.waits += 1;
        let wait = open.waits;
        self.wait.store(wait, Ordering::Relaxed);
        open.waiting.insert(wait, (Instant::now(), self.clone()));
        drop(open);
        self.room.changed.notify_one();
    }
}

/// How many files this program may have open, where that has a bound.
#[cfg(unix)]
fn files() -> Option<usize> {
    use rustix::process::{Resource, getrlimit};

    usize::try_from(getrlimit(Resource::Nofile).current?).ok()
}

/// Not known here.
#[cfg(not(unix))]
fn files() -> Option<usize> {
    None
}
