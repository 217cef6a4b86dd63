//! Checks files of kept transcripts before others read them as what they also are: files packed with zstd.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use super::transcripts::Transcripts;

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
    let mut file = File::open(path)?;
    let mut bytes = Vec::with_capacity(BEGINNING);
    file.by_ref().take(BEGINNING as u64).read_to_end(&mut bytes)?;
    if !Transcripts::is_kept(&bytes) {
        return Ok(());
    }
    file.read_to_end(&mut bytes)?;
    Transcripts::parse(&bytes).map(|_| ()).map_err(|damage| {
        let found = format!("kept transcripts that are not as they were written, at byte {}", damage.at);
        io::Error::new(io::ErrorKind::InvalidData, found)
    })
}
