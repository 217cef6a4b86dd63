//! A child process: its lines in both directions, each within its time, and its end.
//!
//! One thread serves all three streams, and only while an answer is due. A child that writes at another time waits
//! in its own process.

mod last_lines;
mod ready;

use std::io::{self, ErrorKind, Read, Write};
use std::process::{Child as Process, ChildStderr, ChildStdin, ChildStdout, Stdio};
use std::thread;
use std::time::Duration;

use memchr::memchr;
use serde::Serialize;

use super::settings::Settings;
use crate::bench::Stopwatch;
use crate::import::one_line;
use crate::processes::{self, Belonging, Tree, Watchdog};
use last_lines::LastLines;
use ready::{Streams, nonblocking};

/// The longest line of a child, in bytes.
pub(super) const LINE_MAX: usize = 4 << 20;

/// How much a child may write to standard error until an answer, in bytes.
const SAID_MAX: u64 = 64 << 20;

/// Bytes that are collected before a child has to take them.
const UNSENT_MAX: usize = 64 << 10;

/// How long a child may take for each MiB that it is sent: a thousand times what a slow one needs.
const A_MIB: Duration = Duration::from_secs(1);

/// How many characters of a bad line are shown.
const SHOWN: usize = 200;

/// How long a child may take to end once nothing more comes from it, or goes to it.
const GRACE: Duration = Duration::from_millis(500);

/// The time between two looks whether a child has ended.
const STEP: Duration = Duration::from_millis(2);

/// The time between two looks at what a child uses, while an answer is due.
const LOOK: Duration = Duration::from_millis(100);

/// A child process that speaks lines.
pub(super) struct Child {
    process: Process,
    tree: Tree,
    watchdog: Option<Watchdog>,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    stderr: Option<ChildStderr>,
    last_lines: LastLines,
    /// How many bytes came from standard error since the last answer.
    said: u64,
    /// The last look at what it uses, and how much that may be: processes, and MiB of memory.
    looked: Stopwatch,
    bounds: [u64; 2],
    /// Lines for the child, and how many of their bytes it has.
    unsent: Vec<u8>,
    sent: usize,
    /// Since when it is told something before the next answer, and how many bytes that was.
    told: Option<Stopwatch>,
    bytes: u64,
    /// What came from the child. It begins with the last answer, which has so many bytes.
    came: Vec<u8>,
    answered: usize,
    chunk: Box<[u8]>,
}

impl Child {
    /// Starts a command.
    ///
    /// # Errors
    /// Why it cannot be started.
    pub(super) fn start(command: &[String], settings: &Settings) -> Result<Self, String> {
        let cannot = |error: io::Error| format!("a command that cannot be started ({error})");
        let mut command = processes::closed(command, &settings.env, settings.memory_mib);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().map_err(cannot)?;
        let pipes = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else { unreachable!("all three are pipes") };
        let unwatched =
            |error| format!("that nothing could end it after Balk, which has no process left ({error})");
        let watchdog = Watchdog::over(&mut process).map_err(unwatched)?;
        let tree = Tree::new(process.id(), Belonging::Led);
        let child = Self {
            process,
            tree,
            watchdog: Some(watchdog),
            stdin: Some(stdin),
            stdout,
            stderr: Some(stderr),
            last_lines: LastLines::default(),
            said: 0,
            looked: Stopwatch::start(),
            bounds: [settings.processes, settings.memory_mib],
            unsent: Vec::new(),
            sent: 0,
            told: None,
            bytes: 0,
            came: Vec::new(),
            answered: 0,
            chunk: vec![0; 64 << 10].into(),
        };
        // From here on, dropping it ends the process.
        child.streams().each(nonblocking).map_err(cannot)?;
        Ok(child)
    }

    /// Adds a line that has no answer. It is sent with the next question, or earlier if many bytes have come together.
    ///
    /// # Errors
    /// What was found while these bytes were to be taken in the time that there is for all bytes until an answer.
    pub(super) fn put(&mut self, line: &impl Serialize, limit: Duration) -> Result<(), String> {
        let told = self.add(line);
        if self.unsent.len() < UNSENT_MAX {
            return Ok(());
        }
        let most = self.time_to_take(limit);
        while self.is_sending() {
            if !self.send() {
                self.wait(most, told, "that it has not taken all")?;
            }
        }
        Ok(())
    }

