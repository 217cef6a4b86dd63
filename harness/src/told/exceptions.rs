//! Exceptions with which a program ends, in what it printed.

use super::repeated::Repeated;
use super::screen;
use super::words::LIBRARIES;

/// An exception that ended a program.
pub(super) struct Exception {
    pub(super) line: String,
    /// Whether it is one of the language: Python names the module of all others, and JavaScript has few.
    pub(super) is_of_language: bool,
}

/// Modules of Python itself whose exceptions are named with them.
const OF_PYTHON: [&str; 12] = [
    "json.",
    "subprocess.",
    "urllib.",
    "http.",
    "socket.",
    "ssl.",
    "asyncio.",
    "concurrent.",
    "sqlite3.",
    "xml.",
    "zipfile.",
    "configparser.",
];

/// The exceptions of JavaScript.
const OF_JAVASCRIPT: [&str; 9] = [
    "Error",
    "TypeError",
    "RangeError",
    "ReferenceError",
    "SyntaxError",
    "EvalError",
    "URIError",
    "AggregateError",
    "UnhandledPromiseRejection",
];

/// Adds the lines of an output without those of exceptions, and returns the last of these.
pub(super) fn without_exceptions(
    output: &str,
    repeated: &Repeated,
    printed: &mut Vec<String>,
) -> Option<Exception> {
    let lines: Vec<String> = screen::lines(output).collect();
    match lines.iter().rposition(|it| it.starts_with("Node.js v")) {
        Some(end) => without_stack(&lines, end, printed),
        None => without_tracebacks(lines, repeated, printed),
    }
}

/// The same for JavaScript, whose last line names the version. Before it are a place, a line of the source with a mark
/// below, the exception, and the stack.
fn without_stack(lines: &[String], end: usize, printed: &mut Vec<String>) -> Option<Exception> {
    let is_place = |line: &String| {
        let number = line.rsplit(':').next().unwrap_or_default();
        let begins = ["/", "file:", "node:"].iter().any(|it| line.starts_with(it));
        begins && !number.is_empty() && number.chars().all(|it| it.is_ascii_digit())
    };
    let is_frame = |line: &String| line.trim_start().starts_with("at ");
    let is_mark = |line: &String| line.trim().chars().all(|it| it == '^' || it == '~');
    let place = lines[..end].iter().rposition(is_place);
    let mark = place.and_then(|place| Some(place + lines[place..end].iter().position(is_mark)?));
    let stack = lines[..end].iter().position(is_frame);
    let at = mark.map(|it| it + 1).or_else(|| stack?.checked_sub(1));
    printed.extend(lines[..place.or(at).unwrap_or(end)].iter().cloned());
    let line = lines[..end].get(at?)?.clone();
    let name = line.trim_start_matches('[').split([':', ' ']).next().unwrap_or_default();
    Some(Exception { is_of_language: OF_JAVASCRIPT.contains(&name), line })
}

/// The same for Python. An exception that a library only reports, or that a tool answered, does not count.
fn without_tracebacks(
    lines: Vec<String>,
    repeated: &Repeated,
    printed: &mut Vec<String>,
) -> Option<Exception> {
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
    exception.map(|line| {
        let name = line.split([':', ' ']).next().unwrap_or_default();
        let is_of_language = !name.contains('.') || OF_PYTHON.iter().any(|it| name.starts_with(it));
        Exception { is_of_language, line }
    })
}

/// Python's own words for a function that calls itself too often have those of an agent's bound in them.
pub(super) fn is_deep(line: &str) -> bool {
    line.starts_with("RecursionError")
}
