//! Recorded transcripts on the command line: where they are, and facts that they lack.

use std::io;
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
        Ok(Setting { protocol, tools: tool_table(self.tools.as_deref())? })
    }
}

/// The tool table in this file; without one, an empty one.
///
/// # Errors
/// The file cannot be read, or is no tool table.
pub(super) fn tool_table(file: Option<&Path>) -> Result<ToolTable, Error> {
    let Some(file) = file else { return Ok(ToolTable::default()) };
    let text =
        std::fs::read_to_string(file).map_err(|error| Error::file(file, "a readable tool table", error))?;
    ToolTable::parse(&text).map_err(|error| {
        Error::file(file, "a table from tool names to effects", error.to_string().trim_end())
    })
}

/// The transcripts that one argument names.
///
/// # Errors
/// A path that cannot be read, or a directory without transcripts.
pub(super) fn expand(input: &Path) -> Result<Vec<PathBuf>, Error> {
    let unreadable = |error: io::Error| Error::unreadable(input, &error);
    if document::is_stdin(input) || !std::fs::metadata(input).map_err(unreadable)?.is_dir() {
        return Ok(vec![input.to_owned()]);
    }
    let mut files = Vec::new();
    let mut folders = vec![input.to_owned()];
    while let Some(folder) = folders.pop() {
        let unreadable = |error: io::Error| Error::unreadable(&folder, &error);
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let path = entry.path();
            // The type is that of a link itself, so a link to a folder above makes no loop.
            if entry.file_type().map_err(unreadable)?.is_dir() {
                folders.push(path);
            } else if is_recording(&path) && path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(Error::file(
            input,
            "`*.jsonl`, `*.jsonl.gz` or `*.jsonl.zst` in this folder or below it",
            "none",
        ));
    }
    Ok(files)
}

/// Whether the name is that of recorded transcripts.
fn is_recording(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    [".jsonl", ".jsonl.gz", ".jsonl.zst"].iter().any(|end| name.ends_with(end))
}
