//! Whether an agent told its user that the task is not done, by what it printed.
//!
//! The user reads standard output and standard error. Words that count are the agent's own, such as an error, a limit
//! that was reached or a loop that it stopped; and the last message of the model, if it admits that the task is not
//! done and the agent shows it. What does not count:
//!
//! - nothing at all, or nothing but the model's claim that it is done;
//! - what the agent only repeats: what the model said on the way, and what its tools answered;
//! - errors of single calls, retries, and what libraries say about updates, plug-ins and deprecated parts.

use crate::claims;

mod screen;

#[cfg(test)]
mod tests;

/// What an agent may print without saying anything itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heard<'a> {
    /// The message with which the model ended its work, if it did.
    pub last: Option<&'a str>,
    /// What else the model said, what tools answered, and what the user said.
    pub others: &'a [&'a str],
}

/// The line with which the agent told its user that the task is not done. `None` if it did not.
#[must_use]
pub fn told(stdout: &str, stderr: &str, heard: &Heard<'_>) -> Option<String> {
    let repeated = Repeated::new(heard);
    let mut printed = Vec::new();
    let mut exception = None;
    for output in [stdout, stderr] {
        exception = without_tracebacks(screen::lines(output), &repeated, &mut printed).or(exception);
    }
    let own: Vec<&String> = printed.iter().filter(|it| !repeated.has(it)).collect();
    let found = own.iter().rev().find(|it| says_that_it_stopped(it)).map(|it| (*it).clone());
    found.or_else(|| heard.last.and_then(|last| admitted(last, &printed))).or(exception).or_else(|| {
        own.iter().rev().find(|it| says_error(it) && !repeated.is_around(it)).map(|it| (*it).clone())
    })
}

/// Words with which agents say that they stopped, in small letters.
const STOPPED: [&str; 26] = [
    "loop detected",
    "loop was detected",
    "detected a loop",
    "stuck in a loop",
    "repeated tool call",
    "repeating the same",
    "gave up",
    "giving up",
    "halted",
    "aborted",
    "aborting",
    "stopped after",
    "stopped because",
    "stopped by",
    "stopped early",
    "agent stopped",
    "run stopped",
    "task stopped",
    "stopping the agent",
    "stopping the run",
    "error_max_turns",
    "not completed",
    "incomplete",
    "task failed",
    "run failed",
    "interrupted",
];

/// Bounds of agents, and words for having met one. A line with one of each says that the agent stopped.
const BOUNDS: [&str; 14] = [
    "max turns",
    "max_turns",
    "maxturns",
    "max steps",
    "max_steps",
    "max iterations",
    "maximum",
    "turn limit",
    "step limit",
    "iteration limit",
    "recursion limit",
    "time limit",
    "budget",
    "retries",
];
const MET: [&str; 6] = ["reached", "exceed", "hit the", "exhausted", "ran out", "used up"];

fn says_that_it_stopped(line: &str) -> bool {
    let line = line.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|it| line.contains(it));
    let is_bound = has(&BOUNDS) && has(&MET);
    (has(&STOPPED) || is_bound) && !has(&GOES_ON) && !has(&LIBRARIES)
}

/// Words for trying again.
const GOES_ON: [&str; 6] =
    ["retrying", "will retry", "retry in", "try again in", "trying again", "attempt 1"];

/// Words of libraries and of an agent's own upkeep: nothing that is about the task.
const LIBRARIES: [&str; 35] = [
    "deprecat",
    "warning",
    "[warn",
    "npm warn",
    "telemetry",
    "analytics",
    "otel",
    "statsig",
    "posthog",
    "check for update",
    "update check",
    "auto-update",
    "autoupdate",
    "version check",
    "new version",
    "plugin",
    "extension",
    "skill",
    "mcp",
    "tokenizer",
    "price",
    "pricing",
    "model list",
    "model catalog",
    "unable to access 'http",
    "debug",
    "experimental",
    "cache",
    "keyring",
    "keychain",
    "exception ignored in",
    "never retrieved",
    "error reporting",
    "lsp",
    "[startup]",
];

/// Words about one call of a tool, which the model saw as well.
const CALLS: [&str; 10] = [
    "error executing tool",
    "tool execution",
    "tool error",
    "tool call failed",
    "tool failed",
    "tool_use",
    "exit code",
    "exited with",
    "command failed",
    "exit status",
];

