//! `balk explain`: what a document says, and what follows from it.

mod gap;
mod retry;

use clap::{Args, Subcommand};

use crate::error::Error;
use crate::exit::Exit;

/// Arguments of `balk explain`.
#[derive(Args, Clone, Debug)]
pub struct Explain {
    /// What to explain
    #[command(subcommand)]
    what: What,
}

#[derive(Clone, Debug, Subcommand)]
enum What {
    /// Whether a broken attempt may be made again, and why
    Retry(retry::Retry),
    /// What an agent lacked in a run, and how to report it
    Gap(gap::Gap),
}

impl Explain {
    /// Runs the command.
    ///
    /// # Errors
    /// A document that is bad, an output that takes no more.
    pub fn run(&self) -> Result<Exit, Error> {
        match &self.what {
            What::Retry(it) => it.run(),
            What::Gap(it) => it.run(),
        }
    }
}
