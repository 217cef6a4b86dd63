//! The agent's program: started in its place, within bounds, and ended with everything that it started.

use std::collections::BTreeMap;
use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use crate::bench::Stopwatch;
use crate::processes::{MEMORY_MIB_MAX, PROCESSES_MAX, Tree, end_holders, in_own_group, pipe};
use output::captured;

pub use crate::processes::Belonging;
pub(super) use output::Capture;
pub use output::Output;

mod output;

/// How often it is looked whether the program has ended, or should.
const STEP: Duration = Duration::from_millis(10);

/// The time between two looks at what it uses.
const LOOK: Duration = Duration::from_millis(100);

/// How long processes that a program leaves behind may take to end by themselves.
const SETTLE: Duration = Duration::from_millis(300);

/// What ends a program that does not end by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How long it may give no sign of going on.
    pub time: Duration,
    /// How long it may take to end after it was asked to. Then it is killed.
    pub grace: Duration,
    /// How many bytes are kept of each of its outputs.
    pub bytes: usize,
    /// How many processes it may have at the same time, with itself.
    pub processes: u64,
    /// How much memory it may have with all that it starts, in MiB.
    pub memory_mib: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(90),
            grace: Duration::from_secs(2),
            bytes: 8 << 20,
            processes: PROCESSES_MAX,
            memory_mib: MEMORY_MIB_MAX,
        }
    }
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Itself,
    /// It was told to stop.
    Stopped,
    /// It ran out of time.
    OutOfTime,
    /// It had too many processes, or too much memory.
    TooLarge,
}

/// What became of a program.
#[derive(Clone, Debug)]
pub struct Ran {
    /// How it ended.
    pub ended: Ended,
    /// Its own exit status. A program that was ended may still have one.
    pub status: ExitStatus,
    /// How long it ran, in nanoseconds.
    pub nanoseconds: u64,
    /// What it printed.
    pub stdout: Output,
    /// What it said on the side.
    pub stderr: Output,
    /// The processes that were there after it had ended by itself, and those that only its outputs led to: how many of
    /// each name.
    pub left_over: BTreeMap<String, u32>,
}

/// What is seen of a program while it runs.
#[derive(Clone, Copy)]
pub struct Watched<'w> {
    /// Whether it is to stop.
    pub stop: &'w dyn Fn() -> bool,
    /// How many signs it gave that it goes on. Each gives it its whole time again, so a program is stopped at the same
    /// sign on a slow machine.
    pub signs: &'w dyn Fn() -> u64,
}

/// Runs a program until it ends, is to stop, or has given no sign for its time. Nothing of it runs afterwards.
///
/// # Errors
/// It cannot be started.
pub fn run(
    mut command: Command,
    belonging: Belonging,
    bounds: Bounds,
    watched: Watched<'_>,
) -> io::Result<Ran> {
    in_own_group(&mut command);
    let watch = Stopwatch::start();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let tree = Tree::new(child.id(), belonging);
    let (out, err) = outputs(&mut child, bounds.bytes);
    let waited = waited(&mut child, &tree, bounds, watched);
    let nanoseconds = watch.nanoseconds();
    let ended = match waited {
        Ok(ended) => ended,
        // Whatever goes wrong, nothing of the program may go on.
        Err(error) => {
            let _ = end(&mut child, &tree, Duration::ZERO);
            return Err(error);
        }
    };
    let mut left_over = match ended {
        Ended::Itself => settled(&tree),
        Ended::Stopped | Ended::OutOfTime | Ended::TooLarge => BTreeMap::new(),
    };
    let status = end(&mut child, &tree, bounds.grace)?;
    if !(out.ends() && err.ends()) {
        for name in holders(&[&out, &err]) {
            *left_over.entry(name).or_default() += 1;
        }
    }
    Ok(Ran { ended, status, nanoseconds, stdout: out.output(), stderr: err.output(), left_over })
}

/// Begins to read both outputs of a program, which are pipes.
pub(super) fn outputs(child: &mut Child, bytes_max: usize) -> (Capture, Capture) {
    let out = child.stdout.take().expect("it is a pipe");
    let err = child.stderr.take().expect("it is a pipe");
    let pipes = (pipe(&out), pipe(&err));
    (captured(out, pipes.0, bytes_max), captured(err, pipes.1, bytes_max))
}

/// Ends the processes that hold an output of a program that has ended, and returns their names: they left the program
/// and have another environment, so nothing else leads to them.
fn holders(outputs: &[&Capture]) -> Vec<String> {
    let pipes: Vec<u64> = outputs.iter().filter_map(|it| it.pipe).collect();
    let mut names: Vec<String> = end_holders(&pipes).into_iter().map(|it| it.name).collect();
    if !outputs.iter().all(|it| it.ends()) {
        names.push(UNKNOWN.to_owned());
    }
    names
}

/// What is said of a process that holds an output and is not found.
const UNKNOWN: &str = "(unknown)";

fn waited(child: &mut Child, tree: &Tree, bounds: Bounds, watched: Watched<'_>) -> io::Result<Ended> {
    let (mut watch, mut signs) = (Stopwatch::start(), 0);
    let mut looked = Stopwatch::start();
    loop {
        if child.try_wait()?.is_some() {
            return Ok(Ended::Itself);
        }
        if (watched.stop)() {
            return Ok(Ended::Stopped);
        }
        let now = (watched.signs)();
        if now != signs {
            (watch, signs) = (Stopwatch::start(), now);
        }
        if u128::from(watch.nanoseconds()) >= bounds.time.as_nanos() {
            return Ok(Ended::OutOfTime);
        }
        if u128::from(looked.nanoseconds()) >= LOOK.as_nanos() {
            if tree.usage().beyond(bounds.processes, bounds.memory_mib).is_some() {
                return Ok(Ended::TooLarge);
            }
            looked = Stopwatch::start();
        }
        thread::sleep(STEP);
    }
}

/// What is still there of a program that has ended by itself.
fn settled(tree: &Tree) -> BTreeMap<String, u32> {
    let watch = Stopwatch::start();
    loop {
        let members = tree.members();
        if members.is_empty() || u128::from(watch.nanoseconds()) >= SETTLE.as_nanos() {
            let mut counts = BTreeMap::new();
            for it in members {
                *counts.entry(it.name).or_default() += 1;
            }
            return counts;
        }
        thread::sleep(STEP);
    }
}

/// Asks everything to end, and kills what is left after a while.
fn end(child: &mut Child, tree: &Tree, grace: Duration) -> io::Result<ExitStatus> {
    let has_ended = |child: &mut Child| child.try_wait().is_ok_and(|it| it.is_some());
    tree.ask_to_end(!has_ended(child));
    let watch = Stopwatch::start();
    while u128::from(watch.nanoseconds()) < grace.as_nanos()
        && !(has_ended(child) && tree.members().is_empty())
    {
        thread::sleep(STEP);
    }
    if !has_ended(child) {
        // One that has ended meanwhile is no error.
        let _ = child.kill();
    }
    tree.kill();
    child.wait()
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