/// Words of agents about an error, in small letters; beside those that admit.
const ERRORS: [&str; 18] = [
    "api error",
    "an error occurred",
    "encountered an error",
    "went wrong",
    "unexpected error",
    "critical error",
    "fatal error",
    "request failed",
    "stream disconnected",
    "connection lost",
    "empty response",
    "empty answer",
    "no response",
    "no output from",
    "returned no ",
    "returned nothing",
    "did not return",
    "without an answer",
];

/// Whether a line says that something went wrong with the run.
fn says_error(line: &str) -> bool {
    let small = line.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|it| small.contains(it));
    if has(&LIBRARIES) || has(&CALLS) || has(&GOES_ON) || has(&["0 errors", "no errors", "without errors"]) {
        return false;
    }
    let begins = small.trim_start_matches(|it: char| !it.is_alphanumeric());
    let is_named = ["error", "fatal", "panic", "uncaught"].iter().any(|it| {
        begins
            .strip_prefix(it)
            .is_some_and(|rest| rest.trim_start_matches([']', ' ']).starts_with([':', '-', '(']))
    });
    // A line with the end of a tag is of a prompt that the agent shows.
    let admits = claims::admits(line) && !line.contains("</");
    is_named || has_exception(line) || has(&ERRORS) || admits
}

/// Whether a word is the name of an exception, such as `ModelHTTPError` before a colon or at the end.
fn has_exception(line: &str) -> bool {
    let is_name = |it: &str| {
        let it = it.trim_end_matches([':', '.', ',', ')']);
        let name = it.rsplit(['.', ' ', '(']).next().unwrap_or(it);
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && ["Error", "Exception", "Exceeded"]
                .iter()
                .any(|end| name.len() > end.len() && name.ends_with(end))
    };
    line.split_whitespace().any(is_name)
}

/// The line of the model's last message that admits, if the agent shows it.
fn admitted(last: &str, printed: &[String]) -> Option<String> {
    let shown = squeezed(&printed.concat());
    let line = last.lines().find(|it| claims::admits(it))?;
    shown.contains(&squeezed(line)).then(|| line.trim().to_owned())
}

/// Adds the lines without tracebacks of Python, and returns the last line of the last one: the exception. One that a
/// library only reports, or that a tool answered, does not count.
fn without_tracebacks(
    lines: impl Iterator<Item = String>,
    repeated: &Repeated,
    printed: &mut Vec<String>,
) -> Option<String> {
    let mut exception = None;
    // Whether a traceback is open, and whether it counts.
    let mut open = None;
    for line in lines {
        if line.starts_with("Traceback (most recent call last)") {
            let before = printed.last().map(|it| it.to_lowercase()).unwrap_or_default();
            open = Some(!repeated.has(&line) && !LIBRARIES.iter().any(|it| before.contains(it)));
        } else if let Some(counts) = open {
            if !line.starts_with([' ', '\t']) {
                exception = Some(line).filter(|_| counts).or(exception);
                open = None;
            }
        } else {
            printed.push(line);
        }
    }
    exception
}

/// What an agent only repeats.
struct Repeated {
    /// Everything, without what agents change: white space, marks, lines.
    all: String,
    /// The lines that are long enough to be known again.
    lines: Vec<String>,
}

/// How many letters a line must have to be known again inside another one.
const LETTERS_MIN: usize = 12;

impl Repeated {
    fn new(heard: &Heard<'_>) -> Self {
        let texts = || heard.others.iter().copied().chain(heard.last);
        let lines = texts().flat_map(str::lines).map(squeezed).filter(|it| it.chars().count() >= LETTERS_MIN);
        Self { lines: lines.collect(), all: texts().map(squeezed).collect::<Vec<_>>().join("\n") }
    }

    /// Whether the line is a part of something that was said.
    fn has(&self, line: &str) -> bool {
        let line = squeezed(line);
        line.is_empty() || self.all.contains(&line)
    }

    /// Whether something that was said is a part of the line.
    fn is_around(&self, line: &str) -> bool {
        let line = squeezed(line);
        self.lines.iter().any(|it| line.contains(it.as_str()))
    }
}

/// A text in small letters, without anything but letters and digits.
fn squeezed(text: &str) -> String {
    text.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
