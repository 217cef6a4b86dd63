//! The event log of a run: one JSON object per line, each written whole as it happens.
//!
//! Entries look as they do in the record. If a handoff was built, a `capability_gap` event follows the conclusion
//! (spec H4): the chat does not show the failure, and the log always does.

use std::io::{self, Write};
use std::path::Path;

use balk_reports::records::{EntryRecord, GapReport, GapRun};
use serde::Serialize;

use crate::error::Error;
use crate::files::{self, Growing};

/// An event log.
pub(super) struct Events {
    file: Growing,
    run: GapRun,
    before: Vec<EntryRecord>,
}

/// An event that is not an entry.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event {
    CapabilityGap { report: GapReport },
}

impl Events {
    /// Creates the log of this run: a new file, or a device or pipe that takes it.
    ///
    /// # Errors
    /// A file that is there, or cannot be made.
    pub(super) fn new(path: &Path, run: GapRun) -> Result<Self, Error> {
        let file = files::grow_new(path).map_err(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                Error::exists(path).hint("name another file, or move this one")
            } else {
                Error::file(path, "a new file in a folder that is there", error)
            }
        })?;
        Ok(Self { file, run, before: Vec::new() })
    }

    /// Logs one entry.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn entry(&mut self, entry: EntryRecord) -> Result<(), Error> {
        self.lines(&entry).map_err(|error| {
            let path = self.file.path();
            let remove = if files::is_stream(path) { "" } else { "remove the file, and " };
            let hint = format!("{remove}run again {}", files::way_out(&error));
            Error::file(path, "a file that can be written", error).hint(&hint)
        })?;
        self.before.push(entry);
        Ok(())
    }

    /// Writes the lines of an entry.
    fn lines(&mut self, entry: &EntryRecord) -> io::Result<()> {
        self.line(entry)?;
        if let EntryRecord::Conclusion(conclusion) = entry
            && let Some(report) = GapReport::new(&self.run, &self.before, conclusion)
        {
            self.line(&Event::CapabilityGap { report })?;
        }
        Ok(())
    }

    /// Writes one line with one call, so that a killed run leaves whole lines.
    fn line(&mut self, value: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        self.file.write_all(&line)
    }
}
