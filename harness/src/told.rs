//! Whether an agent told its user that the task is not done, by what it printed.
//!
//! The user reads standard output and standard error. Words that count are the agent's own, such as an error, a limit
//! that was reached or a loop that it stopped; and the last message of the model, if it admits that the task is not
//! done and the agent shows it. What does not count:
//!
//! - nothing at all, or nothing but the model's claim that it is done;
//! - what the agent only repeats: what the model said on the way, and what its tools answered;
//! - errors of single calls, retries, and what libraries say about updates, plug-ins and deprecated parts;
//! - an exception of the language that ends the program, because it is no message to the user. One with which a library
//!   ends a run on purpose, such as that of its bound on turns, is a word.

use crate::claims;

use exceptions::{Exception, without_exceptions};
use repeated::Repeated;
use words::LIBRARIES;

pub use repeated::Heard;
pub(crate) use repeated::squeezed;

mod exceptions;
mod repeated;
mod screen;
mod words;

#[cfg(test)]
mod tests;

/// What the user reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The line with which the agent told them that the task is not done. `None` if it did not.
    pub told: Option<String>,
    /// The exception that ended the program, which is no word to them.
    pub broke: Option<String>,
    /// The last line of standard output with a letter or a digit, whatever it says; else that of standard error.
    pub last: Option<String>,
}

/// What the user of an agent reads in what it printed.
#[must_use]
pub fn printed(stdout: &str, stderr: &str, heard: &Heard<'_>) -> Printed {
    let repeated = Repeated::new(heard);
    let mut printed = Vec::new();
    let mut exception = without_exceptions(stdout, &repeated, &mut printed);
    let of_stdout = last_words(&printed);
    exception = without_exceptions(stderr, &repeated, &mut printed).or(exception);
    let own: Vec<&String> = printed.iter().filter(|it| !repeated.has(it)).collect();
    let last_own = |says: &dyn Fn(&str) -> bool| own.iter().rev().find(|it| says(it)).map(|it| (*it).clone());
    let (word, broke) = match exception {
        Some(Exception { line, is_of_language: true })
            if !says_that_it_stopped(&line) || exceptions::is_deep(&line) =>
        {
            (None, Some(line))
        }
        other => (other.map(|it| it.line), None),
    };
    let told = last_own(&|it| says_itself(it) || says_that_it_stopped(&repeated.shortened(it)))
        .or_else(|| heard.last.and_then(|last| admitted(last, &printed)))
        .or(word)
        .or_else(|| last_own(&|it| says_error(it) && !repeated.is_around(it)))
        .or_else(|| last_own(&|it| repeated.is_around(it) && admits(&repeated.without(it))));
    Printed { told, last: broke.clone().or(of_stdout).or_else(|| last_words(&printed)), broke }
}

fn last_words(printed: &[String]) -> Option<String> {
    printed.iter().rev().find(|it| it.contains(char::is_alphanumeric)).cloned()
}

/// Words with which agents say that they stopped, in small letters.
const STOPPED: [&str; 45] = [
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
    "had to stop",
    "i stopped",
    "stopping here",
    "stopped:",
    "seems stuck",
    "appears stuck",
    "is stuck",
    "keeps sending the same",
    "makes no progress",
    "making no progress",
    "too many identical",
    "too many repeated",
    "too many attempts",
    "too many failed",
    "is_error\":true",
    "is_error\": true",
    "zu viele versuche",
    "abgebrochen",
    "schleife erkannt",
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

/// Words of somebody who speaks of the run and of nothing else, whatever else is in the line.
const ITSELF: [&str; 5] =
    ["i stopped", "i had to stop", "task is not done", "task was not done", "task is not finished"];

fn says_itself(line: &str) -> bool {
    let line = line.to_lowercase();
    ITSELF.iter().any(|it| line.contains(it))
}

fn says_that_it_stopped(line: &str) -> bool {
    let line = line.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|it| line.contains(it));
    let is_bound = has(&BOUNDS) && has(&MET);
    (has(&STOPPED) || is_bound) && !has(&GOES_ON) && !has(&LIBRARIES)
}

/// Words for trying again.
const GOES_ON: [&str; 6] =
    ["retrying", "will retry", "retry in", "try again in", "trying again", "attempt 1"];

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
const ERRORS: [&str; 19] = [
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
    "empty message",
    "no response",
    "no output from",
    "returned no ",
    "returned nothing",
    "did not return",
    "without an answer",
];

/// More words for "it was not done" than those of the models in the live records, whose counts go by theirs.
const ADMITS: [&str; 16] = [
    "not be done",
    "nothing was done",
    "nothing was written",
    "fails because",
    "no se pudo",
    "no está hech",
    "no hay manera",
    "no he podido",
    "je ne peux pas",
    "n'ai pas pu",
    "não consegui",
    "não foi possível",
    "nicht erledigt",
    "写不了",
    "做不到",
    "込めません",
];

/// Two words of which an object can be between.
const ADMITS_APART: [(&str, &str); 3] =
    [("konnte ", " nicht"), ("kann ", " nicht"), ("lässt sich ", " nicht")];

/// Whether a text admits that the task is not done.
fn admits(text: &str) -> bool {
    let small = text.to_lowercase();
    let apart = |sentence: &str| {
        ADMITS_APART
            .iter()
            .any(|(first, then)| sentence.split_once(first).is_some_and(|(_, rest)| rest.contains(then)))
    };
    claims::admits(text)
        || ADMITS.iter().any(|it| small.contains(it))
        || small.replace(". ", "\n").lines().any(apart)
}

/// Whether a line says that something went wrong with the run.
fn says_error(line: &str) -> bool {
    let small = line.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|it| small.contains(it));
    if has(&LIBRARIES) || has(&CALLS) || has(&GOES_ON) || has(&["0 errors", "no errors", "without errors"]) {
        return false;
    }
    let begins = small.trim_start_matches(|it: char| !it.is_alphanumeric());
    let is_named = ["error", "fatal", "panic", "uncaught", "fehler", "erreur", "erro"].iter().any(|it| {
        begins
            .strip_prefix(it)
            .is_some_and(|rest| rest.trim_start_matches([']', ' ']).starts_with([':', '-', '(']))
    });
    // A line with the end of a tag is of a prompt that the agent shows.
    let admits = admits(line) && !line.contains("</");
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
    let line = last.lines().find(|it| admits(it))?;
    shown.contains(&squeezed(line)).then(|| line.trim().to_owned())
}
