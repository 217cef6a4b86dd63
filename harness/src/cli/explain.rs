//! `balk explain`: explains a document and what follows from it.

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
    /// An invalid document, an output that cannot be written.
    pub fn run(&self) -> Result<Exit, Error> {
        match &self.what {
            What::Retry(it) => it.run(),
            What::Gap(it) => it.run(),
        }
    }
}
