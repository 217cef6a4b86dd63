//! What one failed call is evidence of.
//!
//! Structure comes before words, and narrow phrases before wide ones. The first rule that fits decides:
//!
//! | | kind | evidence | why it comes before the next ones |
//! |---|---|---|---|
//! | 1 | malformed call | arguments that are not a JSON object | the tool never learned what was wanted, whatever its error says (spec H6) |
//! | 2 | missing capability | a tool that is not on offer and never worked | its answer ("not found", "unknown") is about the tool, not about a path or an option |
//! | 3 | missing capability | a shell that does not find the command | its error says "not found", as for a missing file |
//! | 4 | malformed call | an error about arguments or options, or one that begins with the usage | usage texts name files and say what is not supported |
//! | 5 | missing input | "no such file", "not found" and similar, about a name from the call or the user | it says more than a denial next to it; a path from neither is internal to the tool and no input |
//! | 6 | missing capability | not supported, not implemented, not permitted | |
//! | 7 | no progress | anything else | |
//!
//! The phrases are those of tools, which are nearly always English; an unrecognised failure is still reported, as no
//! progress.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::lengths::ERROR_CHARS;
use crate::words::{self, Lists};
use balk_contract::key::Shape;
use balk_contract::{GapKind, ToolCall};

/// What is known about a failure.
pub(super) struct Evidence<'e> {
    /// The call; `None` for an end that came with a message alone.
    pub(super) call: Option<&'e ToolCall>,
    /// Whether the tool is known not to exist.
    pub(super) is_absent: bool,
    /// What the user asked for.
    pub(super) request: &'e str,
    /// The error.
    pub(super) error: &'e str,
}

/// The kind of gap, and what is missing: a command, a path, else the tool.
pub(super) fn tell<'e>(it: &Evidence<'e>) -> (GapKind, Cow<'e, str>) {
    let tool = it.call.map_or("", |call| &*call.tool);
    let error = Said::new(it.error);
    if it.call.is_some_and(is_broken) {
        (GapKind::MalformedCall, tool.into())
    } else if it.is_absent {
        (GapKind::MissingCapability, tool.into())
    } else if let Some(command) = missing_command(&error) {
        (GapKind::MissingCapability, command.into())
    } else if is_about_arguments(&error) {
        (GapKind::MalformedCall, tool.into())
    } else if let Some(input) = missing_input(it, &error) {
        (GapKind::MissingInput, input)
    } else if let Some(at) = error.first(Says::Denied) {
        let named = at.names().into_iter().find(|name| it.is_named(name));
        (GapKind::MissingCapability, named.unwrap_or(tool).into())
    } else {
        (GapKind::NoProgress, tool.into())
    }
}

/// Whether the arguments are not what any tool accepts.
pub(super) fn is_broken(call: &ToolCall) -> bool {
    call.shape != Shape::Object
}

#[rustfmt::skip]
const DENIED: &[&str] = &[
    "no capability", "not supported", "unsupported operation", "not implemented", "permission denied",
    "access denied", "access is denied", "not permitted", "not allowed", "forbidden", "eacces",
    "unknown tool", "not installed",
];

#[rustfmt::skip]
const ARGUMENTS: &[&str] = &[
    "invalid arguments", "invalid params", "invalid option", "illegal option", "unknown option",
    "unknown flag", "unrecognized option", "unrecognized argument", "unexpected argument",
    "arguments are required", "required arguments", "flag provided but not defined", "invalid json",
    "not valid json",
];

fn is_about_arguments(error: &Said<'_>) -> bool {
    let begins = |line: &str| line.trim_start().get(..6).is_some_and(|it| it.eq_ignore_ascii_case("usage:"));
    error.says(Says::Arguments) || error.text.lines().any(begins)
}

#[rustfmt::skip]
const NO_COMMAND: &[&str] = &[
    "command not found", "is not recognized as", "executable file not found",
    "not found, but can be installed",
];
const SPAWN: &str = "spawn ";

/// The command that a shell did not find: `bash: jq: command not found`, `sh: 1: jq: not found`, `'jq' is not
/// recognized as …`, `exec: "jq": executable file not found`, `spawn jq ENOENT`.
fn missing_command<'e>(error: &Said<'e>) -> Option<&'e str> {
    if let Some(said) = error.first(Says::NoCommand) {
        // A name quoted after it is advice.
        return said.names()[1..].iter().copied().find(|name| !name.is_empty());
    }
    let spawns = error.says(Says::Spawn);
    error.text.lines().find_map(|line| {
        let lower = spawns.then(|| line.to_ascii_lowercase());
        let spawned = lower.and_then(|it| line[it.find(SPAWN)? + SPAWN.len()..].split_once(" ENOENT"));
        spawned.map(|(command, _)| command).or_else(|| not_found_by_shell(line))
    })
}

