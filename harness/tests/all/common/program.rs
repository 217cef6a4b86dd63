//! The program, run from the outside.

use std::path::Path;
use std::process::{Command, Output, Stdio};

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
