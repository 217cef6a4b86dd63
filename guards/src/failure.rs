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

use crate::last_read::LastRead;
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
        thread_local! {
            static LAST: LastRead<3, Option<Failure>> = const { LastRead::new() };
        }
        let call = &result.call;
        LAST.with(|last| {
            last.of([result.text.text(), &call.arguments, &call.tool], || Self::of_texts(result))
        })
    }

    /// The same of a failure; nothing but the texts of the call and of its answer counts.
    fn of_texts(result: &ToolResult) -> Option<Self> {
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
    result.is_failure() && !(may_say_no && result.text.says_no())
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
mod tests;
