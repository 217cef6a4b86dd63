//! Reads files whole. Strangers may have written them, and a path may lead to a device, so there is a bound.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::Error;

/// The longest file that is read whole, in bytes; a thousand times the longest sensible one.
const BYTES_MAX: u64 = 32 << 20;

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

/// All bytes of an input. The name and what it should be are for messages.
///
/// # Errors
/// The input cannot be read, or is too long.
pub(crate) fn whole(input: impl Read, name: &Path, what: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = input.take(BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::unreadable(name, &error))?;
    if bytes.len() as u64 > BYTES_MAX {
        let expected = format!("{what} of at most {} MiB", BYTES_MAX >> 20);
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
        let most = io::repeat(b'x').take(BYTES_MAX);
        assert_eq!(whole(most, Path::new("a"), "a file").expect("it fits").len() as u64, BYTES_MAX);
    }
}
