//! The one module that opens files to read them. Strangers may have written them, and a path may lead to a device, so a
//! file that is read whole has a bound. Readers of lines and of recorded runs have bounds of their own.

use std::fs::{self, File};
use std::io::{self, BufRead, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use xxhash_rust::xxh3::Xxh3Default;

use crate::error::Error;

/// The longest file that is read whole, in bytes; a thousand times the longest sensible one.
const BYTES_MAX: u64 = 32 << 20;

/// The longest file of kept transcripts, packed, and the longest text of a seed in it, in bytes: a hundred times the
/// longest sensible ones.
pub(crate) const KEPT_MAX: u64 = 1 << 30;

/// The longest line that a person types, in bytes; what is beyond is left out.
const TYPED_BYTES: u64 = 64 << 10;

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

/// Opens a file that a person named. It may be a device or a pipe.
///
/// # Errors
/// It cannot be opened.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Opens a file that Balk looks for by its name, such as one of a record. A pipe of that name might never end.
///
/// # Errors
/// It cannot be opened, or is no regular file.
pub(crate) fn open_own(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"))
    }
}

/// Opens such a file; none if it is not there.
///
/// # Errors
/// It is there and cannot be opened, or is no regular file.
pub(crate) fn open_own_if_there(path: &Path) -> Result<Option<File>, Error> {
    match open_own(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::unreadable(path, &error)),
    }
}

/// How much of a file its digest is of, in bytes: more than programs have.
const DIGEST_BYTES: u64 = 1 << 30;

/// The 128-bit xxh3 of a regular file, in hexadecimal; of a longer one than a GiB, that of its first GiB and its
/// length. None if it is no such file, or cannot be read.
pub(crate) fn digest(path: &Path) -> Option<String> {
    let file = open_own(path).ok()?;
    let length = file.metadata().ok()?.len();
    digest_of(file, length, DIGEST_BYTES)
}

