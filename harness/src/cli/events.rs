//! The event log of a run: one JSON object a line, each written as it happens and whole.
//!
//! Entries stand in it as they stand in the record. Where a handoff was built, a `capability_gap` event follows
//! the conclusion (spec H4): the chat does not show the failure, and the log never loses it.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use balk_reports::records::{EntryRecord, GapReport, GapRun};
use serde::Serialize;

use crate::error::Error;

/// An event log.
pub(super) struct Events {
    file: File,
    run: GapRun,
    before: Vec<EntryRecord>,
}

/// Something that is no entry.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event {
    CapabilityGap { report: GapReport },
}

impl Events {
    /// A new log of this run, in place of what stood in the file.
    ///
    /// # Errors
    /// A file that cannot be written to.
    pub(super) fn new(path: &Path, run: GapRun) -> Result<Self, Error> {
        let file =
            File::create(path).map_err(|error| Error::file(path, "a file that can be written to", error))?;
        Ok(Self { file, run, before: Vec::new() })
    }

    /// Takes one entry down.
    ///
    /// # Errors
    /// A file that takes no more.
    pub(super) fn entry(&mut self, entry: EntryRecord) -> io::Result<()> {
        self.line(&entry)?;
        if let EntryRecord::Conclusion(conclusion) = &entry
            && let Some(report) = GapReport::new(&self.run, &self.before, conclusion)
        {
            self.line(&Event::CapabilityGap { report })?;
        }
        self.before.push(entry);
        Ok(())
    }

    /// One write a line, so that a run that is killed leaves whole lines.
    fn line(&mut self, value: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        self.file.write_all(&line)
    }
}