/// The shells of Debian and of BusyBox print their own name, sometimes the line, and the command.
fn not_found_by_shell(line: &str) -> Option<&str> {
    let (rest, said) = line.rsplit_once(": ")?;
    let (shell, command) = rest.rsplit_once(": ")?;
    let shell = match shell.rsplit_once(": ") {
        Some((shell, number)) if number.bytes().all(|it| it.is_ascii_digit()) => shell,
        Some(_) | None => shell,
    };
    let shell = shell.rsplit(['/', ' ']).next().unwrap_or(shell);
    (said.starts_with("not found") && matches!(shell, "sh" | "ash" | "dash" | "bash")).then_some(command)
}

#[rustfmt::skip]
const NO_INPUT: &[&str] = &[
    "no such file or directory", "no such file", "not found", "does not exist", "enoent", "cannot find the",
];

/// The missing file, folder or other input, if the call or the user named it.
fn missing_input<'e>(it: &Evidence<'e>, error: &Said<'e>) -> Option<Cow<'e, str>> {
    let said = error.first(Says::NoInput)?;
    if let Some(name) = said.names().into_iter().find(|name| it.is_named(name)) {
        return Some(name.into());
    }
    // Many tools do not repeat the file name, because the call has it.
    let names_another = said.names().iter().any(|name| looks_like_path(name));
    it.call.and_then(ToolCall::path).filter(|_| !names_another).map(Cow::Owned)
}

impl Evidence<'_> {
    /// Whether the call or the user named this. A path counts by its last part, because tools make paths absolute; a
    /// name with blanks counts only as a whole.
    fn is_named(&self, name: &str) -> bool {
        let last = match name.contains(' ') {
            true => name,
            false => name.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(name),
        };
        let arguments = self.call.map_or("", |call| &*call.arguments);
        !last.is_empty() && (has_word(arguments, last) || has_word(self.request, last))
    }
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

fn looks_like_path(name: &str) -> bool {
    name.contains(['/', '\\']) || name.trim_matches('.').contains('.')
}

/// What the phrases of a list say.
#[derive(Clone, Copy)]
enum Says {
    NoCommand,
    Spawn,
    Arguments,
    NoInput,
    Denied,
}

/// Their phrases, which match in any case.
const PHRASES: [&[&str]; 5] = [NO_COMMAND, &[SPAWN], ARGUMENTS, NO_INPUT, DENIED];

/// An error, and which lists have a phrase in it. If it is longer than what guards keep, its end is ignored.
struct Said<'e> {
    text: &'e str,
    found: words::Found,
}

/// Bytes of the longest error that is kept, including the mark where it was cut.
const BYTES: usize = 4 * (ERROR_CHARS + 1);

impl<'e> Said<'e> {
    fn new(text: &'e str) -> Self {
        static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::anywhere(&PHRASES));
        let text = &text[..text.floor_char_boundary(BYTES)];
        Self { text, found: LISTS.find(text) }
    }

    fn says(&self, what: Says) -> bool {
        self.found.has(what as usize)
    }

    /// The first of the phrases of this list that occurs in it, at its first occurrence.
    fn first(&self, what: Says) -> Option<Found<'e>> {
        if !self.says(what) {
            return None;
        }
        let lower = self.text.to_ascii_lowercase();
        let find = |phrase: &&str| Some((lower.find(*phrase)?, phrase.len()));
        let (at, len) = PHRASES[what as usize].iter().find_map(find)?;
        let (before, after) = (&self.text[..at], &self.text[at + len..]);
        let before = before.rsplit('\n').next().unwrap_or(before);
        let after = after.split('\n').next().unwrap_or(after);
        Some(Found { before, after })
    }
}

/// A phrase in an error, with the text before and after it on its line.
struct Found<'e> {
    before: &'e str,
    after: &'e str,
}

impl<'e> Found<'e> {
    /// What it may be about, most likely first: `… 'NAME'`, `…: NAME` or `… for NAME`, `'NAME' …`, `…: NAME: …`, `the
    /// file NAME was …`. Some are empty.
    fn names(&self) -> [&'e str; 5] {
        let behind = self.after.strip_prefix(": ").or_else(|| self.after.strip_prefix(" for ")).unwrap_or("");
        let behind = behind.split([' ', ',', ';']).next().unwrap_or("");
        let ahead = self.before.trim_end_matches([' ', ':']);
        let last_part = ahead.rsplit(": ").next().unwrap_or(ahead);
        let last_path = ahead.rsplit(' ').find(|word| looks_like_path(word));
        let last_word = last_path.or_else(|| ahead.rsplit(' ').next()).unwrap_or(ahead);
        let quoted_behind = between(self.after.splitn(3, QUOTES));
        let quoted_ahead = between(self.before.rsplitn(3, QUOTES));
        [quoted_behind, behind, quoted_ahead, last_part, last_word].map(|name| name.trim_matches(AROUND))
    }
}

const QUOTES: [char; 3] = ['\'', '"', '`'];
/// Characters around a name that are not part of it.
const AROUND: [char; 8] = ['\'', '"', '`', '(', ')', ',', ';', ' '];

/// The text between two quotes, from a text that was split at them.
fn between<'e>(mut parts: impl Iterator<Item = &'e str>) -> &'e str {
    let quoted = parts.nth(1);
    quoted.filter(|_| parts.next().is_some()).unwrap_or("")
}
