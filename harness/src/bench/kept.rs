//! Checks files of kept transcripts before others read them as what they also are: files packed with zstd.

use std::io::{self, Read as _};
use std::path::Path;

use super::transcripts::Transcripts;
use crate::input::{self, KEPT_MAX};

/// So many bytes say whether a file has kept transcripts.
const BEGINNING: usize = 8;

/// Compares the checksums of a file, if it has kept transcripts.
///
/// # Errors
/// It cannot be read, or is not as it was written.
pub(crate) fn check(path: &Path) -> io::Result<()> {
    if !path.is_file() {
        return Ok(());
    }
    let mut file = input::open(path)?;
    let mut bytes = Vec::with_capacity(BEGINNING);
    file.by_ref().take(BEGINNING as u64).read_to_end(&mut bytes)?;
    if !Transcripts::is_kept(&bytes) {
        return Ok(());
    }
    file.take(KEPT_MAX).read_to_end(&mut bytes)?;
    let bad = |found: String| io::Error::new(io::ErrorKind::InvalidData, found);
    if bytes.len() as u64 > KEPT_MAX {
        return Err(bad(format!("kept transcripts of more than {} MiB", KEPT_MAX >> 20)));
    }
    Transcripts::parse(&bytes).map(|_| ()).map_err(|damage| {
        bad(format!("kept transcripts that are not as they were written, at byte {}", damage.at))
    })
}
