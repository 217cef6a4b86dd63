//! `balk check`: whether scenario files are valid, and if not, where the errors are.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::load;
use crate::error::Error;
use crate::exit::Exit;

/// Arguments of `balk check`.
#[derive(Args, Clone, Debug)]
pub struct Check {
    /// Scenario files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Check {
    /// Runs the command.
    ///
    /// # Errors
    /// An output that cannot be written. Invalid files are shown, and return their exit code.
    pub fn run(&self) -> Result<Exit, Error> {
        let mut exit = Exit::Fine;
        for path in &self.files {
            match load::file(path) {
                Ok(scenarios) => {
                    let names: Vec<&str> = scenarios.iter().map(|it| &*it.name).collect();
                    writeln!(std::io::stdout(), "{}: valid ({})", path.display(), names.join(", "))?;
                }
                Err(failure) => exit = failure.shown(),
            }
        }
        Ok(exit)
    }
}
