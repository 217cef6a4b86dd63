//! What a failure says, in comparable forms.
//!
//! The status says *whether* a result failed. Without a status, its text does
//! ([`Reading`](balk_contract::reading::Reading)).
//!
//! *How* it failed is the last line that says so, or the beginning of a failure without such a line. Of an answer so
//! long that only its ends are read, all lines that begin like errors count beside it
//! ([`Errors`](balk_contract::reading::Errors)): a build ends with the same line whatever was wrong. Two forms of it
//! are compared:
//!
//! - *exactly*: without its volatile parts ([`identity`](balk_contract::identity));
//! - *loosely*, for calls with other arguments: quoted text is masked, and so is every word with a digit, a path or
//!   an assignment in it, and every word of the call itself, because errors repeat their input. Case, white space and
//!   punctuation around words do not count, nor does anything after the first 400 bytes
//!   (`docs/peers.md#other-rules`). A text with few letters says nothing. In JSON, quotes are part of the syntax, and
//!   only the values count.

use balk_contract::reading::Prospect;
use memchr::{memchr_iter, memmem};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::search::find;
use balk_contract::{Effect, ResultKey, ToolCall, ToolResult, identity};

/// How a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) exact: ResultKey,
    pub(crate) loose: u64,
    /// Line ends in the whole answer.
    pub(crate) lines: u32,
    /// A digest of how many failures it counts, and of all lines that say what failed.
    pub(crate) failures: u16,
    /// Whether the same call may work later.
    pub(crate) prospect: Prospect,
    /// True if it names something: a file, a quoted name, or a part of the input. Other failures fit many causes
    /// ("the command returned 1").
    pub(crate) specific: bool,
}

/// Bytes of an error that are compared, and bytes of the arguments that are searched for its words.
const ERROR_BYTES: usize = 400;
const ARGUMENT_BYTES: usize = 2_000;
/// Letters that an error must have to say more than "exit code 1".
const LETTERS: usize = 12;

impl Failure {
    /// How this call failed; `None` if it did not, or if the error says too little.
    pub(crate) fn of(result: &ToolResult) -> Option<Self> {
        if !is_failure(result) {
            return None;
        }
        let reading = result.text.reading();
        let (said, (form, specific)) = said(&result.call, reading.line, &result.text)?;
        let errors = result.text.errors();
        let first = errors.first.filter(|first| *first != said).and_then(|it| loose(&result.call, it));
        let lines = memchr_iter(b'\n', result.text.as_bytes()).count();
        Some(Self {
            exact: identity(said).beside(errors.digest),
            loose: form ^ first.map_or(0, |(first, _)| first.rotate_left(32)),
            lines: u32::try_from(lines).unwrap_or(u32::MAX),
            failures: reading.failures,
            prospect: reading.prospect,
            specific,
        })
    }
}

impl Failure {
    /// Whether two calls got the same error in an answer of the same form: a longer one says something more.
    pub(crate) fn is_same(self, other: Self) -> bool {
        self.exact == other.exact && self.lines == other.lines
    }

    /// Whether two calls failed in the same way. A place that cannot be reached says so in other words each time.
    pub(crate) fn is_alike(self, other: Self) -> bool {
        self.exact == other.exact
            || self.loose == other.loose
            || (self.prospect, other.prospect) == (Prospect::Passing, Prospect::Passing)
    }

    /// The factor by which more tries are allowed: a temporary failure may be tried longer.
    pub(crate) fn patience(self) -> u32 {
        if self.prospect == Prospect::Passing { 2 } else { 1 }
    }
}

/// What a byte in a word may be: a digit; a mark of names, paths and assignments; punctuation.
const DIGIT: u8 = 1;
const NAMES: u8 = 2;
const PUNCTUATION: u8 = 4;

