//! The input of every command.

use std::path::Path;

use super::say::say;
use crate::config::{self, Config};
use crate::error::Error;
use crate::guards::Registry;

/// The input of every command.
#[derive(Clone, Debug)]
pub struct Context {
    /// All guards.
    pub registry: Registry,
}

impl Context {
    /// The settings of guards: from the named file or the nearest one, overridden by the environment.
    #[expect(
        clippy::disallowed_methods,
        reason = "three variables set the no-tools guard, as its field design has it"
    )]
    pub(super) fn config(&self, file: Option<&Path>) -> Result<Config, Error> {
        let nearby = match file {
            Some(_) => None,
            None => config::nearby(Path::new("."))?,
        };
        if let Some(path) = &nearby {
            say(format_args!("settings of guards: {}", path.display()));
        }
        Config::load(&self.registry, file.or(nearby.as_deref()), |name| std::env::var(name).ok())
    }
}
