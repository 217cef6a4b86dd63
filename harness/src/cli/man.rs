//! `balk man`: the manual pages.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use balk_reports::records::quoted;
use clap::{Args, Command};

use super::out;
use crate::error::Error;
use crate::exit::Exit;
use crate::files;
use crate::program;

/// Arguments of `balk man`.
#[derive(Args, Clone, Debug)]
pub struct Man {
    /// The folder for the pages, one for the program and one for each command
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Man {
    /// Runs the command.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub fn run(&self, program: Command) -> Result<Exit, Error> {
        let unwritable = |error: io::Error| Error::file(&self.out, "a folder that can be written to", error);
        let name = program::name();
        files::make_folder(&self.out).map_err(unwritable)?;
        files::clear_left_over(&self.out);
        // Each page is there whole or not at all.
        let pages = tempfile::tempdir().map_err(unwritable)?;
        clap_mangen::generate_to(program.name(&name).bin_name(&name), pages.path()).map_err(unwritable)?;
        for page in fs::read_dir(pages.path())? {
            let page = page?;
            let to = self.out.join(page.file_name());
            files::copy(&page.path(), &to)
                .map_err(|error| Error::file(&to, "a file that can be written", error))?;
        }
        let first = self.out.join(format!("{name}.1"));
        writeln!(out::people(), "wrote {}, and a page for each command", first.display())?;
        writeln!(out::people(), "\nnext: man -l {}", quoted(&first.display().to_string()))?;
        Ok(Exit::Fine)
    }
}
