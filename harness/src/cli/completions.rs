//! `balk completions`: a script that completes the command line in a shell.

use std::io::Write as _;

use clap::{Args, Command};
use clap_complete::Shell;

use super::context::Context;
use super::program;
use crate::error::Error;
use crate::exit::Exit;

/// Arguments of `balk completions`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Completions {
    /// The shell that reads the script
    #[arg(value_enum)]
    shell: Shell,
}

const AFTER_HELP: &str = "\
The script completes commands, options, and the names of guards, scenarios and suites. To install it:
  bash  balk completions bash > ~/.local/share/bash-completion/completions/balk
  zsh   balk completions zsh > DIR/_balk, where DIR is one of $fpath
  fish  balk completions fish > ~/.config/fish/completions/balk.fish";

impl Completions {
    /// Runs the command.
    ///
    /// # Errors
    /// An output that cannot be written.
    pub fn run(&self, program: Command, context: &Context) -> Result<Exit, Error> {
        let mut program = program::with_names(program, &context.registry);
        // The generator panics if it cannot write, so it writes to a buffer.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, program::name(), &mut script);
        std::io::stdout().lock().write_all(&script)?;
        Ok(Exit::Fine)
    }
}
