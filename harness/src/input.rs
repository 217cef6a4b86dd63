//! Reads files whole. Strangers may have written them, and a path may lead to a device, so there is a bound.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::error::Error;

/// The longest file that is read whole, in bytes; a thousand times the longest sensible one.
const BYTES_MAX: u64 = 32 << 20;

/// The longest file of kept transcripts, packed, and the longest text of a seed in it, in bytes: a hundred times the
/// longest sensible ones.
const KEPT_MAX: u64 = 1 << 30;

/// Whether standard input has ended: it does when the program that holds the other end of the pipe is gone.
pub(crate) fn has_ended() -> Arc<AtomicBool> {
    let has_ended = Arc::new(AtomicBool::new(false));
    let setter = Arc::clone(&has_ended);
    // It waits until then, or ends with this program.
    thread::spawn(move || {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        setter.store(true, Ordering::Relaxed);
    });
    has_ended
}

/// The text of a file.
///
/// # Errors
/// The file cannot be read, is too long, or is not UTF-8.
pub(crate) fn text(path: &Path) -> Result<String, Error> {
    String::from_utf8(bytes(path)?).map_err(|_| {
        Error::unreadable(
            path,
            &io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"),
        )
    })
}

/// The bytes of a file.
///
/// # Errors
/// The file cannot be read, or is too long.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, Error> {
    let file = File::open(path).map_err(|error| Error::unreadable(path, &error))?;
    whole(file, path, "a file")
}

/// The bytes of a file of kept transcripts; none if it is not there.
///
/// # Errors
/// The file cannot be read, or is too long.
pub(crate) fn kept(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match File::open(path) {
        Ok(file) => at_most(file, KEPT_MAX, path, "kept transcripts").map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::unreadable(path, &error)),
    }
}

/// The text of a seed in such a file.
///
/// # Errors
/// It cannot be unpacked, or is too long.
pub(crate) fn unpacked(packed: &[u8]) -> io::Result<Vec<u8>> {
    unpacked_to(packed, KEPT_MAX)
}

fn unpacked_to(packed: &[u8], most: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    zstd::stream::read::Decoder::new(packed)?.take(most + 1).read_to_end(&mut text)?;
    if text.len() as u64 > most {
        let why = format!("it has more than {} MiB, unpacked", most >> 20);
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    Ok(text)
}

/// All bytes of an input. The name and what it should be are for messages.
///
/// # Errors
/// The input cannot be read, or is too long.
pub(crate) fn whole(input: impl Read, name: &Path, what: &str) -> Result<Vec<u8>, Error> {
    at_most(input, BYTES_MAX, name, what)
}

fn at_most(input: impl Read, most: u64, name: &Path, what: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = input.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::unreadable(name, &error))?;
    if bytes.len() as u64 > most {
        let expected = format!("{what} of at most {} MiB", most >> 20);
        return Err(Error::file(name, &expected, "a longer one"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_input_is_refused_at_the_bound() {
        let bad = whole(io::repeat(b'x'), Path::new("/dev/zero"), "a tool table").expect_err("it has no end");
        assert_eq!(bad.to_string(), "/dev/zero: expected a tool table of at most 32 MiB, found a longer one");
        let packed = zstd::stream::encode_all(io::repeat(b'x').take(3 << 20), 1).expect("it packs");
        assert!(packed.len() < 10_000);
        assert_eq!(unpacked_to(&packed, 3 << 20).expect("it fits").len(), 3 << 20);
        let bad = unpacked_to(&packed, 2 << 20).expect_err("it is longer");
        assert_eq!(bad.to_string(), "it has more than 2 MiB, unpacked");
        let most = io::repeat(b'x').take(BYTES_MAX);
        assert_eq!(whole(most, Path::new("a"), "a file").expect("it fits").len() as u64, BYTES_MAX);
    }
}