static MARKS: [u8; 256] = {
    let mut marks = [0; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        marks[at] = match byte {
            b'0'..=b'9' => DIGIT,
            b'/' | b'\\' | b'=' | b'\'' | b'"' | b'`' => NAMES | PUNCTUATION,
            _ if byte.is_ascii_punctuation() => PUNCTUATION,
            _ => 0,
        };
        at += 1;
    }
    marks
};
/// The text that says how a call failed, with its loose form: the line that says so, all from that line on if it is a
/// mere heading ("ERROR:"), or the beginning of an answer without such a line, or with one that says too little
/// (`FAILED (failures=1)`).
fn said<'t>(call: &ToolCall, line: Option<&'t str>, text: &'t str) -> Option<(&'t str, (u64, bool))> {
    let of = |said: &'t str| {
        let said = &said[..said.floor_char_boundary(ERROR_BYTES)];
        Some((said, loose(call, said)?))
    };
    let Some(line) = line else { return of(text) };
    of(line)
        .or_else(|| line.ends_with(':').then(|| of(&text[text.find(line)?..])).flatten())
        .or_else(|| of(text))
}

/// The loose form, and whether it names something; `None` if it says too little.
fn loose(call: &ToolCall, error: &str) -> Option<(u64, bool)> {
    let error = &error.as_bytes()[..error.len().min(ERROR_BYTES)];
    let arguments = &call.arguments.as_bytes()[..call.arguments.len().min(ARGUMENT_BYTES)];
    // A word with its separator, or a mask, needs at most as many bytes as in the error, and one more.
    let mut normal = [0; ERROR_BYTES + 1];
    let (mut end, mut letters, mut masked) = (0, 0, false);
    let (mut quote, mut specific) = (None, false);
    let (text, json) = error.split_at(json(error).unwrap_or(error.len()));
    let words = text.split(u8::is_ascii_whitespace).chain(values(json));
    for word in words {
        let marks = word.iter().fold(0, |marks, byte| marks | MARKS[usize::from(*byte)]);
        let bare = if marks & PUNCTUATION == 0 { word } else { trimmed(word) };
        let is_quoted = if marks & NAMES == 0 { quote.is_some() } else { is_in_quotes(word, &mut quote) };
        let is_plain = !is_quoted && marks & (DIGIT | NAMES) == 0;
        letters += if is_plain { bare.len() } else { 0 };
        let names_something = is_quoted || marks & NAMES != 0;
        // For a word that is masked anyway, this is not needed.
        let is_echo = !names_something
            && bare.len() > 2
            && (bare == call.tool.as_bytes() || find(arguments, bare).is_some());
        // Calls and errors mention "command" whatever they are about.
        let is_name = || !bare.eq_ignore_ascii_case(b"command") && has_word(arguments, bare);
        specific |= names_something || is_error_name(word) || is_echo && is_name();
        if is_plain && !is_echo {
            normal[end..end + bare.len()].copy_from_slice(bare);
            end += bare.len();
            (normal[end], masked) = (b' ', false);
            end += usize::from(!bare.is_empty());
        } else if !masked {
            // This byte occurs in no text.
            (normal[end], masked) = (0xff, true);
            end += 1;
        }
    }
    normal[..end].make_ascii_lowercase();
    (letters >= LETTERS).then(|| (xxh3_64(&normal[..end]), specific))
}

/// Where JSON begins in an error: at the first name of a member that stands where JSON has one.
fn json(error: &[u8]) -> Option<usize> {
    let begins = |end: usize| error[..end].iter().rposition(|byte| *byte == b'"');
    let is_member = |start: &usize| {
        let before = error[..*start].trim_ascii_end();
        before.last().is_none_or(|byte| b"{,[".contains(byte))
    };
    let ends = memchr_iter(b':', error).filter(|at| error[..*at].ends_with(b"\"")).map(|at| at - 1);
    ends.filter_map(begins).find(is_member)
}

/// The words of the values in an error in JSON.
fn values(json: &[u8]) -> impl Iterator<Item = &[u8]> {
    let divides = |byte: &u8| byte.is_ascii_whitespace() || b"{}[]\",:".contains(byte);
    let ends_a_name =
        |rest: &[u8]| rest.strip_prefix(b"\"").is_some_and(|rest| rest.trim_ascii_start().starts_with(b":"));
    let mut next = 0;
    json.split(divides).filter(move |word| {
        let end = next + word.len();
        next = end + 1;
        !word.is_empty() && !ends_a_name(&json[end..])
    })
}

