//! Whether a call does something with each text that it is given, as far as names say it.
//!
//! A search in other words asks the same again, and so does a task that is given away once more. A task that is added
//! to a list, a comment that is posted and a row that is inserted are another deed each time, and get the same answer.
//! Their texts have the same form, so the verb decides: the first word that says either, in the name of the tool, or in
//! a command before the place where two of them differ. Other languages are only known by a few verbs: tools and
//! commands have English names nearly everywhere.

use crate::arguments::beginning;
use crate::search::find;
use crate::similarity::common_prefix;
use balk_contract::{Effect, ToolCall};

/// Words that say that something is done.
#[rustfmt::skip]
const DEEDS: &[&str] = &[
    "send", "mail", "email", "post", "comment", "reply", "notify", "invite", "add", "create", "insert", "append",
    "update", "upsert", "set", "put", "write", "save", "store", "upload", "book", "schedule", "register", "assign",
    "label", "tag", "mark", "move", "rename", "copy", "delete", "remove", "drop", "archive", "publish", "pay",
    "transfer", "log", "record", "import", "export", "convert", "resize", "render", "apply", "patch", "edit", "commit",
    "push", "enable", "disable", "click", "press", "type", "fill", "toggle", "enroll", "subscribe", "share", "attach",
    "mkdir", "touch", "echo", "printf", "tee", "cp", "mv", "rm", "sed", "ln", "magick", "ffmpeg", "tar", "zip",
    "enviar", "agregar", "crear", "guardar", "adicionar", "criar", "salvar", "envoyer", "ajouter", "enregistrer",
    "senden", "anlegen", "erstellen", "speichern", "inviare", "aggiungere", "creare",
];
/// Words that say that something is asked, looked for, or given away.
#[rustfmt::skip]
const ASKS: &[&str] = &[
    "search", "find", "query", "get", "list", "look", "lookup", "read", "view", "show", "fetch", "ask", "research",
    "browse", "check", "test", "select", "count", "describe", "status", "delegate", "agent", "grep", "rg", "fd", "ls",
    "cat", "head", "tail", "python", "python3", "node", "buscar", "chercher", "suchen", "recherche", "suche",
];
/// Programs that only look at something.
#[rustfmt::skip]
const LOOKS: [&str; 19] = [
    "ls", "cat", "head", "tail", "less", "grep", "rg", "fd", "find", "tree", "stat", "file", "wc", "diff", "du", "df",
    "which", "pwd", "ps",
];
/// Names of members that hold a command.
const COMMANDS: [&str; 6] = ["command", "cmd", "sql", "query", "statement", "script"];

/// Whether this call does something with its text, given the arguments of the one before.
pub(super) fn is_deed(before: &str, call: &ToolCall) -> bool {
    if call.effect == Effect::ReadOnly {
        return false;
    }
    let says = words(&call.tool).find_map(said);
    says.unwrap_or_else(|| {
        let same = common_prefix(before.as_bytes(), call.arguments.as_bytes());
        let frame = &call.arguments[..call.arguments.floor_char_boundary(same)];
        command(frame).is_some_and(|it| words(it).find_map(said) == Some(true))
    })
}

/// Whether this call runs a program that only looks at something, where the command before, if it was one, ran another
/// one: a look for the cause.
pub(super) fn is_another_look(before: &str, call: &ToolCall) -> bool {
    let after = beginning(&call.arguments);
    // What is piped into another program, or comes before one, is that program's.
    let is_alone = !command(after).is_some_and(|it| it.contains(['|', ';', '&']));
    program(after).is_some_and(|it| is_alone && LOOKS.contains(&it) && program(beginning(before)) != Some(it))
}

/// Whether two commands run programs that are not one, and do not both ask.
pub(super) fn are_other_programs(before: &str, after: &str) -> bool {
    match [before, after].map(program) {
        [Some(one), Some(other)] => one != other && [one, other].map(said) != [Some(false); 2],
        _ => false,
    }
}

/// The first word of the command that these arguments hold.
fn program(arguments: &str) -> Option<&str> {
    let command = command(arguments)?.trim_start().strip_prefix('"')?.trim_start();
    command.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.' | '/')).next()
}

/// Whether the name of the tool says that it asks or looks for something, so that a short answer is one.
pub(super) fn asks(call: &ToolCall) -> bool {
    words(&call.tool).find_map(said) == Some(false)
}

/// What comes after the name of the first member that holds a command.
fn command(mut frame: &str) -> Option<&str> {
    loop {
        let end = find(frame.as_bytes(), b"\":")?;
        let (name, rest) = (&frame[..end], &frame[end + 2..]);
        let name = name.rsplit('"').next().unwrap_or(name);
        if COMMANDS.contains(&name) {
            return Some(rest);
        }
        frame = rest;
    }
}

fn said(word: &str) -> Option<bool> {
    let is_one_of = |all: &[&str]| all.iter().any(|it| word.eq_ignore_ascii_case(it));
    match () {
        () if is_one_of(DEEDS) => Some(true),
        () if is_one_of(ASKS) => Some(false),
        () => None,
    }
}

/// The words of a name or a command: `addTask` has two.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).flat_map(|part| {
        let humps = part.as_bytes().windows(2);
        let end = humps.enumerate().find(|(_, it)| it[0].is_ascii_lowercase() && it[1].is_ascii_uppercase());
        let (first, rest) = part.split_at(end.map_or(part.len(), |(at, _)| at + 1));
        [first, rest].into_iter().filter(|it| !it.is_empty())
    })
}
