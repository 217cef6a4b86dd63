//! The command line: one module a subcommand. Data goes to standard output, all else to standard error.

mod replay;

use std::io::Write as _;

use clap::{Parser, Subcommand};

use crate::error::Error;
use crate::exit::Exit;

pub use replay::Replay;

/// A deterministic crash-test bench for agent loops.
#[derive(Debug, Parser)]
#[command(name = "balk", version, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 fine, 1 unexpected error, 2 usage, 3 a file is bad, 4 an expectation does not hold,
5 a safety rule was broken, 6 guard fault, 7 not deterministic";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Ask what guards would have done in recorded transcripts
    Replay(Replay),
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    /// Whatever kept it from doing its work; the error says how the program ends.
    pub fn run(&self) -> Result<Exit, Error> {
        match self {
            Self::Replay(it) => it.run(),
        }
    }
}

/// Says on standard error what went wrong.
pub fn complain(error: &Error) {
    say(format_args!("error: {error}"));
}

/// One line on standard error.
fn say(text: std::fmt::Arguments) {
    // Nobody is left to tell where standard error cannot be written.
    let _ = writeln!(std::io::stderr(), "{text}");
}
