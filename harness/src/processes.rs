//! Other programs, with everything that they start: what they get, how much they may use, and their end.

use std::ffi::{OsStr, OsString};
use std::process::{Child, Command};

pub use tree::Belonging;
pub(crate) use tree::{Tree, end_holders, pipe};
pub(crate) use watchdog::Watchdog;

#[cfg(target_os = "linux")]
mod linux;
mod tree;
mod watchdog;

/// How many processes a program may have at the same time, with itself.
pub(crate) const PROCESSES_MAX: u64 = 256;

/// How much memory it may have, with all that it starts, in MiB.
pub(crate) const MEMORY_MIB_MAX: u64 = 4096;

/// The variables of this environment that every program gets: without them it finds no programs and no files.
const PASSED: [&str; 3] = ["PATH", "HOME", "TMPDIR"];

/// The variables that are the same everywhere, so that what a program says does not depend on the machine.
const FIXED: [(&str, &str); 2] = [("LANG", "C.UTF-8"), ("TZ", "UTC")];

/// Sets the bounds of a program, then becomes it. A bound that is already lower stays.
const BOUNDED: &str = r#"{ ulimit -c 0; ulimit -d "$1"; } 2>/dev/null
shift
exec "$@""#;

/// A program that leads a process group and begins with its bounds. `words` are the program and its arguments.
///
/// A shell sets the bounds, so that the program never runs without them: nothing safe runs in this program between
/// `fork` and `exec`, and a bound that is set later misses what was started before.
pub(crate) fn bounded(words: &[impl AsRef<OsStr>], memory_mib: u64) -> Command {
    let kib = memory_mib.saturating_mul(1024).to_string();
    let mut command = Command::new("sh");
    command.args(["-c", BOUNDED, "sh", &kib]).args(words);
    in_own_group(&mut command);
    command
}

/// Such a program that gets nothing of this environment but a few variables and those of these names.
pub(crate) fn closed(words: &[String], names: &[String], memory_mib: u64) -> Command {
    let mut command = bounded(words, memory_mib);
    command.env_clear().envs(FIXED);
    let names = PASSED.into_iter().chain(names.iter().map(String::as_str));
    command.envs(names.filter_map(variable));
    command
}

fn variable(name: &str) -> Option<(&OsStr, OsString)> {
    Some((OsStr::new(name), std::env::var_os(name)?))
}

/// Bounds the memory of each process that this program starts from now on, and of this program.
#[cfg(unix)]
pub(crate) fn bound_memory() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let lower = |of: Resource, most: u64| {
        let Rlimit { current, maximum } = getrlimit(of);
        let least = |it: Option<u64>| Some(it.map_or(most, |it| it.min(most)));
        // A system that does not know the bound has none.
        let _ = setrlimit(of, Rlimit { current: least(current), maximum: least(maximum) });
    };
    lower(Resource::Core, 0);
    lower(Resource::Data, MEMORY_MIB_MAX << 20);
}

/// Does nothing: only Unix has such bounds.
#[cfg(not(unix))]
pub(crate) fn bound_memory() {}

/// What a program uses, with all that belongs to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) processes: u64,
    /// Memory that no file on a disk has.
    pub(crate) mib: u64,
}

impl Usage {
    /// What these processes use. One that has ended meanwhile has no memory.
    #[cfg(target_os = "linux")]
    pub(crate) fn of(ids: impl IntoIterator<Item = u32>) -> Self {
        let (mut processes, mut kib) = (0, 0);
        for id in ids {
            processes += 1;
            kib += linux::memory_kib(id).unwrap_or_default();
        }
        Self { processes, mib: kib / 1024 }
    }

    /// What is more than these bounds, in words.
    pub(crate) fn beyond(self, processes: u64, mib: u64) -> Option<String> {
        match self {
            _ if self.processes > processes => {
                Some(format!("{} processes, more than {processes}", self.processes))
            }
            _ if self.mib > mib => Some(format!("{} MiB of memory, more than {mib}", self.mib)),
            _ => None,
        }
    }
}

/// Gives the program a process group of its own, so that it can be ended with everything that it starts.
#[cfg(unix)]
pub(crate) fn in_own_group(command: &mut Command) -> &mut Command {
    std::os::unix::process::CommandExt::process_group(command, 0)
}

/// Does nothing: only Unix has process groups.
#[cfg(not(unix))]
pub(crate) fn in_own_group(command: &mut Command) -> &mut Command {
    command
}

/// Kills a program that leads a process group, and everything in the group.
pub(crate) fn end(program: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};

        // The group is gone only if everything in it has ended.
        let _ = kill_process_group(Pid::from_child(program), Signal::KILL);
    }
    // If the program has already ended, there is nothing to kill.
    let _ = program.kill();
    // Without this, it would stay a zombie until Balk ends.
    let _ = program.wait();
}
