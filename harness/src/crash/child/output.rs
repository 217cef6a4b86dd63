//! What a program prints, within bounds.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long an output may stay open after every process has ended: one that was not found may hold it.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a program printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The bytes. Where there were too many, the middle is left out, and a line says so. They are in memory, where no
    /// program can change or remove them.
    pub bytes: Vec<u8>,
    /// How many bytes were left out.
    pub left_out: u64,
}

/// An output that is being read.
#[derive(Debug)]
pub(in crate::crash) struct Capture {
    /// The number of its pipe, where that is known.
    pub(super) pipe: Option<u64>,
    kept: Arc<Mutex<Kept>>,
    end: Receiver<()>,
}

impl Capture {
    /// Waits for its end, for a while. Returns whether it came.
    pub(super) fn ends(&self) -> bool {
        // The sender is gone after the end, also if it was waited for before.
        !matches!(self.end.recv_timeout(PATIENCE), Err(mpsc::RecvTimeoutError::Timeout))
    }

    /// What was read up to its end, or up to now if that does not come.
    pub(in crate::crash) fn all(self) -> Vec<u8> {
        self.ends();
        self.output().bytes
    }

    /// What was read so far.
    pub(super) fn output(self) -> Output {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).output()
    }
}

/// Reads an output. The first half of `bytes_max` and the last half of it are kept: errors come at the end.
pub(super) fn captured(from: impl Read + Send + 'static, pipe: Option<u64>, bytes_max: usize) -> Capture {
    let (sender, end) = mpsc::channel::<()>();
    let kept = Arc::new(Mutex::new(Kept { half: bytes_max / 2, ..Kept::default() }));
    let keeps = Arc::clone(&kept);
    thread::spawn(move || {
        read(from, &keeps);
        drop(sender);
    });
    Capture { pipe, kept, end }
}

/// Reads to the end. An output that cannot be read any more has ended.
fn read(mut from: impl Read, kept: &Mutex<Kept>) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        match from.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => break,
            Ok(count) => kept.lock().unwrap_or_else(PoisonError::into_inner).add(&buffer[..count]),
        }
    }
}

/// What is kept of an output.
#[derive(Debug, Default)]
struct Kept {
    half: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
}

impl Kept {
    fn add(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(self.half - self.head.len()));
        self.head.extend(first);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..over);
        self.left_out += over as u64;
    }

    fn output(&self) -> Output {
        let mut bytes = self.head.clone();
        if self.left_out > 0 {
            bytes.extend(format!("\n[{} bytes left out]\n", self.left_out).into_bytes());
        }
        bytes.extend(&self.tail);
        Output { bytes, left_out: self.left_out }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(printed: &'static [u8], bytes_max: usize, expected: &str, expected_left_out: u64) {
        let capture = captured(printed, None, bytes_max);
        assert!(capture.ends() && capture.ends());
        let Output { bytes, left_out } = capture.output();
        assert_eq!((String::from_utf8_lossy(&bytes).as_ref(), left_out), (expected, expected_left_out));
    }

    #[test]
    fn the_middle_of_a_long_output_is_left_out() {
        check(b"", 8, "", 0);
        check(b"12345678", 8, "12345678", 0);
        check(b"1234abcde5678", 8, "1234\n[5 bytes left out]\n5678", 5);
        static LONG: [u8; 1 << 20] = [b'x'; 1 << 20];
        check(&LONG, 0, "\n[1048576 bytes left out]\n", 1 << 20);
    }
}
