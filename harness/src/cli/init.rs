//! `balk init`: a new scenario and its twin to start from.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use balk_reports::records::quoted;
use balk_scenarios::Kind;
use balk_scenarios::format::template_of;
use clap::Args;

use crate::error::Error;
use crate::exit::Exit;
use crate::program;

/// Arguments of `balk init`.
#[derive(Args, Clone, Debug)]
pub struct Init {
    /// The scenario's name, in kebab-case; its twin is NAME-control
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
        let files = [Kind::Stubborn, Kind::Control].map(|kind| {
            let name = match kind {
                Kind::Stubborn => format!("{}.toml", self.name),
                Kind::Control => format!("{}-control.toml", self.name),
            };
            (self.dir.join(name), template_of(&self.name, kind))
        });
        if let Some((path, _)) = files.iter().find(|(path, _)| path.exists()) {
            return Err(Error::exists(path).hint("use another name, or move the file"));
        }
        let mut out = std::io::stdout().lock();
        for (path, text) in &files {
            create(path, text)?;
            writeln!(out, "wrote {}", path.display())?;
        }
        let [(stubborn, _), (control, _)] = &files;
        let [stubborn, control] = [stubborn, control].map(|path| quoted(&path.display().to_string()));
        writeln!(out, "\nnext: {}", program::command(&format!("check {stubborn} {control}")))?;
        writeln!(out, "      {}", program::command(&format!("scenario {stubborn}")))?;
        Ok(Exit::Fine)
    }
}

/// Writes a new file whole or not at all, and never replaces one.
fn create(path: &Path, text: &str) -> Result<(), Error> {
    // The error itself names a temporary file, which means nothing to the user.
    let unwritable = |error: std::io::Error| {
        let kind = error.kind();
        let found = if kind == ErrorKind::NotFound { "none".to_owned() } else { kind.to_string() };
        Error::file(path, "a folder that can be written to", found)
    };
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(unwritable)?;
    file.write_all(text.as_bytes()).map_err(unwritable)?;
    file.persist_noclobber(path).map_err(|error| unwritable(error.error))?;
    Ok(())
}
