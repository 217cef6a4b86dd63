//! The file with the record of all runs.

use std::io::{self, Write as _};
use std::path::Path;

use balk_reports::records::crash::{CRASH_SCHEMA, Record};
use serde::Deserialize;

use crate::error::Error;
use crate::files::write_whole;
use crate::input;

/// The file of the record, in the folder of `balk crash --out`.
pub const RUNS: &str = "runs.json";

/// Writes the record into its folder.
///
/// # Errors
/// The file cannot be written; it is then unchanged.
pub fn write(folder: &Path, record: &Record) -> Result<(), Error> {
    let path = folder.join(RUNS);
    let json = serde_json::to_string_pretty(record).map_err(io::Error::from)?;
    write_whole(&path, |out| writeln!(out, "{json}"))
        .map_err(|error| Error::file(&path, "a writable file", error))
}

/// Reads the record of a folder.
///
/// # Errors
/// There is none, it cannot be read, or it is of another version.
pub fn read(folder: &Path) -> Result<Record, Error> {
    /// A record of any version.
    #[derive(Deserialize)]
    struct Versioned {
        schema: u32,
    }
    let expected = format!("the record of `balk crash`: {{\"schema\": {CRASH_SCHEMA}, …}}");
    let path = folder.join(RUNS);
    let text = input::bytes(&path)?;
    let bad = |error: serde_json::Error| Error::file(&path, &expected, error);
    let Versioned { schema } = serde_json::from_slice(&text).map_err(bad)?;
    if schema != CRASH_SCHEMA {
        return Err(Error::file(&path, &format!("version {CRASH_SCHEMA} of the format"), schema)
            .hint("another version of this program wrote the file: play the runs again"));
    }
    serde_json::from_slice(&text).map_err(bad)
}
