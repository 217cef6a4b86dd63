//! What a program prints, in a file, within bounds.

use std::collections::VecDeque;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use crate::files;

/// How long an output may stay open after every process has ended: one that was not found may hold it.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a program printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The file that has it. Where it was too long, its middle is left out, and a line says so.
    pub file: PathBuf,
    /// How many bytes were left out.
    pub left_out: u64,
}

/// An output that is being read.
#[derive(Debug)]
pub(super) struct Capture {
    file: PathBuf,
    left_out: Receiver<io::Result<u64>>,
}

impl Capture {
    /// What was read, up to its end.
    pub(super) fn output(self) -> io::Result<Output> {
        let late =
            || io::Error::new(io::ErrorKind::TimedOut, "an output is still open after its program has ended");
        let left_out = self.left_out.recv_timeout(PATIENCE).map_err(|_| late())??;
        Ok(Output { file: self.file, left_out })
    }
}

/// Reads an output into a file. The first half of `bytes_max` and the last half of it are kept: errors come at the end.
pub(super) fn captured(
    from: Option<impl Read + Send + 'static>,
    file: &Path,
    bytes_max: u64,
) -> io::Result<Capture> {
    let from = from.ok_or_else(|| io::Error::other("the output is no pipe"))?;
    let out = files::passing(file)?;
    let (sender, left_out) = mpsc::channel();
    thread::spawn(move || {
        // The receiver may have given up waiting. Then the result is not needed.
        let _ = sender.send(copy(from, BufWriter::new(out), bytes_max));
    });
    Ok(Capture { file: file.to_owned(), left_out })
}

/// Copies everything that fits, and returns how many bytes did not.
fn copy(mut from: impl Read, mut out: impl Write, bytes_max: u64) -> io::Result<u64> {
    let half = usize::try_from(bytes_max / 2).unwrap_or(usize::MAX);
    let (mut written, mut left_out) = (0, 0);
    let mut tail = VecDeque::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let count = match from.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if count == 0 {
            break;
        }
        let (first, rest) = buffer[..count].split_at(count.min(half - written));
        out.write_all(first)?;
        written += first.len();
        tail.extend(rest);
        let over = tail.len().saturating_sub(half);
        tail.drain(..over);
        left_out += over as u64;
    }
    if left_out > 0 {
        write!(out, "\n[{left_out} bytes left out]\n")?;
    }
    let (first, second) = tail.as_slices();
    out.write_all(first)?;
    out.write_all(second)?;
    out.flush()?;
    Ok(left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(printed: &[u8], bytes_max: u64, expected: &str, expected_left_out: u64) {
        let mut out = Vec::new();
        let left_out = copy(printed, &mut out, bytes_max).expect("memory can be written");
        assert_eq!((String::from_utf8_lossy(&out).as_ref(), left_out), (expected, expected_left_out));
    }

    #[test]
    fn the_middle_of_a_long_output_is_left_out() {
        check(b"", 8, "", 0);
        check(b"12345678", 8, "12345678", 0);
        check(b"1234abcde5678", 8, "1234\n[5 bytes left out]\n5678", 5);
        let long = vec![b'x'; 1 << 20];
        check(&long, 0, "\n[1048576 bytes left out]\n", 1 << 20);
    }
}