/// Whether the word is part of a quotation, and which quote is open after it.
fn is_in_quotes(word: &[u8], quote: &mut Option<u8>) -> bool {
    let was_open = quote.is_some();
    for (at, &byte) in word.iter().enumerate() {
        match *quote {
            Some(open) if byte == open => *quote = None,
            // An apostrophe is within a word, a quote before one.
            None if matches!(byte, b'`' | b'"')
                || byte == b'\'' && !word[..at].iter().any(u8::is_ascii_alphanumeric) =>
            {
                *quote = Some(byte);
            }
            Some(_) | None => {}
        }
    }
    was_open || quote.is_some()
}

/// Whether the word is the name of an error, as programs report it: `TypeError:`.
fn is_error_name(word: &[u8]) -> bool {
    word.strip_suffix(b":").is_some_and(|name| {
        [&b"Error"[..], b"Exception"].iter().any(|kind| name.len() > kind.len() && name.ends_with(kind))
    })
}

/// Whether the word occurs by itself, not within another.
fn has_word(arguments: &[u8], word: &[u8]) -> bool {
    let is_apart = |byte: Option<&u8>| !byte.is_some_and(u8::is_ascii_alphanumeric);
    let mut from = 0;
    while let Some(at) = find(&arguments[from..], word).map(|at| from + at) {
        from = at + word.len().max(1);
        if is_apart(at.checked_sub(1).map(|it| &arguments[it])) && is_apart(arguments.get(at + word.len())) {
            return true;
        }
    }
    false
}

fn trimmed(word: &[u8]) -> &[u8] {
    let inner = |byte: &u8| !byte.is_ascii_punctuation();
    let start = word.iter().position(inner).unwrap_or(word.len());
    let end = word.iter().rposition(inner).map_or(start, |last| last + 1);
    &word[start..end]
}

/// Whether this result is a failure, by its status or, without a status, by its text. A program that says no with its
/// exit status has answered; a tool that changes things and says nothing has not.
pub(crate) fn is_failure(result: &ToolResult) -> bool {
    let may_say_no = result.call.effect == Effect::Unknown || result.call.effect == Effect::ReadOnly;
    result.is_failure() && !(may_say_no && result.text.reading().says_no)
}

/// The longest call, in bytes, that does little else than wait.
const PAUSE_BYTES: usize = 200;

/// Whether this call waits, or found that something is still in progress.
pub(crate) fn is_waiting(result: &ToolResult) -> bool {
    (result.text.goes_on() || pauses(&result.call)) && !is_failure(result)
}

/// Words of a tool that waits, whatever its arguments are, that begin with this letter.
const fn pauses_with(first: u8) -> &'static [&'static str] {
    match first.to_ascii_lowercase() {
        b'a' => &["attendre", "aguardar"],
        b'd' => &["delay"],
        b'e' => &["esperar"],
        b'p' => &["pause"],
        b's' => &["sleep"],
        b'w' => &["wait", "warten"],
        _ => &[],
    }
}

/// Whether this call waits a while, whatever else it does: `sleep 5`, `time.sleep(5)`, but not a file of that name; or
/// a tool whose name begins with the word for it (`wait`, `sleep_seconds`, `waitFor`).
pub(crate) fn pauses(call: &ToolCall) -> bool {
    let name = call.tool.as_bytes();
    let is_named = |word: &&str| {
        name.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word.as_bytes()))
            && !name.get(word.len()).is_some_and(u8::is_ascii_lowercase)
    };
    if name.first().is_some_and(|first| pauses_with(*first).iter().any(is_named)) {
        return true;
    }
    let arguments = call.arguments.as_bytes();
    let is_pause = |rest: &[u8]| matches!(rest, [b' ' | b'(', digit, ..] if digit.is_ascii_digit());
    arguments.len() <= PAUSE_BYTES && behind_each(arguments, b"sleep").any(is_pause)
}

/// What is behind each place of a word.
fn behind_each<'t>(text: &'t [u8], word: &[u8]) -> impl Iterator<Item = &'t [u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = &rest[find(rest, word)? + word.len()..];
        Some(rest)
    })
}

