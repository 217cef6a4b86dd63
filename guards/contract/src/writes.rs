//! Which calls seem to write, where the effect of their tool is not declared (spec A3).
//!
//! A guess from structure, with names as evidence beside it. It takes two of these:
//!
//! | evidence | examples |
//! |---|---|
//! | a name that writes | `write_file`, `strReplace`, `fs-edit`, or `command: "create"` among the arguments |
//! | a place | a member `path`, a value like `src/game.py`, the word `file` in the name |
//! | a content | a member `content` or `new_string`, a value of several lines |
//! | what the result says | "rolled back", "could not write" |
//!
//! A name that reads or runs something (`read_file`, `run_tests`, `bash`) outweighs all of them. The first word of a
//! name that says either decides, so `get_or_create` reads. Members are found in the arguments of the call and, if
//! the model left them out, in the schema of the tool.
//!
//! The effect of such a call stays unknown. A guess is good enough to tell somebody that a file may be
//! missing; it is no reason to treat a call as harmless, or as done.

use serde_json::Value;

use crate::wording::is_longer;

/// What a tool or a call seems to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Guess {
    /// It writes.
    Writes,
    /// It reads, asks or runs something.
    Other,
    /// Nothing says so.
    #[default]
    Unclear,
}

/// Words of names that write.
#[rustfmt::skip]
const WRITING: &[&str] = &[
    "write", "create", "edit", "append", "patch", "save", "update", "insert", "delete", "remove", "move",
    "rename", "replace", "apply", "modify", "overwrite", "mkdir", "touch", "copy", "put", "store",
];
/// Words of names that read, ask, wait, or run something.
#[rustfmt::skip]
const OTHER: &[&str] = &[
    "read", "get", "list", "ls", "view", "show", "open", "search", "find", "grep", "glob", "cat", "head",
    "tail", "check", "test", "tests", "pytest", "verify", "validate", "lint", "diff", "preview", "describe",
    "fetch", "browse", "browser", "query", "lookup", "inspect", "print", "count", "stat", "status", "info",
    "run", "exec", "execute", "eval", "shell", "bash", "sh", "cmd", "command", "terminal", "console",
    "powershell", "python", "sql", "compile", "build", "think", "ask", "analyze", "review", "explain",
    "summarize", "select", "scroll", "goto", "navigate", "wait", "poll", "task", "agent", "delegate", "finish",
    "submit", "answer",
];
/// How shipped agents name the argument that holds a path.
pub(crate) const PATH_MEMBERS: [&str; 9] = [
    "path",
    "file_path",
    "filePath",
    "filepath",
    "absolute_path",
    "filename",
    "file_name",
    "file",
    "target_file",
];
/// More names of members that hold a place.
#[rustfmt::skip]
const PLACES: &[&str] = &[
    "fileName", "target", "destination", "dest", "notebook_path", "relative_path", "AbsolutePath", "TargetFile",
];
/// Names of members that hold a content.
#[rustfmt::skip]
const CONTENTS: &[&str] = &[
    "content", "contents", "text", "new_string", "newString", "new_str", "file_text", "fileText", "new_text",
    "newText", "new_content", "newContent", "new_source", "insert_text", "replacement", "replace", "patch",
    "diff", "edit", "edits", "code_edit", "code", "body", "data", "CodeContent",
];
/// Names of members that hold what is run, asked or searched.
#[rustfmt::skip]
const RUNS: &[&str] = &[
    "command", "commands", "cmd", "script", "query", "prompt", "question", "pattern", "regex",
];
/// Members that name the operation of a tool that has several.
const OPERATIONS: [&str; 4] = ["command", "action", "operation", "mode"];
/// A value is a content, whatever its member is called, if it has as many characters, or several lines.
const CONTENT_CHARS: usize = 80;
/// The longest value that is read as a path.
const PATH_CHARS: usize = 200;
/// The longest extension of a file, in characters.
const EXTENSION_CHARS: usize = 8;
/// How many characters of a result are searched for what it says: tools say what they did at the beginning.
const SAID_CHARS: usize = 200;
/// What results say about a write, in small letters. Errors of reads say none of these.
#[rustfmt::skip]
const SAID: &[&str] = &[
    "wrote", "written", "write", "writing", "saved", "save", "created", "create", "rolled back", "reverted",
    "overwrit", "permission to modify",
    "geschrieben", "schreib", "gespeichert", "zurückgenommen",
    "escrib", "escrit", "guarda", "revertid",
    "写入", "保存", "创建", "回滚",
    "書き込", "作成", "取り消",
];

