//! The program's own command line, for shells and manual pages.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use balk_scenarios::catalogue::CATALOGUE;
use clap::Command;
use clap::builder::PossibleValuesParser;

use super::load;
use crate::guards::{DEFAULT, NONE, Registered, Registry};

/// The name with which the program was started, without its folder.
pub(super) fn name() -> String {
    let started = std::env::args_os().next().map(PathBuf::from);
    let stem = started.as_deref().and_then(Path::file_stem).and_then(OsStr::to_str);
    stem.unwrap_or("balk").to_owned()
}

/// The command line with the names that are worth completing: guards, scenarios and suites. It is for description
/// only and must not parse: the options accept more than these names.
pub(super) fn with_names(program: Command, registry: &Registry) -> Command {
    let guards: Vec<String> = [NONE, DEFAULT]
        .into_iter()
        .chain(registry.guards().map(Registered::name))
        .map(str::to_owned)
        .collect();
    let scenarios: Vec<&'static str> = CATALOGUE.iter().map(|it| it.name).collect();
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
