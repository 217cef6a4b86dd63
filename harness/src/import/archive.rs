//! Archives of Inspect (`.eval`): a zip file with a JSON file for each sample.

use std::io::{self, Cursor, Read};

use zip::ZipArchive;

use super::bad::BadLine;
use super::inspect;
use super::lines::{UNPACKED_FREE, unpacked_max, unpacks_to_too_much};
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
    /// How much all its files may unpack to that are still to come.
    left: u64,
}

impl Archive {
    /// Opens an archive; no file in it may be longer than `bytes_max`, and all together no longer than what another
    /// packed input may unpack to.
    ///
    /// # Errors
    /// It is none, or some bytes belong to several of its files: then a few bytes more could be any number of files.
    pub(super) fn new(bytes: Vec<u8>, bytes_max: usize) -> io::Result<Self> {
        let left = unpacked_max(bytes.len() as u64, UNPACKED_FREE);
        Self::bounded(bytes, bytes_max, left)
    }

    fn bounded(bytes: Vec<u8>, bytes_max: usize, left: u64) -> io::Result<Self> {
        let mut zip = ZipArchive::new(Cursor::new(bytes))?;
        if zip.has_overlapping_files()? {
            return Err(io::Error::other(
                "expected files that lie beside each other, found two that overlap",
            ));
        }
        Ok(Self { zip, next: 0, bytes_max, left })
    }

    /// What is the same for all samples.
    pub(super) fn head(&mut self) -> Head {
        let found = ["header.json", "_journal/start.json"].into_iter().find_map(|name| {
            let file = self.zip.by_name(name).ok()?;
            let text = text(file, self.bytes_max, &mut self.left).ok()?;
            Some(inspect::head(&text))
        });
        found.unwrap_or_default()
    }

    /// The name and the text of the next sample; `None` at the end.
    ///
    /// # Errors
    /// It cannot be unpacked, or all together is too long.
    pub(super) fn next(&mut self) -> io::Result<Option<Sample>> {
        while self.next < self.zip.len() {
            self.next += 1;
            let file = self.zip.by_index(self.next - 1)?;
            let name = file.name()?.into_owned();
            if !(name.starts_with("samples/") && name.ends_with(".json")) {
                continue;
            }
            let text = text(file, self.bytes_max, &mut self.left)?;
            if text.len() > self.bytes_max {
                return Ok(Some((name, Err(BadLine::TooLong { bytes: None, bound: self.bytes_max }))));
            }
            return Ok(Some((name, Ok(text))));
        }
        Ok(None)
    }
}

/// The text of a file, or one byte more than it may have.
fn text(file: impl Read, bytes_max: usize, left: &mut u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    file.take((bytes_max as u64).min(*left) + 1).read_to_end(&mut text)?;
    *left = left.checked_sub(text.len() as u64).ok_or_else(unpacks_to_too_much)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    /// An archive with so many samples of so many bytes.
    fn archive(samples: usize, bytes: usize) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for name in (0..samples).map(|at| format!("samples/{at}.json")) {
            zip.start_file(name, SimpleFileOptions::default()).expect("memory takes it");
            zip.write_all(&vec![b'x'; bytes]).expect("memory takes it");
        }
        zip.finish().expect("memory takes it").into_inner()
    }

    #[test]
    fn what_all_files_of_an_archive_unpack_to_has_a_bound() {
        let packed = archive(4, 1000);
        let read = |bytes_max: usize, left: u64| {
            let mut archive = Archive::bounded(packed.clone(), bytes_max, left).expect("an archive");
            let mut read = Vec::new();
            loop {
                match archive.next() {
                    Ok(Some((_, text))) => read.push(text.is_ok()),
                    Ok(None) => return (read, None),
                    Err(error) => return (read, Some(error.to_string())),
                }
            }
        };
        let why = || Some("it unpacks to more than 1000 times its size and 1 GiB".to_owned());
        assert_eq!(read(1000, 4000), (vec![true; 4], None));
        assert_eq!(read(1000, 3999), (vec![true; 3], why()));
        assert_eq!(read(1000, 3000), (vec![true; 3], why()));
        assert_eq!(read(100, 404), (vec![false; 4], None));
        assert_eq!(read(100, 403), (vec![false; 3], why()));
        let archive = Archive::new(packed.clone(), 1000).expect("an archive");
        assert_eq!(archive.left, (1 << 30) + 1000 * packed.len() as u64);
    }
}
