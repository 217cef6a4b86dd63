//! Other programs, with everything that they start.

use std::process::{Child, Command};

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
