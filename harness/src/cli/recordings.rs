//! Recorded transcripts on the command line: where they are, and facts that they lack.

use std::fmt::Display;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use balk_guards::Protocol;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;

use super::document;
use super::say::say;
use crate::bench::kept;
use crate::error::Error;
use crate::import::reading::Input;
use crate::import::{Format, Setting, ToolTable};
use crate::input;

/// The format of recordings.
#[derive(Args, Clone, Debug)]
pub(super) struct From {
    /// The format of all files [default: recognised by what they have inside]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(super) from: Option<Format>,
}

fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name))
        .map(|name| Format::named(&name).expect("only names are possible"))
}

/// Facts that recordings lack.
#[derive(Args, Clone, Debug)]
pub(super) struct Recordings {
    #[command(flatten)]
    pub(super) from: From,

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

/// The number of bad lines that are shown per file.
const BAD_LINES_SHOWN: u64 = 20;

/// The bad lines of the file that is being read. A file of nothing else may have millions.
#[derive(Default)]
pub(super) struct BadLines(u64);

impl BadLines {
    /// Says why a line cannot be used, unless enough others were shown.
    pub(super) fn add(&mut self, name: &str, line: u64, reason: &dyn Display) {
        self.0 += 1;
        if self.0 <= BAD_LINES_SHOWN {
            say(format_args!("{name}:{line}: {reason}"));
        }
    }

    /// Says how many more the file had that now ends.
    pub(super) fn end(&mut self, name: &str) {
        let more = std::mem::take(&mut self.0).saturating_sub(BAD_LINES_SHOWN);
        if more > 0 {
            say(format_args!("{name}: {more} more bad lines, not shown"));
        }
    }
}

/// The tool table in this file; without one, an empty one.
///
/// # Errors
/// The file cannot be read, or is no tool table.
pub(super) fn tool_table(file: Option<&Path>) -> Result<ToolTable, Error> {
    let Some(file) = file else { return Ok(ToolTable::default()) };
    let text = input::text(file)?;
    ToolTable::parse(&text).map_err(|error| {
        Error::file(file, "a table from tool names to effects", error.to_string().trim_end())
    })
}

/// A file that may have transcripts.
#[derive(Clone, Debug)]
pub(super) struct Sought {
    pub(super) path: PathBuf,
    /// Whether it may have something else: it was found in a folder, and its name does not say.
    pub(super) sought: bool,
}

/// The files that one argument names.
///
/// # Errors
/// A path that cannot be read, or a directory without files that may have transcripts.
pub(super) fn expand(input: &Path) -> Result<Vec<Sought>, Error> {
    let unreadable = |error: io::Error| Error::unreadable(input, &error);
    if document::is_standard(input) || !std::fs::metadata(input).map_err(unreadable)?.is_dir() {
        return Ok(vec![Sought { path: input.to_owned(), sought: false }]);
    }
    let mut files = Vec::new();
    let mut folders = vec![input.to_owned()];
    while let Some(folder) = folders.pop() {
        let unreadable = |error: io::Error| Error::unreadable(&folder, &error);
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if folder == input => return Err(unreadable(error)),
            // It is said where it is to be read, and the rest is read.
            Err(_) => {
                files.push(Sought { path: folder, sought: false });
                continue;
            }
        };
        for entry in entries {
            let entry = entry.map_err(unreadable)?;
            let path = entry.path();
            // The type is that of a link itself, so a link to a folder above makes no loop.
            if entry.file_type().map_err(unreadable)?.is_dir() {
                folders.push(path);
            } else if let Some(sought) = is_sought(&path) {
                if path.is_file() {
                    files.push(Sought { path, sought });
                } else if path.is_symlink() && !path.exists() {
                    say(format_args!("{}: left out: a link that leads nowhere", path.display()));
                }
            }
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    if files.is_empty() {
        let expected = format!("files with transcripts in this folder or below it ({})", ENDS.join(", "));
        return Err(Error::file(input, &expected, "none"));
    }
    Ok(files)
}

/// The ends of the names of files that may have transcripts; each may be followed by one of a packer.
const ENDS: [&str; 9] = [".jsonl", ".ndjson", ".json", ".traj", ".eval", ".log", ".ipynb", ".yaml", ".yml"];

/// Whether a file may have something else than transcripts; `None` if its name says that it has nothing of the kind.
fn is_sought(path: &Path) -> Option<bool> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = [".gz", ".zst"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    let end = ENDS.iter().position(|end| name.ends_with(end))?;
    Some(end > 0)
}

/// The files as inputs, opened one after the other; a bar shows how much of them is read.
pub(super) fn inputs<'a>(
    files: &'a [Sought],
    bar: &'a ProgressBar,
) -> impl Iterator<Item = Input<'static>> + 'a {
    files.iter().map(|Sought { path, sought }| {
        let content = open(path).unwrap_or_else(|error| Box::new(Unopened(Some(error))));
        Input { content: Box::new(bar.wrap_read(content)), sought: *sought }
    })
}

/// Opens a file, whose kept transcripts are as they were written, if it has such.
///
/// # Errors
/// It cannot be opened, or was changed.
pub(super) fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    kept::check(path)?;
    document::open(path)
}

/// A file that could not be opened: it breaks off before it begins.
struct Unopened(Option<io::Error>);

impl Read for Unopened {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// What to say about a file that breaks off.
pub(super) fn broken(path: &Path, after_line: u64, error: io::Error) -> Error {
    let name = document::name(path);
    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) {
        return Error::unreadable(name, &error);
    }
    let mut error = Error::file(name, "a file that can be read to its end", error)
        .hint("everything before was read; make or copy the file again");
    error.place = format!("after line {after_line}").into();
    error
}

/// What to say where recordings have nothing that can be used.
pub(super) fn nothing() -> Error {
    Error { file: None, ..Error::file(Path::new(""), "transcripts", "none") }
}

/// What to say where labels are of other runs than those that were read.
pub(super) fn not_of_these(labels: &Path) -> Error {
    Error::file(labels, "a judged point of one of these transcripts", "none")
        .hint("a run is found by its id alone: the first column, and `id` in `balk import`")
}

/// Files of no format that is known, as they come.
#[derive(Debug, Default)]
pub(super) struct Unknown {
    count: usize,
    first: Vec<String>,
}

/// How many of them are named.
const NAMED: usize = 5;

impl Unknown {
    pub(super) fn add(&mut self, path: &Path) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(path.display().to_string());
        }
    }

    /// Says how many there are, and names a few.
    pub(super) fn show(&self) {
        if self.count > 0 {
            let more = if self.count > NAMED { ", …" } else { "" };
            let (count, first) = (self.count, self.first.join(", "));
            let files = if count == 1 { "1 file is" } else { &format!("{count} files are") };
            say(format_args!("{files} of no format that is known: {first}{more}"));
        }
    }
}
