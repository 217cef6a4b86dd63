//! Waiting for three streams at once.

use std::io;
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::Duration;

/// The streams of a child to wait for.
pub(super) struct Streams<'c> {
    pub(super) stdout: Option<&'c ChildStdout>,
    pub(super) stderr: Option<&'c ChildStderr>,
    pub(super) stdin: Option<&'c ChildStdin>,
}

#[cfg(unix)]
pub(super) use rustix::fd::BorrowedFd as Stream;

#[cfg(unix)]
impl Streams<'_> {
    /// Does this with each stream.
    pub(super) fn each(&self, mut with: impl FnMut(Stream<'_>) -> io::Result<()>) -> io::Result<()> {
        use rustix::fd::AsFd as _;

        let stdout = self.stdout.map(|it| it.as_fd());
        let stderr = self.stderr.map(|it| it.as_fd());
        let stdin = self.stdin.map(|it| it.as_fd());
        [stdout, stderr, stdin].into_iter().flatten().try_for_each(&mut with)
    }

    /// Waits until one of them is ready, at most this long. Returns whether the two that are read are.
    pub(super) fn ready(&self, at_most: Duration) -> io::Result<[bool; 2]> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        use rustix::io::Errno;

        let mut of = Vec::with_capacity(3);
        of.extend(self.stdout.map(|it| PollFd::new(it, PollFlags::IN)));
        of.extend(self.stderr.map(|it| PollFd::new(it, PollFlags::IN)));
        of.extend(self.stdin.map(|it| PollFd::new(it, PollFlags::OUT)));
        let at_most = Timespec::try_from(at_most).map_err(io::Error::other)?;
        match poll(&mut of, Some(&at_most)) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok([false; 2]),
            Err(error) => return Err(error.into()),
        }
        let mut ready = of.iter().map(|it| !it.revents().is_empty());
        let stdout = self.stdout.is_some() && ready.next().unwrap_or_default();
        let stderr = self.stderr.is_some() && ready.next().unwrap_or_default();
        Ok([stdout, stderr])
    }
}

/// From now on, reading and writing wait for nothing.
#[cfg(unix)]
pub(super) fn nonblocking(stream: Stream<'_>) -> io::Result<()> {
    Ok(rustix::io::ioctl_fionbio(stream, true)?)
}

#[cfg(not(unix))]
pub(super) use std::convert::Infallible as Stream;

/// Only Unix can wait for several streams in one thread.
#[cfg(not(unix))]
impl Streams<'_> {
    /// An error: guards in other processes need Unix.
    pub(super) fn each(&self, _: impl FnMut(Stream) -> io::Result<()>) -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "guards in other processes need Unix"))
    }

    /// An error, as above.
    pub(super) fn ready(&self, _: Duration) -> io::Result<[bool; 2]> {
        self.each(nonblocking).map(|()| [false; 2])
    }
}

/// Never comes to be called.
#[cfg(not(unix))]
pub(super) fn nonblocking(stream: Stream) -> io::Result<()> {
    match stream {}
}
