//! `--set-from`: a file of measured reactions, in every command that plays scripted actors.

use std::path::PathBuf;

use balk_reports::records::quoted;
use balk_scenarios::Reactions;
use balk_scenarios::reactions::{self, Measured};
use clap::Args;

use super::load::Failure;
use crate::input;

/// The option.
#[derive(Args, Clone, Debug)]
pub(super) struct SetFrom {
    /// A TOML file with measured reactions of a model. In every scenario they replace the reactions of the profile or
    /// of the population; the format is in docs/reactions-file.md
    #[arg(long = "set-from", value_name = "FILE")]
    file: Option<PathBuf>,
}

impl SetFrom {
    /// The reactions in the file, if one is named.
    pub(super) fn read(&self) -> Result<Option<Measured>, Failure> {
        let Some(path) = &self.file else { return Ok(None) };
        let text = input::text(path)?;
        Ok(Some(reactions::parse(&path.display().to_string(), &text)?))
    }

    /// All numbers of the reactions in the file, if one is named.
    pub(super) fn reactions(&self) -> Result<Option<Reactions>, Failure> {
        Ok(self.read()?.map(|it| it.reactions()))
    }

    /// The file, as on the command line.
    pub(super) fn file(&self) -> Option<String> {
        self.file.as_ref().map(|it| it.display().to_string())
    }

    /// The name of the file, without its folder.
    pub(super) fn file_name(&self) -> Option<String> {
        self.file.as_ref().and_then(|it| it.file_name()).map(|it| it.to_string_lossy().into_owned())
    }

    /// The option in a command that does the same again, with a space before it.
    pub(super) fn again(&self) -> String {
        self.file().map_or_else(String::new, |it| format!(" --set-from {}", quoted(&it)))
    }
}
