//! Ends a child whose parent has ended without doing so: by a second Ctrl-C, or killed.

use std::io::{self, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};

use super::{end, in_own_group};

/// A shell that reads from a pipe of this program. If the pipe ends before a line has come, it kills the group of the
/// child.
pub(crate) struct Watchdog {
    shell: Child,
    pipe: ChildStdin,
}

const SCRIPT: &str = r#"read -r _ || kill -s KILL -- "-$0""#;

impl Watchdog {
    /// A watchdog over a child that leads a group.
    ///
    /// # Errors
    /// Why there is none. The child is ended then: nothing would end it after this program.
    pub(crate) fn over(child: &mut Child) -> io::Result<Self> {
        Self::by("sh", child)
    }

    fn by(shell: &str, child: &mut Child) -> io::Result<Self> {
        let mut command = Command::new(shell);
        command.args(["-c", SCRIPT, &child.id().to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        match in_own_group(&mut command).spawn() {
            Ok(mut shell) => {
                let pipe = shell.stdin.take().expect("it is a pipe");
                Ok(Self { shell, pipe })
            }
            Err(error) => {
                end(child);
                Err(error)
            }
        }
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// As where the system has no process left.
    #[test]
    fn a_program_that_nothing_watches_over_is_ended() {
        let mut command = Command::new("sleep");
        let mut child = in_own_group(command.arg("1000")).spawn().expect("there is one");
        let error = Watchdog::by("/no/such/shell", &mut child).err().expect("there is no watchdog");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(child.try_wait().expect("its status").is_some(), "it has ended, and is no zombie");
    }
}
