//! The program, run from the outside.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

/// The program in this directory, with an empty standard input.
pub(crate) fn balk(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_balk"));
    command.current_dir(directory).args(arguments).stdin(Stdio::null());
    command
}

/// The result: exit code, standard output, standard error.
pub(crate) fn ran(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
    (status.code().expect("the program is not killed"), text(stdout), text(stderr))
}

/// The result, formatted for a snapshot.
pub(crate) fn whole(command: &mut Command) -> String {
    let (code, out, err) = ran(command);
    format!("exit code: {code}\n--- stdout\n{out}--- stderr\n{err}")
}

/// Waits until this holds. The number of looks (a minute in all) only bounds a test that fails.
pub(crate) fn wait_for(what: &str, holds: impl Fn() -> bool) {
    let held = (0..6_000).any(|_| {
        holds() || {
            thread::sleep(Duration::from_millis(10));
            false
        }
    });
    assert!(held, "{what}: it never came");
}