impl Guess {
    /// What a tool seems to do, by its name and the names of its arguments.
    pub(crate) fn of_tool<'n>(name: &str, members: impl Iterator<Item = &'n str>) -> Self {
        let mut seen = Seen::of_name(name);
        members.for_each(|name| seen.member(name));
        seen.guess()
    }

    /// What a call seems to do, by the name of its tool and its arguments.
    pub(crate) fn of_call(tool: &str, arguments: &str) -> Self {
        let mut seen = Seen::of_name(tool);
        if seen.verb == Verb::Other {
            return Self::Other;
        }
        if let Ok(Value::Object(members)) = serde_json::from_str(arguments) {
            for (name, value) in &members {
                if let Some(text) = value.as_str() {
                    seen.value(name, text);
                }
                seen.member(name);
            }
        }
        seen.guess()
    }
}

/// Whether a result speaks of a write.
pub(crate) fn says_so(text: &str) -> bool {
    let end = text.char_indices().nth(SAID_CHARS).map_or(text.len(), |(at, _)| at);
    let start = text[..end].to_lowercase();
    SAID.iter().any(|word| start.contains(word))
}

/// What the words of a name say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Writes,
    Other,
    Unknown,
}

/// The evidence so far.
struct Seen {
    verb: Verb,
    place: bool,
    content: bool,
    /// A content that is one by its value.
    long: bool,
}

impl Seen {
    fn of_name(name: &str) -> Self {
        let is_file = |word: &str| ["file", "files"].iter().any(|it| word.eq_ignore_ascii_case(it));
        let place = words(name).any(|word| is_file(word) || without_file(word).is_some());
        Self { verb: verb(name), place, content: false, long: false }
    }

    fn member(&mut self, name: &str) {
        self.place |= PATH_MEMBERS.contains(&name) || PLACES.contains(&name);
        self.content |= CONTENTS.contains(&name);
        if self.verb == Verb::Unknown && RUNS.contains(&name) {
            self.verb = Verb::Other;
        }
    }

    fn value(&mut self, name: &str, text: &str) {
        // `command: "view"` of an editor.
        if OPERATIONS.contains(&name) && !text.contains(char::is_whitespace) {
            let named = verb(text);
            self.verb = if named == Verb::Unknown { self.verb } else { named };
        }
        self.place |= is_path(text);
        self.long |= text.contains('\n') || is_longer(text, CONTENT_CHARS);
    }

    fn guess(&self) -> Guess {
        let is_sure = match self.verb {
            Verb::Other => return Guess::Other,
            Verb::Writes => self.place || self.long,
            Verb::Unknown => self.place && (self.content || self.long),
        };
        if is_sure { Guess::Writes } else { Guess::Unclear }
    }
}

/// What the first word of a name that says anything says.
fn verb(name: &str) -> Verb {
    let is_one_of = |word: &str, all: &[&str]| all.iter().any(|it| word.eq_ignore_ascii_case(it));
    let said = |word| {
        let word = without_file(word).unwrap_or(word);
        match () {
            () if is_one_of(word, WRITING) => Some(Verb::Writes),
            () if is_one_of(word, OTHER) => Some(Verb::Other),
            () => None,
        }
    };
    words(name).find_map(said).unwrap_or(Verb::Unknown)
}

/// `writefile` without its second part.
fn without_file(word: &str) -> Option<&str> {
    let (verb, file) = word.split_at_checked(word.len().checked_sub(4)?)?;
    file.eq_ignore_ascii_case("file").then_some(verb)
}

/// The words of a name: `fs.writeFile` has three.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    parts.flat_map(|part| {
        let mut rest = part;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let humps = rest.as_bytes().windows(2);
            let end =
                humps.enumerate().find(|(_, it)| !it[0].is_ascii_uppercase() && it[1].is_ascii_uppercase());
            let (word, after) = rest.split_at(end.map_or(rest.len(), |(at, _)| at + 1));
            rest = after;
            Some(word)
        })
    })
}

/// Whether a value is like a path: one word with a folder or an extension, and no address.
fn is_path(text: &str) -> bool {
    if text.len() > PATH_CHARS || text.contains("://") || text.contains(char::is_whitespace) {
        return false;
    }
    let has_extension = text.rsplit_once('.').is_some_and(|(stem, extension)| {
        let is_word =
            extension.len() <= EXTENSION_CHARS && extension.bytes().all(|it| it.is_ascii_alphanumeric());
        !stem.is_empty() && is_word && extension.bytes().any(|it| it.is_ascii_alphabetic())
    });
    has_extension || text.contains(['/', '\\']) && text.len() > 1
}
