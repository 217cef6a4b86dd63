//! `balk init`: a new scenario file to start from.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use balk_reports::records::quoted;
use balk_scenarios::format::template_of;
use clap::Args;

use super::out;
use crate::error::Error;
use crate::exit::Exit;
use crate::files;
use crate::program;

/// Arguments of `balk init`.
#[derive(Args, Clone, Debug)]
pub struct Init {
    /// The name of the file and of its stubborn scenario, in kebab-case; the healthy one is NAME-control
    name: String,

    /// The folder to write to
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
}

impl Init {
    /// Runs the command.
    ///
    /// # Errors
    /// An invalid name, a file that already exists, a folder that cannot be written to.
    pub fn run(&self) -> Result<Exit, Error> {
        let kebab = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        };
        if !self.name.split('-').all(kebab) {
            return Err(Error::usage(
                "NAME",
                "a name in kebab-case, as in slow-build",
                format!("`{}`", self.name),
            ));
        }
        let path = self.dir.join(format!("{}.toml", self.name));
        if path.symlink_metadata().is_ok() {
            return Err(Error::exists(&path).hint("use another name, or move the file"));
        }
        let text = template_of(&self.name);
        files::write_new(&path, |out| out.write_all(text.as_bytes()))
            .map_err(|error| unwritable(&path, &error))?;
        let mut out = out::people();
        let shown = quoted(&path.display().to_string());
        let healthy = quoted(&format!("{}#{}-control", path.display(), self.name));
        writeln!(out, "wrote {}", path.display())?;
        writeln!(out, "\nnext: {}", program::command(&format!("check {shown}")))?;
        writeln!(out, "      {}", program::command(&format!("scenario {shown}")))?;
        writeln!(out, "      {}", program::command(&format!("scenario {healthy}")))?;
        Ok(Exit::Fine)
    }
}

/// The error itself names a temporary file, which means nothing to the user.
fn unwritable(path: &Path, error: &io::Error) -> Error {
    let kind = error.kind();
    let found = if kind == ErrorKind::NotFound { "none".to_owned() } else { kind.to_string() };
    Error::file(path, "a folder that can be written to", found)
}
