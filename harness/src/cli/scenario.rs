//! `balk scenario`: one trial as a transcript, or many as counts.

mod args;
mod exit;
mod many;
mod one;

use clap::Args;

use super::context::Context;
use super::load::{self, Named};
use crate::error::Error;
use crate::exit::Exit;

/// Arguments of `balk scenario`.
#[derive(Args, Clone, Debug)]
pub struct Scenario {
    #[command(flatten)]
    asked: args::Asked,
}

impl Scenario {
    /// Runs the command.
    ///
    /// # Errors
    /// An invalid command line, an output that cannot be written. An invalid file is shown, and returns its exit
    /// code.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        let Self { asked } = self;
        load::check_once(&asked.set)?;
        let worlds = match Named::one(&asked.target)?.read(&asked.set) {
            Ok(worlds) => worlds,
            Err(failure) => return failure.or_exit(),
        };
        let reactions = match asked.set_from.reactions() {
            Ok(reactions) => reactions,
            Err(failure) => return failure.or_exit(),
        };
        match &asked.seeds {
            Some(seeds) => asked.many(context, &worlds, reactions, seeds.clone()),
            None => asked.one(context, &worlds.scenario(asked.seed, asked.pools()), reactions),
        }
    }
}