/// Names of tools that only let time pass.
const PAUSES: [&str; 6] = ["sleep", "wait", "pause", "delay", "sleep_seconds", "wait_seconds"];

/// Whether this call lets time pass and looks at nothing: a command that is `sleep 5` or `sleep 5 && echo waited`, or a
/// tool with a name for it that gets a number and nothing else.
pub(crate) fn only_pauses(call: &ToolCall) -> bool {
    let arguments = &*call.arguments;
    if arguments.len() > PAUSE_BYTES {
        return false;
    }
    let Some(at) = find(arguments.as_bytes(), b"sleep ") else {
        let is_named = PAUSES.iter().any(|it| call.tool.eq_ignore_ascii_case(it));
        let has_one_member = || call.members.iter().count() == 1;
        return is_named && has_one_member() && arguments.bytes().filter(|byte| *byte == b'"').count() == 2;
    };
    let (before, rest) = (&arguments[..at], &arguments[at + "sleep ".len()..]);
    let command = rest.split('"').next().unwrap_or_default();
    let behind = command.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let says = behind.trim_start_matches(['s', 'm']).trim();
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | '_' | '-' | '!');
    let only_says = |says: &str| says.is_empty() || says.starts_with("echo ") && says.chars().all(is_word);
    before.ends_with('"')
        && behind.len() < command.len()
        && !rest.contains("sleep")
        && only_says(says.strip_prefix("&&").or_else(|| says.strip_prefix(';')).unwrap_or(says).trim_start())
}