    /// Sends a question after all that was put, and reads the next line. `limit` is how long it may take since the
    /// child took the last byte; to take all bytes, it has as long, and a second more for each MiB.
    ///
    /// # Errors
    /// What was found instead.
    pub(super) fn ask(&mut self, question: &impl Serialize, limit: Duration) -> Result<&[u8], String> {
        // What came since the last answer is one to no question. That the output ended is found when one is due.
        if self.answered > 0
            && let Ok(count) = self.stdout.read(&mut self.chunk)
        {
            self.came.extend_from_slice(&self.chunk[..count]);
        }
        self.came.drain(..self.answered);
        (self.answered, self.said) = (0, 0);
        if !self.came.is_empty() {
            return Err(format!("a line without a question: {}", shown(&self.came)));
        }
        let told = self.add(question);
        self.told = None;
        let most = self.time_to_take(limit);
        self.bytes = 0;
        let (mut watch, mut searched) = (Stopwatch::start(), 0);
        loop {
            if self.send() {
                watch = Stopwatch::start();
            }
            if self.is_sending() && elapsed(told) > most {
                return Err(format!("that it has not taken all within {} ms", most.as_millis()));
            }
            if let Some(end) = memchr(b'\n', &self.came[searched..]) {
                self.answered = searched + end + 1;
                let line = &self.came[..self.answered];
                // What it has not read yet ends with the question.
                if self.is_sending() {
                    return Err(format!("a line too early: {}", shown(line)));
                }
                return if line.len() == self.came.len() {
                    Ok(&line[..line.len() - 1])
                } else {
                    Err(format!("more than one line: {}", shown(&self.came)))
                };
            }
            searched = self.came.len();
            self.wait(limit, watch, "no line")?;
        }
    }

    /// A reason, with the last lines that the child wrote to standard error. The child is of no use any more.
    pub(super) fn explained(mut self, reason: String) -> String {
        self.end();
        let watch = Stopwatch::start();
        while self.stderr.is_some() && elapsed(watch) < GRACE {
            let only = Streams { stdout: None, stdin: None, ..self.streams() };
            match only.ready(GRACE.saturating_sub(elapsed(watch))) {
                Ok([_, true]) => self.hear(),
                Ok([_, false]) => {}
                Err(_) => break,
            }
        }
        let lines = self.last_lines.taken();
        match &*lines {
            [] => format!("{reason}; standard error was empty"),
            lines => format!("{reason}; the last lines of standard error:\n{}", lines.join("\n")),
        }
    }

    /// Adds a line to what is unsent. Returns since when the child is told something.
    fn add(&mut self, line: &impl Serialize) -> Stopwatch {
        let before = self.unsent.len();
        serde_json::to_writer(&mut self.unsent, line).expect("a line is plain data");
        self.unsent.push(b'\n');
        self.bytes += (self.unsent.len() - before) as u64;
        *self.told.get_or_insert_with(Stopwatch::start)
    }

    /// How long it may take to read all that it is told until an answer: who takes a little at a time does not do so
    /// for ever, in however many pieces it comes.
    fn time_to_take(&self, limit: Duration) -> Duration {
        limit.saturating_add(A_MIB.saturating_mul(u32::try_from(self.bytes >> 20).unwrap_or(u32::MAX)))
    }

    fn is_sending(&self) -> bool {
        self.sent < self.unsent.len()
    }

