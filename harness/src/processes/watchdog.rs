//! Ends a child whose parent has ended without doing so: by a second Ctrl-C, or killed.

use std::io::Write as _;
use std::process::{Child, ChildStdin, Command, Stdio};

use super::in_own_group;

/// A shell that reads from a pipe of this program. If the pipe ends before a line has come, it kills the group of the
/// child.
pub(crate) struct Watchdog {
    shell: Child,
    pipe: ChildStdin,
}

const SCRIPT: &str = r#"read -r _ || kill -s KILL -- "-$0""#;

impl Watchdog {
    /// A watchdog over a child that leads a group; none where there is no shell.
    pub(crate) fn over(child: &Child) -> Option<Self> {
        let mut shell = Command::new("sh");
        shell.args(["-c", SCRIPT, &child.id().to_string()]);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut shell = in_own_group(&mut shell).spawn().ok()?;
        let pipe = shell.stdin.take()?;
        Some(Self { shell, pipe })
    }

    /// The child has ended.
    pub(crate) fn leaves(self) {
        let Self { mut shell, mut pipe } = self;
        // A shell that was killed is gone as well.
        let _ = pipe.write_all(b"\n");
        drop(pipe);
        let _ = shell.wait();
    }
}
