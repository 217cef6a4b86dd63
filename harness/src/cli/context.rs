//! What every command is given.

use std::path::Path;

use super::say::say;
use crate::config::{self, Config};
use crate::error::Error;
use crate::guards::Registry;

/// What every command is given.
#[derive(Clone, Debug)]
pub struct Context {
    /// The guards that there are.
    pub registry: Registry,
}

impl Context {
    /// The settings of guards: from the file that is named or the one nearby, and from the environment above it.
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