    /// Sends what the child can take now. Returns whether it took something.
    fn send(&mut self) -> bool {
        let before = self.sent;
        while self.is_sending() {
            let Some(stdin) = &mut self.stdin else { break };
            match stdin.write(&self.unsent[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => {
                    // It reads no more. What it writes, or that it ends, says why.
                    self.stdin = None;
                    self.unsent.clear();
                }
            }
        }
        let took = self.sent > before;
        if !self.is_sending() {
            self.unsent.clear();
            self.sent = 0;
        }
        took
    }

    /// Waits until the child takes or writes something, and reads what it writes.
    fn wait(&mut self, limit: Duration, since: Stopwatch, otherwise: &str) -> Result<(), String> {
        let left = limit.saturating_sub(elapsed(since));
        if left.is_zero() {
            return Err(format!("{otherwise} within {} ms", limit.as_millis()));
        }
        self.look()?;
        let all = self.streams();
        let waited = Streams { stdin: all.stdin.filter(|_| self.is_sending()), ..all }.ready(left.min(LOOK));
        let [answers, said] =
            waited.map_err(|error| format!("streams that cannot be waited for ({error})"))?;
        if said {
            self.hear();
            if self.said > SAID_MAX {
                return Err(format!("more than {} MiB on standard error", SAID_MAX >> 20));
            }
        }
        if !answers {
            return Ok(());
        }
        match self.stdout.read(&mut self.chunk) {
            Ok(0) => Err(match self.ended() {
                Some(status) => format!("the end of its output ({status})"),
                None => "the end of its output, and it goes on".to_owned(),
            }),
            Ok(count) => {
                self.came.extend_from_slice(&self.chunk[..count]);
                if self.came.len() <= LINE_MAX {
                    return Ok(());
                }
                Err(format!("more than {} MiB without an end: {}", LINE_MAX >> 20, shown(&self.came)))
            }
            Err(error) if is_nothing(&error) => Ok(()),
            Err(error) => Err(format!("an output that cannot be read ({error})")),
        }
    }

    /// Looks at what it uses, at times.
    fn look(&mut self) -> Result<(), String> {
        if elapsed(self.looked) < LOOK {
            return Ok(());
        }
        let [processes, memory_mib] = self.bounds;
        let beyond = self.tree.usage().beyond(processes, memory_mib);
        self.looked = Stopwatch::start();
        beyond.map_or(Ok(()), Err)
    }

    /// Reads standard error once.
    fn hear(&mut self) {
        let Some(stderr) = &mut self.stderr else { return };
        match stderr.read(&mut self.chunk) {
            Ok(count) if count > 0 => {
                self.said += count as u64;
                self.last_lines.push(&self.chunk[..count]);
            }
            Err(error) if is_nothing(&error) => {}
            Ok(_) | Err(_) => self.stderr = None,
        }
    }

    /// How the child ended, if it does within a moment.
    fn ended(&mut self) -> Option<std::process::ExitStatus> {
        let watch = Stopwatch::start();
        loop {
            let status = self.process.try_wait().ok().flatten();
            if status.is_some() || elapsed(watch) >= GRACE {
                return status;
            }
            thread::sleep(STEP);
        }
    }

    /// Kills the child, and everything that it has started.
    fn end(&mut self) {
        self.tree.kill();
        processes::end(&mut self.process);
    }

    fn streams(&self) -> Streams<'_> {
        Streams { stdout: Some(&self.stdout), stderr: self.stderr.as_ref(), stdin: self.stdin.as_ref() }
    }
}

/// A child that reads to the end of its input ends by itself. Nothing of it runs afterwards.
impl Drop for Child {
    fn drop(&mut self) {
        // Closes the pipe.
        drop(self.stdin.take());
        if !thread::panicking() {
            self.ended();
        }
        self.end();
        if let Some(watchdog) = self.watchdog.take() {
            watchdog.leaves();
        }
    }
}

fn elapsed(watch: Stopwatch) -> Duration {
    Duration::from_nanos(watch.nanoseconds())
}

fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// The beginning of a line of the child.
pub(super) fn shown(bytes: &[u8]) -> String {
    let beginning = &bytes[..bytes.len().min(4 * SHOWN)];
    format!("`{}`", one_line(&String::from_utf8_lossy(beginning), SHOWN))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Ten mebibytes in pieces that are sent one after another.
    #[test]
    fn all_that_is_told_until_an_answer_has_one_time() {
        let limit = Duration::from_secs(60);
        let says = format!("head -c {} >/dev/null; read -r l; echo '!'", 160 * UNSENT_MAX);
        let command = ["sh", "-c", &says].map(str::to_owned);
        let mut child = Child::start(&command, &Settings::default()).expect("a shell");
        // With its quotes and the end of its line, each is as long as what is sent at once.
        let piece = "x".repeat(UNSENT_MAX - 3);
        let mut watches = Vec::new();
        for nth in 1..=160 {
            child.put(&piece, limit).expect("it reads");
            assert!(child.unsent.is_empty(), "it has it");
            assert_eq!(child.time_to_take(limit), limit + A_MIB * (nth / 16));
            watches.push(format!("{:?}", child.told));
        }
        watches.dedup();
        assert_eq!(watches.len(), 1, "{watches:?}");
        assert_eq!(child.ask(&"?", limit).expect("an answer"), b"!");
        assert_eq!((child.told.is_none(), child.time_to_take(limit)), (true, limit), "the next has its own");
    }

    /// What was put may be sent at any time, but a question only while its answer is waited for: a child may have
    /// answered before that, and its answer would be one to no question.
    #[test]
    fn a_long_question_is_sent_while_its_answer_is_due() {
        let limit = Duration::from_secs(60);
        let command = ["sh", "-c", "read -r l; echo 1; head -c 9 >/dev/null; echo 2; exec sleep 60"];
        let mut child = Child::start(&command.map(str::to_owned), &Settings::default()).expect("a shell");
        assert_eq!(child.ask(&"?", limit).expect("an answer"), b"1");
        // It answers and never reads the rest of the question, which is more than a pipe holds.
        let long = "x".repeat(64 * UNSENT_MAX);
        assert_eq!(child.ask(&long, limit).expect_err("it is too early"), "a line too early: `2`");
    }
}