fn digest_of(file: impl Read, length: u64, most: u64) -> Option<String> {
    let (mut digest, mut piece) = (Xxh3Default::new(), vec![0; 64 << 10]);
    let mut file = file.take(most);
    loop {
        match file.read(&mut piece) {
            Ok(0) => {
                if length > most {
                    digest.update(&length.to_le_bytes());
                }
                return Some(format!("{:032x}", digest.digest128()));
            }
            Ok(read) => digest.update(&piece[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// The text of a file that a person named.
///
/// # Errors
/// The file cannot be read, is too long, or is not UTF-8.
pub(crate) fn text(path: &Path) -> Result<String, Error> {
    let file = open(path).map_err(|error| Error::unreadable(path, &error))?;
    utf8(whole(file, path, "a file")?, path)
}

/// The bytes of a file that Balk looks for by its name.
///
/// # Errors
/// The file cannot be read, is no regular file, or is too long.
pub(crate) fn own(path: &Path) -> Result<Vec<u8>, Error> {
    let file = open_own(path).map_err(|error| Error::unreadable(path, &error))?;
    whole(file, path, "a file")
}

/// The text of such a file.
///
/// # Errors
/// The file cannot be read, is no regular file, is too long, or is not UTF-8.
pub(crate) fn own_text(path: &Path) -> Result<String, Error> {
    utf8(own(path)?, path)
}

fn utf8(bytes: Vec<u8>, path: &Path) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|_| {
        Error::unreadable(
            path,
            &io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"),
        )
    })
}

/// The bytes of a file of kept transcripts; none if it is not there.
///
/// # Errors
/// The file cannot be read, or is too long.
pub(crate) fn kept(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    open_own_if_there(path)?.map(|file| at_most(file, KEPT_MAX, path, "kept transcripts")).transpose()
}

/// The next line that a person types; none at the end.
///
/// # Errors
/// The input cannot be read.
pub(crate) fn typed(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if input.by_ref().take(TYPED_BYTES).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}

/// How many times their size kept transcripts may unpack to, beyond [`KEPT_MAX`]: ten times as much as sensible ones
/// do. A text that was made to be large packs to a thirty-thousandth.
const KEPT_TIMES: u64 = 1_000;

/// What kept transcripts may unpack to, all that one command reads of a record together.
#[derive(Debug)]
pub(crate) struct Room {
    left: u64,
}

impl Default for Room {
    fn default() -> Self {
        Self { left: KEPT_MAX }
    }
}

impl Room {
    /// The text of a seed.
    ///
    /// # Errors
    /// It cannot be unpacked, or is too long, by itself or after what was unpacked before.
    pub(crate) fn unpacked(&mut self, packed: &[u8]) -> io::Result<Vec<u8>> {
        self.left = self.left.saturating_add(packed.len() as u64 * KEPT_TIMES);
        let text = unpacked_to(packed, self.left.min(KEPT_MAX))?;
        self.left -= text.len() as u64;
        Ok(text)
    }
}

fn unpacked_to(packed: &[u8], most: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    zstd::stream::read::Decoder::new(packed)?.take(most + 1).read_to_end(&mut text)?;
    if text.len() as u64 > most {
        let why = format!("it unpacks to more than the {} MiB that are left for it", most >> 20);
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
        assert_eq!(bad.to_string(), "it unpacks to more than the 2 MiB that are left for it");
        let most = io::repeat(b'x').take(BYTES_MAX);
        assert_eq!(whole(most, Path::new("a"), "a file").expect("it fits").len() as u64, BYTES_MAX);
    }

    /// A few bytes for each of many seeds are as much as many for one.
    #[test]
    fn kept_transcripts_have_a_bound_together() {
        let packed = zstd::stream::encode_all(io::repeat(b'x').take(3 << 20), 1).expect("it packs");
        let mut room = Room { left: 4 << 20 };
        let gained = packed.len() as u64 * KEPT_TIMES;
        assert!(gained < 1 << 20, "{gained}");
        assert_eq!(room.unpacked(&packed).expect("it fits").len(), 3 << 20);
        assert_eq!(room.left, (1 << 20) + gained);
        let bad = room.unpacked(&packed).expect_err("all of it together is longer").to_string();
        assert!(bad.starts_with("it unpacks to more than the "), "{bad}");
        // What packs no better than runs do takes no room.
        let sensible: Vec<u8> = (0..1_000_000_u32).flat_map(|at| (at % 65_536).to_le_bytes()).collect();
        let packed = zstd::stream::encode_all(&*sensible, 1).expect("it packs");
        let mut room = Room { left: 0 };
        for _ in 0..10 {
            assert_eq!(room.unpacked(&packed).expect("it fits").len(), sensible.len());
        }
    }

    #[test]
    fn a_digest_is_of_the_beginning_and_the_length_of_a_file_beyond_its_bound() {
        let of = |text: &str, length| digest_of(text.as_bytes(), length, 4).expect("memory can be read");
        assert_eq!(of("abcd", 4), format!("{:032x}", xxhash_rust::xxh3::xxh3_128(b"abcd")));
        assert_ne!(of("abcd", 4), of("abcx", 4));
        assert_eq!(of("abcde", 5), of("abcdf", 5));
        assert_ne!(of("abcde", 5), of("abcdef", 6));
        assert_ne!(of("abcde", 5), of("abcd", 4));
        let endless = io::repeat(b'x');
        assert!(digest_of(endless, 0, 1 << 20).is_some(), "its bound does not follow from what it says");
    }

    #[test]
    fn a_line_that_is_typed_is_cut_at_its_bound() {
        let long = io::repeat(b'x').take(2 * TYPED_BYTES).chain(&b"\nnext\nlast"[..]);
        let mut input = io::BufReader::new(long);
        let mut line = || typed(&mut input).expect("memory can be read");
        assert_eq!(line().map(|it| it.len() as u64), Some(TYPED_BYTES));
        assert_eq!((line().as_deref(), line().as_deref(), line()), (Some("next\n"), Some("last"), None));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_place_of_a_file_of_our_own_is_refused_at_once() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};

        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bench.jsonl");
        assert!(open_own_if_there(&path).expect("it is missing").is_none());
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe can be made");
        let bad = own(&path).expect_err("it is a pipe").to_string();
        assert!(bad.ends_with("bench.jsonl: cannot read: it is no regular file"), "{bad}");
    }
}
