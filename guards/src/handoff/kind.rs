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
//! What the error is about is read by [`Causes`], in the words of tools and of the C library in thirteen languages. An
//! unrecognised failure is still reported, as no progress.

use std::borrow::Cow;

use balk_contract::key::Shape;
use balk_contract::reading::{Cause, Causes};
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
    let error = Causes::of(it.error);
    if it.call.is_some_and(is_broken) {
        (GapKind::MalformedCall, tool.into())
    } else if it.is_absent {
        (GapKind::MissingCapability, tool.into())
    } else if let Some(command) = missing_command(it.error, error) {
        (GapKind::MissingCapability, command.into())
    } else if is_about_arguments(it.error, error) {
        (GapKind::MalformedCall, tool.into())
    } else if let Some(input) = missing_input(it, error) {
        (GapKind::MissingInput, input)
    } else if let Some(around) = error.around(Cause::Denied) {
        let named = names(around).into_iter().find(|name| it.is_named(name));
        (GapKind::MissingCapability, named.unwrap_or(tool).into())
    } else {
        (GapKind::NoProgress, tool.into())
    }
}

/// Whether the arguments are not what any tool accepts.
pub(super) fn is_broken(call: &ToolCall) -> bool {
    call.shape != Shape::Object
}

fn is_about_arguments(error: &str, causes: Causes<'_>) -> bool {
    let begins = |line: &str| line.trim_start().get(..6).is_some_and(|it| it.eq_ignore_ascii_case("usage:"));
    causes.has(Cause::Arguments) || error.lines().any(begins)
}

const SPAWN: &str = "spawn ";

/// The command that a shell did not find: `bash: jq: command not found`, `sh: 1: jq: not found`, `'jq' is not
/// recognized as …`, `exec: "jq": executable file not found`, `spawn jq ENOENT`.
fn missing_command<'e>(error: &'e str, causes: Causes<'e>) -> Option<&'e str> {
    if let Some(around) = causes.around(Cause::Command) {
        // A name quoted after it is advice.
        return names(around)[1..].iter().copied().find(|name| !name.is_empty());
    }
    let missing = |line: &'e str| spawned(line).or_else(|| not_found_by_shell(line));
    if causes.has(Cause::Missing) { error.lines().find_map(missing) } else { None }
}

/// Node.js names the call of the system, the command and the error.
fn spawned(line: &str) -> Option<&str> {
    let at = line.to_ascii_lowercase().find(SPAWN)?;
    line[at + SPAWN.len()..].split_once(" ENOENT").map(|(command, _)| command)
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

/// The missing file, folder or other input, if the call or the user named it.
fn missing_input<'e>(it: &Evidence<'e>, error: Causes<'e>) -> Option<Cow<'e, str>> {
    let names = names(error.around(Cause::Missing)?);
    if let Some(name) = names.into_iter().find(|name| it.is_named(name)) {
        return Some(name.into());
    }
    // Many tools do not repeat the file name, because the call has it.
    let names_another = names.iter().any(|name| looks_like_path(name));
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

/// What a phrase in an error may be about, by the text before and after it on its line, most likely first:
/// `… 'NAME'`, `…: NAME` or `… for NAME`, `'NAME' …`, `…: NAME: …`, `the file NAME was …`. Some are empty.
fn names<'e>((before, after): (&'e str, &'e str)) -> [&'e str; 5] {
    let behind = after.strip_prefix(": ").or_else(|| after.strip_prefix(" for ")).unwrap_or("");
    let behind = behind.split([' ', ',', ';']).next().unwrap_or("");
    let ahead = before.trim_end_matches([' ', ':']);
    let last_part = ahead.rsplit(": ").next().unwrap_or(ahead);
    let last_path = ahead.rsplit(' ').find(|word| looks_like_path(word));
    let last_word = last_path.or_else(|| ahead.rsplit(' ').next()).unwrap_or(ahead);
    let quoted_behind = between(after.splitn(3, QUOTES));
    let quoted_ahead = between(before.rsplitn(3, QUOTES));
    [quoted_behind, behind, quoted_ahead, last_part, last_word].map(|name| name.trim_matches(AROUND))
}

const QUOTES: [char; 3] = ['\'', '"', '`'];
/// Characters around a name that are not part of it.
const AROUND: [char; 8] = ['\'', '"', '`', '(', ')', ',', ';', ' '];

/// The text between two quotes, from a text that was split at them.
fn between<'e>(mut parts: impl Iterator<Item = &'e str>) -> &'e str {
    let quoted = parts.nth(1);
    quoted.filter(|_| parts.next().is_some()).unwrap_or("")
}
