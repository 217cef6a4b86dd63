//! Recorded transcripts on the command line: where they are, and facts that they lack.

use std::path::{Path, PathBuf};

use balk_guards::Protocol;
use clap::{Args, ValueEnum};

use super::document;
use crate::error::Error;
use crate::replay::{Setting, ToolTable};

/// Facts that recordings lack.
#[derive(Args, Clone, Debug)]
pub(super) struct Recordings {
    /// A TOML table from tool names or patterns (`*`, `?`) to what a call can change. Without it, effects are unknown
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,

    /// How a task ends in the recorded agents
    #[arg(long, value_enum, default_value_t = Ends::Text)]
    protocol: Ends,
}

/// How a task ends.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Ends {
    /// By a message without a call
    Text,
    /// By a tool
    Tool,
}

impl Recordings {
    /// These facts, as the replay needs them.
    ///
    /// # Errors
    /// An invalid tool table.
    pub(super) fn setting(&self) -> Result<Setting, Error> {
        let protocol = match self.protocol {
            Ends::Text => Protocol::Text,
            Ends::Tool => Protocol::Tool,
        };
        let Some(file) = &self.tools else { return Ok(Setting { protocol, tools: ToolTable::default() }) };
        let text = std::fs::read_to_string(file)
            .map_err(|error| Error::file(file, "a readable tool table", error))?;
        let tools = ToolTable::parse(&text).map_err(|error| {
            Error::file(file, "a table from tool names to effects", error.to_string().trim_end())
        })?;
        Ok(Setting { protocol, tools })
    }
}

/// The transcripts that one argument names.
///
/// # Errors
/// A path that cannot be read, or a directory without transcripts.
pub(super) fn expand(input: &Path) -> Result<Vec<PathBuf>, Error> {
    let unreadable = |error| Error::file(input, "a readable file or directory", error);
    if document::is_stdin(input) || !std::fs::metadata(input).map_err(unreadable)?.is_dir() {
        return Ok(vec![input.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(input).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if [".jsonl", ".jsonl.gz", ".jsonl.zst"].iter().any(|end| name.ends_with(end)) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(Error::file(input, "`*.jsonl`, `*.jsonl.gz` or `*.jsonl.zst` in this directory", "none"));
    }
    Ok(files)
}
