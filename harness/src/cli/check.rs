//! `balk check`: whether scenario files are valid, and if not, where the errors are; and what is doubtful in them.

use std::io::Write;
use std::path::{Path, PathBuf};

use balk_scenarios::format::{self, Diagnostic};
use balk_scenarios::toolsets;
use clap::Args;

use super::load::Failure;
use super::out;
use super::say::say;
use super::screen;
use crate::error::Error;
use crate::exit::Exit;
use crate::input;
use crate::warnings;

/// Arguments of `balk check`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Check {
    /// Scenario files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

const AFTER_HELP: &str = "\
A valid file may have warnings, which change no exit code:
- a name that nothing refers to: a phrase, a number, a pool or a field of it, a parameter, a fact
- a rule or a transition that never applies, and a state that is never reached
- an answer that fails and that the actor takes for a success, or the other way round
- a healthy actor that never does its task, or never once a certain call was refused: the command plays it";

impl Check {
    /// Runs the command.
    ///
    /// # Errors
    /// An output that cannot be written. Invalid files are shown, and return their exit code.
    pub fn run(&self) -> Result<Exit, Error> {
        let mut exit = Exit::Fine;
        for path in &self.files {
            match checked(path) {
                Ok((names, warnings)) => {
                    for warning in &warnings {
                        say(format_args!("{}\n", warning.render(screen::errors().colour)));
                    }
                    let counted: usize = warnings.iter().map(|it| it.count).sum();
                    let count = match counted {
                        0 => String::new(),
                        1 => ", 1 warning".to_owned(),
                        more => format!(", {more} warnings"),
                    };
                    writeln!(out::people(), "{}: valid ({names}){count}", path.display())?;
                }
                Err(failure) => exit = failure.shown(),
            }
        }
        Ok(exit)
    }
}

/// The names of the scenarios of a file, and the warnings about it.
fn checked(path: &Path) -> Result<(String, Vec<Diagnostic>), Failure> {
    let text = input::text(path)?;
    let checked = format::check(&path.display().to_string(), &text, toolsets::catalogue())?;
    let names: Vec<&str> = checked.scenarios.iter().map(|it| &*it.name).collect();
    let played = warnings::played(&checked);
    Ok((names.join(", "), checked.warnings.iter().cloned().chain(played).collect()))
}
