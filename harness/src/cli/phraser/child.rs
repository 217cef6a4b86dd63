//! A phraser that is a command: one line in, one line out.

use std::io::{self, Read, Write};
use std::process::{self, Child as Process, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use balk_guards::{Gap, Phraser, sanitise};

use crate::bench::Stopwatch;
use crate::cli::out;
use crate::cli::say::say;
use crate::processes::{Belonging, MEMORY_MIB_MAX, Tree, Watchdog, bounded, end};

/// The time limit of the command, from its start to its end.
const LIMIT: Duration = Duration::from_secs(10);
/// The interval between checks whether a command that has closed its output has ended.
const STEP: Duration = Duration::from_millis(10);
/// The longest accepted output, in bytes; an explanation has at most a few hundred characters.
const BYTES_MAX: u64 = 64 << 10;

/// The variable by which the processes of the command are known.
const MARK: &str = "BALK_PHRASER";

/// A command of the user's shell.
pub(in crate::cli) struct Child {
    command: String,
}

impl Phraser for Child {
    /// Writes the gap to standard input as one line of JSON. The answer is the first line of standard output.
    fn phrase(&self, gap: &Gap) -> Result<String, String> {
        let said = self.ask(gap).and_then(|line| match sanitise(&line) {
            Some(_) => Ok(line),
            None => Err("printed no readable text".to_owned()),
        });
        if let Err(reason) = &said {
            say(format_args!("note: the phraser {reason}, so Balk's own words are shown"));
        }
        said
    }
}

impl Child {
    /// A phraser that runs this command for each question.
    pub(in crate::cli) fn new(command: &str) -> Self {
        Self { command: command.to_owned() }
    }

    fn ask(&self, gap: &Gap) -> Result<String, String> {
        let watch = Stopwatch::start();
        let mut line = serde_json::to_vec(gap).expect("a gap is plain data");
        line.push(b'\n');
        // What it starts has this as well. No other program has the number of this one.
        let mark = (MARK, process::id().to_string());
        let mut process = bounded(&["sh", "-c", &self.command], MEMORY_MIB_MAX)
            .env(mark.0, &mark.1)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot be started ({error})"))?;
        let watchdog = Watchdog::over(&mut process)
            .map_err(|error| format!("cannot be run, since nothing could end it after Balk ({error})"))?;
        // It may say what it was asked, so its complaints are printed like other content.
        let stderr = process.stderr.take().expect("it is a pipe");
        let complaints = thread::spawn(move || {
            let _ = io::copy(&mut stderr.take(BYTES_MAX), &mut out::aside());
        });
        let said = answer(&mut process, line, watch);
        // What it has started ends with it.
        end(&mut process);
        Tree::new(process.id(), Belonging::Marked(format!("{}={}", mark.0, mark.1))).kill();
        watchdog.leaves();
        // What has left its group may hold the other end.
        while !complaints.is_finished() && u128::from(watch.nanoseconds()) < LIMIT.as_nanos() {
            thread::sleep(STEP);
        }
        said
    }
}

/// Sends a line, and reads the first one that comes.
fn answer(process: &mut Process, line: Vec<u8>, watch: Stopwatch) -> Result<String, String> {
    let mut stdin = process.stdin.take().expect("it is a pipe");
    let stdout = process.stdout.take().expect("it is a pipe");
    // Threads serve both ends, so a command that reads nothing or writes forever blocks nothing.
    thread::spawn(move || {
        // A command may ignore its input.
        let _ = stdin.write_all(&line);
    });
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.take(BYTES_MAX + 1).read_to_end(&mut bytes);
        // After the limit, the receiver is gone.
        let _ = sender.send(read.map(|_| bytes));
    });
    let bytes = match receiver.recv_timeout(LIMIT) {
        Ok(read) => read.map_err(|error| format!("cannot be read ({error})"))?,
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Err(too_slow()),
    };
    if bytes.len() as u64 > BYTES_MAX {
        return Err(format!("printed more than {} KiB", BYTES_MAX >> 10));
    }
    let status = ended(process, watch)?;
    if !status.success() {
        return Err(format!("failed ({status})"));
    }
    first_line(bytes)
}

/// Waits for the end of a command that has closed its output, as long as it may run.
fn ended(process: &mut Process, watch: Stopwatch) -> Result<ExitStatus, String> {
    loop {
        if let Some(status) = process.try_wait().map_err(|error| format!("cannot be waited for ({error})"))? {
            return Ok(status);
        }
        if u128::from(watch.nanoseconds()) >= LIMIT.as_nanos() {
            return Err(too_slow());
        }
        thread::sleep(STEP);
    }
}

fn too_slow() -> String {
    format!("took more than {} seconds", LIMIT.as_secs())
}

fn first_line(bytes: Vec<u8>) -> Result<String, String> {
    let text = String::from_utf8(bytes).map_err(|_| "printed bytes that are not UTF-8".to_owned())?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}