/// Whether this call shows what a program writes while it runs: `tail -n 5 a.log`, `docker logs web`, `journalctl`. A
/// `tail` behind a pipe only cuts what another program says.
pub(crate) fn follows_a_log(call: &ToolCall) -> bool {
    let arguments = call.arguments.as_bytes();
    let ends_a_word = |byte: &u8| byte.is_ascii_whitespace() || b"\"';&(".contains(byte);
    let has = |word: &[u8], is_first: bool| {
        memmem::find_iter(arguments, word).any(|at| {
            let before = &arguments[..at];
            let begins = before.trim_ascii_end().last().is_none_or(|byte| b"\"';&(".contains(byte));
            before.last().is_none_or(ends_a_word)
                && arguments.get(at + word.len()).is_none_or(ends_a_word)
                && begins == is_first
        })
    };
    arguments.len() <= PAUSE_BYTES && (has(b"logs", false) || has(b"journalctl", true) || has(b"tail", true))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use balk_contract::Offer;
    use balk_contract::{RawCall, Status};

    fn of(arguments: &str, status: Status, text: &str) -> Option<Failure> {
        let raw = RawCall { id: "c".into(), tool: "sql".into(), arguments: arguments.into() };
        let call = Arc::new(ToolCall::new(raw, &Offer::default()));
        Failure::of(&ToolResult::executed(&call, status, text))
    }

    #[track_caller]
    fn check(one: (&str, &str), other: (&str, &str), is_same: bool) {
        let [first, second] = [one, other].map(|(arguments, error)| of(arguments, Status::Error, error));
        let (first, second) = (first.expect("it says enough"), second.expect("it says enough"));
        assert_eq!(first.loose == second.loose, is_same, "{one:?} and {other:?}");
    }

    #[test]
    fn a_log_is_followed_by_a_command_that_shows_it() {
        let follows = |command: &str| {
            let arguments = format!(r#"{{"command":"{command}"}}"#).into();
            let raw = RawCall { id: "c".into(), tool: "sh".into(), arguments };
            follows_a_log(&ToolCall::new(raw, &Offer::default()))
        };
        for command in ["tail -n 3 out.log", "cd a && tail out", "kubectl logs x -n y", "journalctl -u x"] {
            assert!(follows(command), "{command}");
        }
        for command in ["make | tail -n 3", "ls logs/", "cat a.log", "cat logs.txt", "echo retail", "logs"] {
            assert!(!follows(command), "{command}");
        }
    }

    #[test]
    fn what_the_arguments_and_the_place_make_of_an_error_is_masked() {
        let table = |name: &str| {
            (format!(r#"{{"query":"select * from {name}"}}"#), format!("No such table: {name}."))
        };
        let [(a, no_a), (b, no_b)] = [table("users"), table("orders")];
        check((&a, &no_a), (&b, &no_b), true);
        check(
            ("{}", "the shell stopped: `sh -c 'make x' | tail -n 20` was not found"),
            ("{}", "the shell stopped: `make --jobs=3` was not found"),
            true,
        );
        check(("{}", "syntax error near line 3"), ("{}", "Syntax  error, near line 17"), true);
        check(
            ("{}", "cannot open file '/a/b.py' for reading"),
            ("{}", "cannot open file 'c.py' for reading"),
            true,
        );
    }

    #[test]
    fn other_words_are_another_failure() {
        check(("{}", "no such table: users"), ("{}", "no such column: users"), false);
        check(("{}", "permission denied"), ("{}", "no space left on device"), false);
    }

    #[test]
    fn in_json_the_quotes_are_of_its_form() {
        let broken = r#"{"cell":"Sum!F9","error":"\#REF!","message":"reference to a deleted sheet"}"#;
        let other = r#"{"cell": "Sum!B2", "error": "\#REF!", "message": "reference to a deleted sheet"}"#;
        check(("{}", broken), ("{}", other), true);
        check(("{}", broken), ("{}", r#"{"cell":"Sum!F9","message":"the formula has a circle"}"#), false);
        check(
            ("{}", r#"HTTP 403 {"error":"archived repository"}"#),
            ("{}", r#"HTTP 404 {"error":"archived repository"}"#),
            true,
        );
        let printed = "{\n  \"code\": 409,\n  \"message\": \"the range is protected\"\n}";
        check(("{}", printed), ("{}", &printed.replace("409", "423")), true);
        check(("{}", printed), ("{}", &printed.replace("protected", "missing")), false);
        assert!(of("{}", Status::Error, r#"  "message": "the range is protected""#).is_some());
        let prose = r#"could not look up "users": no such table here"#;
        check(("{}", prose), ("{}", &prose.replace("users", "orders")), true);
        assert!(of("{}", Status::Error, prose).expect("it says enough").specific);
        assert!(of("{}", Status::Error, r#"{"error":"session_expired","hits":[]}"#).is_some());
        assert_eq!(of("{}", Status::Error, r#"{"status":500,"description":"","error":null}"#), None);
    }

    #[test]
    fn a_failure_that_says_nothing_has_no_form() {
        for error in ["", "exit code 1", "/a/b: 12", "é"] {
            assert_eq!(of("{}", Status::Error, error), None, "{error}");
        }
    }

    #[test]
    fn the_last_line_that_begins_like_an_error_says_how() {
        let traceback = |line: u32, error: &str| {
            format!(
                "Traceback (most recent call last):\n  File \"a.py\", line {line}\n    x()\n{error}\n2 steps left"
            )
        };
        let of = |text: &str| of("{}", Status::Unknown, text);
        let one = of(&traceback(3, "numpy.linalg.LinAlgError: Singular matrix"));
        assert!(one.is_some());
        assert_eq!(one, of(&traceback(70, "numpy.linalg.LinAlgError: Singular matrix")));
        let other = of(&traceback(3, "AssertionError: expected 2 but got 0"));
        assert_ne!(one, other);
        assert_ne!(other, of(&traceback(3, "AssertionError: expected 2 but got 1")), "digits count exactly");
        assert!(of("error: could not compile `a` due to 2 previous errors").is_some());
        assert!(of("  [ERROR] no such module on the path").is_some());
    }

    #[test]
    fn a_text_about_errors_is_none() {
        for text in [
            "12\terror = None",
            "error = None",
            "3 passed, no errors found here",
            "see error_log.txt for more",
        ] {
            assert_eq!(of("{}", Status::Unknown, text), None, "{text}");
        }
        assert_eq!(of("{}", Status::Ok, "Error: but the tool says that it worked"), None);
    }
}
