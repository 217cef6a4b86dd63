//! The processes of a program.
//!
//! On Linux they are found in `/proc`: those that descend from the program, and those that left it but have its
//! environment. Elsewhere only its process group is known.

use std::thread;
use std::time::Duration;

use super::Usage;
#[cfg(target_os = "linux")]
use super::linux;

/// How often what is left is killed again: a process may start another one at the same time.
const ROUNDS_MAX: u32 = 200;

/// The time between two rounds.
const ROUND: Duration = Duration::from_millis(10);

/// Which processes belong to a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Belonging {
    /// All descendants of Balk, which is the first process in the namespaces of a run
    /// ([`crate::crash::isolation`]): what loses its parent there becomes its child.
    Descendants,
    /// The program's descendants, and those of its process group.
    Led,
    /// These as well, and those that have this variable in their environment: no other program has the same value.
    Marked(String),
}

/// The processes of a program.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// The program, which is also the first of its process group.
    leader: u32,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only `/proc` shows environments"))]
    belonging: Belonging,
}

/// A process that is running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) id: u32,
    group: u32,
    /// The name of its program.
    pub(crate) name: String,
}

impl Tree {
    pub(crate) fn new(leader: u32, belonging: Belonging) -> Self {
        Self { leader, belonging }
    }

    /// Asks every process to end. `leads` says whether the program itself is still there.
    pub(crate) fn ask_to_end(&self, leads: bool) {
        self.signal(Urgency::Ask, leads);
    }

    /// Kills every process, until none is left.
    pub(crate) fn kill(&self) {
        for _ in 0..ROUNDS_MAX {
            self.signal(Urgency::Kill, true);
            if self.members().is_empty() {
                return;
            }
            thread::sleep(ROUND);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Urgency {
    Ask,
    Kill,
}

#[cfg(unix)]
impl Tree {
    fn signal(&self, urgency: Urgency, group: bool) {
        use rustix::process::{Pid, Signal, kill_process, kill_process_group};

        let signal = match urgency {
            Urgency::Ask => Signal::TERM,
            Urgency::Kill => Signal::KILL,
        };
        let pid = |id: u32| i32::try_from(id).ok().and_then(Pid::from_raw);
        // Once the program has ended, what it started in other groups has another parent.
        let others = self.others(group);
        // What has ended meanwhile is no error.
        if let Some(leader) = pid(self.leader).filter(|_| group) {
            let _ = kill_process_group(leader, signal);
        }
        for pid in others.into_iter().filter_map(pid) {
            let _ = kill_process(pid, signal);
        }
    }

    /// The processes that a signal is sent to one by one: all but those that get it with their group, since many
    /// programs take a second one for an order to drop everything.
    fn others(&self, group: bool) -> Vec<u32> {
        let members = self.members().into_iter();
        members.filter(|it| !(group && it.group == self.leader)).map(|it| it.id).collect()
    }
}

/// The number of the pipe that this is an end of. `None` where that is not known.
#[cfg(target_os = "linux")]
pub(crate) fn pipe(end: &impl rustix::fd::AsFd) -> Option<u64> {
    rustix::fs::fstat(end).ok().map(|it| it.st_ino)
}

/// Not known here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn pipe<T>(_: &T) -> Option<u64> {
    None
}

/// Kills every other process that has one of these pipes open, waits until none of them runs, and returns them.
#[cfg(target_os = "linux")]
pub(crate) fn end_holders(pipes: &[u64]) -> Vec<Member> {
    use rustix::process::{Pid, Signal, kill_process};

    let own = std::process::id();
    let holds = |it: &linux::Process| it.id != own && linux::has_pipe(it.id, pipes);
    let holders: Vec<Member> = linux::processes()
        .into_iter()
        .filter(holds)
        .map(|it| Member { id: it.id, group: it.group, name: it.name })
        .collect();
    for it in &holders {
        let pid = i32::try_from(it.id).ok().and_then(Pid::from_raw);
        // What has ended meanwhile is no error.
        let _ = pid.map(|pid| kill_process(pid, Signal::KILL));
    }
    // A process that was killed closes what it holds before it has ended.
    for _ in 0..ROUNDS_MAX {
        if !holders.iter().any(|it| linux::runs(it.id)) {
            break;
        }
        thread::sleep(ROUND);
    }
    holders
}

/// Not known here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn end_holders(_: &[u64]) -> Vec<Member> {
    Vec::new()
}

#[cfg(not(unix))]
impl Tree {
    /// The program itself is ended by its handle; what it has started is not known here.
    fn signal(&self, _: Urgency, _: bool) {
        let _ = self.leader;
    }
}

#[cfg(not(target_os = "linux"))]
impl Tree {
    /// Not known here.
    #[expect(clippy::unused_self, reason = "elsewhere it depends on the tree")]
    pub(crate) fn usage(&self) -> Usage {
        Usage::default()
    }

    /// Not known here.
    #[expect(clippy::unused_self, reason = "elsewhere it depends on the tree")]
    pub(crate) fn members(&self) -> Vec<Member> {
        Vec::new()
    }
}

#[cfg(target_os = "linux")]
impl Tree {
    /// What the processes use together.
    pub(crate) fn usage(&self) -> Usage {
        Usage::of(self.members().into_iter().map(|it| it.id))
    }

    /// The processes that are running, in the order of their numbers. A process that has ended does not count, even if
    /// its status was not collected yet.
    pub(crate) fn members(&self) -> Vec<Member> {
        let all = linux::processes();
        let own = std::process::id();
        let leads = |it: &linux::Process| it.id == self.leader || it.group == self.leader;
        let mut belong: std::collections::BTreeSet<u32> = all
            .iter()
            .filter(|it| match &self.belonging {
                Belonging::Descendants => it.parent == own,
                Belonging::Led => leads(it),
                Belonging::Marked(variable) => leads(it) || linux::has(it.id, variable),
            })
            .map(|it| it.id)
            .collect();
        belong.remove(&own);
        loop {
            let more: Vec<u32> = all
                .iter()
                .filter(|it| belong.contains(&it.parent) && it.id != own && !belong.contains(&it.id))
                .map(|it| it.id)
                .collect();
            if more.is_empty() {
                break;
            }
            belong.extend(more);
        }
        let running = all.into_iter().filter(|it| belong.contains(&it.id) && !it.has_ended);
        running.map(|it| Member { id: it.id, group: it.group, name: it.name }).collect()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    use super::super::in_own_group;
    use super::*;

    #[test]
    fn a_process_gets_a_signal_once() {
        let script = "sleep 100 & setsid sh -c 'echo; exec sleep 100' & wait";
        let mut command = Command::new("sh");
        in_own_group(command.args(["-c", script]).stdout(Stdio::piped()));
        let mut child = command.spawn().expect("a shell");
        let mut line = String::new();
        let out = child.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut line).expect("a line of the one that left");
        let tree = Tree::new(child.id(), Belonging::Led);
        let ids = |them: Vec<Member>| -> Vec<u32> { them.into_iter().map(|it| it.id).collect() };
        let (left, stayed): (Vec<Member>, Vec<Member>) =
            tree.members().into_iter().partition(|it| it.group != child.id());
        assert_eq!((left.len(), stayed.len()), (1, 2), "{left:?} {stayed:?}");
        let (left, stayed) = (ids(left), ids(stayed));
        assert_eq!(tree.others(true), left, "the group has the signal");
        let mut all = tree.others(false);
        all.retain(|it| !left.contains(it));
        assert_eq!(all, stayed, "without their group, each gets it by itself");
        tree.kill();
        child.wait().expect("it has ended");
        assert_eq!(tree.members(), []);
    }
}
