//! `balk completions`: a script that completes the command line in a shell.

use std::io::Write as _;

use balk_scenarios::catalogue;
use clap::builder::PossibleValuesParser;
use clap::{Args, Command};
use clap_complete::Shell;

use super::context::Context;
use super::load;
use super::out;
use crate::error::Error;
use crate::exit::Exit;
use crate::guards::{DEFAULT, NONE, Registered, Registry};
use crate::program;

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
        let name = program::name();
        if !name.bytes().all(|it| it.is_ascii_alphanumeric() || b"._-".contains(&it)) {
            let expected = "a program whose name is a word of the shell (letters, digits, `.`, `_`, `-`)";
            return Err(Error::usage("completions", expected, format!("`{name}`")).hint("rename the program"));
        }
        let mut program = with_names(program, &context.registry);
        // The generator panics if it cannot write, so it writes to a buffer.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, name, &mut script);
        out::data().write_all(&script)?;
        Ok(Exit::Fine)
    }
}

/// The command line with the names that are worth completing: guards, scenarios and suites. It is for description
/// only and must not parse: the options accept more than these names.
fn with_names(program: Command, registry: &Registry) -> Command {
    let guards: Vec<String> = [NONE, DEFAULT]
        .into_iter()
        .chain(registry.guards().map(Registered::name))
        .map(str::to_owned)
        .collect();
    let scenarios: Vec<&'static str> = catalogue::listed().map(|it| it.name).collect();
    let suites = [&load::SUITES[..], &scenarios].concat();
    program.mut_subcommands(|command| {
        command.mut_args(|argument| match argument.get_id().as_str() {
            "guard" => argument.value_parser(PossibleValuesParser::new(guards.clone())),
            "suite" => argument.value_parser(PossibleValuesParser::new(suites.clone())),
            "target" => argument.value_parser(PossibleValuesParser::new(scenarios.clone())),
            _ => argument,
        })
    })
}
