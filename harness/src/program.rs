//! The name of the running program, for the commands that it prints.
//!
//! A program with other guards may have another name. Records and reports always say `balk`: their bytes must not
//! depend on the program that wrote them.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use balk_reports::records::quoted;

/// The name with which commands in records and reports start.
const IN_REPORTS: &str = "balk";

/// The name with which the program was started, without its folder.
#[must_use]
pub(crate) fn name() -> String {
    let started = std::env::args_os().next().map(PathBuf::from);
    let name = started.as_deref().and_then(Path::file_name).and_then(OsStr::to_str).unwrap_or(IN_REPORTS);
    name.strip_suffix(EXE_SUFFIX).unwrap_or(name).to_owned()
}

/// A command of this program.
#[must_use]
pub(crate) fn command(arguments: &str) -> String {
    format!("{} {arguments}", quoted(&name()))
}

/// A command from a record or a report, as a command of this program.
#[must_use]
pub(crate) fn own(reported: &str) -> String {
    let arguments = reported.strip_prefix(IN_REPORTS).and_then(|rest| rest.strip_prefix(' '));
    arguments.map_or_else(|| reported.to_owned(), command)
}

/// The command line of this process.
#[must_use]
pub(crate) fn command_line() -> String {
    command(&arguments())
}

/// The same in a record.
#[must_use]
pub(crate) fn reported_command_line() -> String {
    format!("{IN_REPORTS} {}", arguments())
}

fn arguments() -> String {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|it| quoted(&it.to_string_lossy())).collect();
    arguments.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_of_a_report_becomes_one_of_this_program() {
        assert_ne!(name(), "balk", "the tests have a program of their own");
        assert_eq!(own("balk report a"), format!("{} report a", name()));
        assert_eq!(own("balkan"), "balkan");
    }
}
