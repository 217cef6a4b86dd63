//! Archives of Inspect (`.eval`): a zip file with a JSON file for each sample.

use std::io::{self, Cursor, Read as _};

use zip::ZipArchive;

use super::bad::BadLine;
use super::inspect;
use super::sink::Head;

/// The first bytes of an archive with something in it.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";

/// The name of a sample, and its text.
pub(super) type Sample = (String, Result<Vec<u8>, BadLine>);

/// An archive, and the number of the next file in it.
pub(super) struct Archive {
    zip: ZipArchive<Cursor<Vec<u8>>>,
    next: usize,
    bytes_max: usize,
}

impl Archive {
    /// Opens an archive; no file in it may be longer than `bytes_max`.
    ///
    /// # Errors
    /// It is none, or some bytes belong to several of its files: then a few bytes more could be any number of files.
    pub(super) fn new(bytes: Vec<u8>, bytes_max: usize) -> io::Result<Self> {
        let mut zip = ZipArchive::new(Cursor::new(bytes))?;
        if zip.has_overlapping_files()? {
            return Err(io::Error::other(
                "expected files that lie beside each other, found two that overlap",
            ));
        }
        Ok(Self { zip, next: 0, bytes_max })
    }

    /// What is the same for all samples.
    pub(super) fn head(&mut self) -> Head {
        let found = ["header.json", "_journal/start.json"].into_iter().find_map(|name| {
            let mut text = Vec::new();
            let file = self.zip.by_name(name).ok()?;
            file.take(self.bytes_max as u64).read_to_end(&mut text).ok()?;
            Some(inspect::head(&text))
        });
        found.unwrap_or_default()
    }

    /// The name and the text of the next sample; `None` at the end.
    ///
    /// # Errors
    /// It cannot be unpacked.
    pub(super) fn next(&mut self) -> io::Result<Option<Sample>> {
        while self.next < self.zip.len() {
            self.next += 1;
            let file = self.zip.by_index(self.next - 1)?;
            let name = file.name()?.into_owned();
            if !(name.starts_with("samples/") && name.ends_with(".json")) {
                continue;
            }
            let mut text = Vec::new();
            file.take(self.bytes_max as u64 + 1).read_to_end(&mut text)?;
            if text.len() > self.bytes_max {
                return Ok(Some((name, Err(BadLine::TooLong { bytes: None, bound: self.bytes_max }))));
            }
            return Ok(Some((name, Ok(text))));
        }
        Ok(None)
    }
}
