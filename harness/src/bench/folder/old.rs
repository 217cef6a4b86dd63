//! Makes the folder of an older version new: seals its record and its kept transcripts.

use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use balk_reports::records::Bench;

use super::kept::{below, damaged};
use super::{Folder, RECORD, bad_record, unwritable};
use crate::bench::transcripts::Transcripts;
use crate::error::Error;
use crate::files;
use crate::input;
use crate::lock::Lock;

impl Folder {
    /// Makes a folder of version 2 one of today. What it has stays the same, but for the paths that its plan had.
    /// Returns whether it was of version 2.
    ///
    /// The record is written last: as long as it is old, this can be done again.
    ///
    /// # Errors
    /// Another run writes to it, or a file cannot be read or written.
    pub fn renew(path: &Path) -> Result<bool, Error> {
        if !path.join(RECORD).exists() || Self::open(path).is_ok() {
            return Ok(false);
        }
        let folder = Self { path: path.to_owned(), _lock: Some(Arc::new(Lock::take(path)?)) };
        let record = path.join(RECORD);
        let file =
            input::open_own(&record).map_err(|error| Error::file(&record, "the record of a bench", error))?;
        let bench = Bench::read_old(BufReader::new(file)).map_err(|bad| bad_record(&record, bad))?;
        for scenario in folder.scenarios()? {
            for file in below(&scenario)?.iter().filter(|it| !files::is_left_over(it)) {
                let bytes = input::kept(file)?.unwrap_or_default();
                if Transcripts::is_old(&bytes) {
                    let transcripts =
                        Transcripts::parse_old(&bytes).map_err(|damage| damaged(file, damage))?;
                    files::write_own(file, |out| transcripts.write(out))
                        .map_err(|error| unwritable(file, error))?;
                }
            }
        }
        folder.write(&bench).map(|()| true)
    }
}
