//! The name of the running program, for the commands that it prints.
//!
//! A program with other guards may have another name. Records and reports always say `balk`: their bytes must not
//! depend on the program that wrote them.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use balk_reports::records::quoted;
use balk_scenarios::agents::Template;

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
    command(&arguments().map(|it| quoted(&it)).collect::<Vec<_>>().join(" "))
}

/// The same in a record, where files and folders have their names without the folders that they are in: others read it.
#[must_use]
pub(crate) fn reported_command_line() -> String {
    let arguments: Vec<String> = arguments().map(|it| quoted(&without_folders(&it))).collect();
    format!("{IN_REPORTS} {}", arguments.join(" "))
}

fn arguments() -> impl Iterator<Item = String> {
    without_secrets(std::env::args_os().skip(1).map(|it| it.to_string_lossy().into_owned()))
}

/// Arguments in which neither a token nor the value of a variable is named: others read them. The holes of a value say
/// nothing of a person.
fn without_secrets(arguments: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    let mut before = String::new();
    arguments.map(move |argument| {
        let (option, value) = match argument.split_once('=') {
            Some((option, value)) if option.starts_with("--") => (option, value),
            Some(_) | None => (&*before, &*argument),
        };
        let at = argument.len() - value.len();
        let shown = match (option, value.split_once('=')) {
            ("--token", _) => "…".to_owned(),
            ("--env", Some((name, value))) => format!("{name}={}", masked(value)),
            _ => value.to_owned(),
        };
        let shown = format!("{}{shown}", &argument[..at]);
        before = argument;
        shown
    })
}

/// The value of a variable, of which nothing is shown but its holes. One with an unknown hole is refused elsewhere.
fn masked(value: &str) -> String {
    Template::read(value).map_or_else(|_| "…".to_owned(), |it| it.masked("…"))
}

/// An argument in which every path that leads to something, or begins at the root, is its last part alone. A path may
/// come after an option (`--out=DIR`), in a list, and before the name of a scenario (`FILE#NAME`).
fn without_folders(argument: &str) -> String {
    let plain = |part: &str| {
        let (path, name) = part.split_once('#').unwrap_or((part, ""));
        let path_of = Path::new(path);
        let last = path_of.file_name().and_then(OsStr::to_str).unwrap_or(path);
        // A command with a path in it is none.
        let is_path = path_of.exists() || (path_of.is_absolute() && !path.contains(char::is_whitespace));
        if last == path || !is_path {
            return part.to_owned();
        }
        if name.is_empty() { last.to_owned() } else { format!("{last}#{name}") }
    };
    let (option, value) = match argument.split_once('=') {
        Some((option, value)) if option.starts_with("--") => (format!("{option}="), value),
        Some(_) | None => (String::new(), argument),
    };
    option + &value.split(',').map(plain).collect::<Vec<_>>().join(",")
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

    #[test]
    fn a_command_that_others_read_has_no_secrets() {
        let typed =
            ["serve", "--token", "s3cret", "--token=s3cret", "--env", "KEY=s3cret", "--env=KEY=s3cret"];
        let shown: Vec<String> = without_secrets(typed.iter().map(|it| it.to_string())).collect();
        let expected = ["serve", "--token", "…", "--token=…", "--env", "KEY=…", "--env=KEY=…"];
        assert_eq!(shown, expected);
    }

    #[test]
    fn of_the_value_of_a_variable_only_its_holes_are_shown() {
        for (typed, expected) in [
            ("URL={url}", "URL={url}"),
            ("URL={url}/v1?key=s3cret", "URL={url}…"),
            ("URL=https://me:s3cret@{url}{home}/v1/{task}", "URL=…{url}{home}…{task}"),
            ("X={\"apiKey\":\"s3cret\"}", "X=…"),
            ("X={\"apiKey\":\"s3cret\",\"url\":\"{url}\"}", "X=…{url}…"),
            ("X={s3cret}{url}", "X=…{url}"),
            ("X={secret}{url}", "X=…"),
            ("X={s3cret", "X=…"),
        ] {
            let typed =
                ["--env".to_owned(), typed.to_owned(), format!("--env={typed}"), "KEY=plain".to_owned()];
            let shown: Vec<String> = without_secrets(typed.into_iter()).collect();
            assert_eq!(shown, ["--env", expected, &format!("--env={expected}"), "KEY=plain"]);
        }
    }

    #[test]
    fn a_command_in_a_record_has_no_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("slow.toml");
        crate::files::write_passing(&file, "").expect("a file");
        let file = file.display();
        for (typed, reported) in [
            (format!("{file}"), "slow.toml"),
            (format!("paging,{file}#slow,drawn/debug"), "paging,slow.toml#slow,drawn/debug"),
            (format!("--suite={file}"), "--suite=slow.toml"),
            ("/home/me/gone".to_owned(), "gone"),
            ("/home/me/agent {task}".to_owned(), "/home/me/agent {task}"),
            ("exec:python3 /home/me/guard.py".to_owned(), "exec:python3 /home/me/guard.py"),
        ] {
            assert_eq!(without_folders(&typed), reported);
        }
    }
}
