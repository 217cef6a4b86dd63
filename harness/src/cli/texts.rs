//! `balk texts`: how messages of real tools are read.

mod counts;
mod show;

use std::io::Write;

use balk_reports::report::document::{Document, markdown, terminal};
use clap::{Args, ValueEnum};

use super::out;
use super::screen;
use crate::error::Error;
use crate::exit::Exit;

use counts::Part;

/// Arguments of `balk texts`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Texts {
    /// Also list the open messages that are read wrong
    #[arg(long)]
    wrong: bool,

    /// How it is written
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
}

const AFTER_HELP: &str = "\
The messages are those of scenarios/texts. They are read by their text alone, as where a wire carries no status; a guard
that is told the status follows it. A third of the tools is reserve: the reading was not tuned on their messages, so
--wrong lists none of them.";

/// How the tables are written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// For a terminal
    Text,
    /// For documents, and for GitHub
    Markdown,
    /// For programs
    Json,
}

impl Texts {
    /// Runs the command.
    ///
    /// # Errors
    /// An output that cannot be written.
    pub fn run(&self) -> Result<Exit, Error> {
        let parts = [false, true].map(Part::read);
        let document = || {
            let mut blocks: Vec<_> = parts.iter().flat_map(show::part).collect();
            blocks.extend(self.wrong.then(show::wrong));
            Document { blocks }
        };
        let (mut out, text) = match self.format {
            Form::Text => (out::people(), terminal(&document(), screen::output())),
            Form::Markdown => (out::people(), markdown(&document())),
            Form::Json => (out::json(), show::json(&parts, self.wrong).map_err(std::io::Error::from)? + "\n"),
        };
        out.write_all(text.as_bytes())?;
        Ok(Exit::Fine)
    }
}
