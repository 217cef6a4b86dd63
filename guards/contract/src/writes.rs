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
//! The effect of such a call stays [`Effect::Unknown`]. A guess is good enough to tell somebody that a file may be
//! missing; it is no reason to treat a call as harmless, or as done.

use serde_json::Value;

use crate::completion::{PATH_MEMBERS, ToolCall};
use crate::offer::{Effect, Offer, Purpose, Tool};

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
/// More names of members that hold a place, beside those of [`PATH_MEMBERS`].
#[rustfmt::skip]
const PLACES: &[&str] = &[
    "file_name", "fileName", "target", "destination", "dest", "notebook_path", "relative_path", "AbsolutePath",
    "TargetFile",
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
    /// What a tool on offer seems to do, by its name and its schema.
    pub(crate) fn of_tool(tool: &Tool) -> Self {
        match tool.purpose {
            Purpose::Other => {}
            Purpose::Shell | Purpose::AskUser | Purpose::Finish | Purpose::Wait => return Self::Other,
        }
        let mut seen = Seen::of_name(&tool.original);
        for name in tool.parameters.members().iter() {
            seen.member(name);
        }
        seen.guess()
    }

    /// What a tool seems to do that is not on offer: it can do nothing, unless nobody said what is on offer.
    pub(crate) fn of_no_tool(offer: &Offer) -> Self {
        if offer.tools().is_empty() { Self::Unclear } else { Self::Other }
    }

    /// What a call seems to do, by the name of its tool and its arguments.
    fn of_call(call: &ToolCall) -> Self {
        let mut seen = Seen::of_name(&call.tool);
        if seen.verb == Verb::Other {
            return Self::Other;
        }
        if let Ok(Value::Object(members)) = serde_json::from_str(&call.arguments) {
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

impl ToolCall {
    /// Whether this call seems to write, though the effect of its tool is not declared (spec A3). `said` is its
    /// result. False where the effect is declared.
    #[must_use]
    pub fn seems_to_write(&self, said: &str) -> bool {
        if self.effect != Effect::Unknown || self.declared().is_some() || self.guess == Guess::Other {
            return false;
        }
        match Guess::of_call(self) {
            Guess::Writes => true,
            Guess::Other => false,
            Guess::Unclear => self.guess == Guess::Writes || self.has_path() && says_so(said),
        }
    }
}

/// Whether a result speaks of a write.
fn says_so(text: &str) -> bool {
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
        self.long |= text.contains('\n') || text.chars().nth(CONTENT_CHARS).is_some();
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
    (!verb.is_empty() && file.eq_ignore_ascii_case("file")).then_some(verb)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::completion::RawCall;

    fn call(tool: &str, arguments: &str, offer: &Offer) -> ToolCall {
        ToolCall::new(RawCall { id: "c".into(), tool: tool.into(), arguments: arguments.into() }, offer)
    }

    #[track_caller]
    fn check(tool: &str, arguments: &str, expected: bool) {
        let call = call(tool, arguments, &Offer::default());
        assert_eq!(call.seems_to_write("no"), expected, "{tool} {arguments}");
    }

    #[test]
    fn a3_a_name_and_a_place_or_a_long_text() {
        for tool in
            ["filesystem.write_file", "writeFile", "WriteFile", "fs-edit-file", "createfile", "files/append"]
        {
            check(tool, "{}", true);
        }
        check("Write", r#"{"file_path":"a.py","content":"x"}"#, true);
        check("str_replace_editor", r#"{"command":"create","path":"a.py","file_text":"x"}"#, true);
        check("apply_patch", r#"{"input":"*** Begin Patch\n+x\n*** End Patch"}"#, true);
        check("delete", r#"{"target":"a.py"}"#, true);
        for (tool, arguments) in [
            ("update_plan", r#"{"plan":[{"step":"a"}]}"#),
            ("TodoWrite", r#"{"todos":[]}"#),
            ("apply_discount", r#"{"code":"SAVE10"}"#),
        ] {
            check(tool, arguments, false);
        }
    }

    #[test]
    fn a3_a_place_and_a_content_without_a_known_name() {
        check("filesystem", r#"{"path":"a.py","content":"x"}"#, true);
        check("guardar", r#"{"ruta":"src/juego.py","contenido":"import x\nx()"}"#, true);
        check("文件", r#"{"路径":"src/game.py","内容":"import x\nx()"}"#, true);
        check("filesystem", r#"{"path":"a.py"}"#, false);
        check("notes", r#"{"content":"x"}"#, false);
        check("open_page", r#"{"url":"https://example.org/a","text":"x\ny"}"#, false);
    }

    #[test]
    fn a3_what_reads_or_runs_does_not_write() {
        for tool in [
            "read_file",
            "search_files",
            "bash",
            "run_python",
            "execute_command",
            "pytest",
            "check_patch",
            "view",
            "get_or_create_file",
            "ask_user",
        ] {
            check(tool, r#"{"path":"a.py","content":"several\nlines"}"#, false);
        }
        check("str_replace_editor", r#"{"command":"view","path":"a.py"}"#, false);
        check("file", r#"{"action":"read","path":"a.py","text":"x"}"#, false);
        check("container", r#"{"cmd":"cat > a.py <<EOF\nx\nEOF","cwd":"/app/src"}"#, false);
    }

    #[test]
    fn a3_what_the_result_says_is_evidence_beside_a_place() {
        let place = call("filesystem", r#"{"path":"a.py"}"#, &Offer::default());
        for said in ["error: write of a.py was rolled back", "Schreiben nicht möglich", "写入失败"] {
            assert!(place.seems_to_write(said), "{said}");
        }
        assert!(!place.seems_to_write("no such file"));
        assert!(!call("filesystem", "{}", &Offer::default()).seems_to_write("write failed"));
    }

    #[test]
    fn a3_the_schema_says_what_the_arguments_leave_out() {
        let schema = r#"{"type":"object","properties":{"path":{},"content":{}}}"#;
        let offer = |tool: Tool| Offer::new([tool.parameters(schema)]);
        let seems = |offer: &Offer| call("notebook", "{}", offer).seems_to_write("no");
        assert!(seems(&offer(Tool::new("notebook"))));
        assert!(!seems(&Offer::new([Tool::new("notebook")])));
        assert!(!seems(&offer(Tool::new("notebook").purpose(Purpose::Shell))));
    }

    #[test]
    fn a_tool_that_is_not_on_offer_does_nothing() {
        let offer = Offer::new([Tool::new("look")]);
        assert!(!call("write_file", r#"{"path":"a","content":"x"}"#, &offer).seems_to_write("no"));
    }

    #[test]
    fn a_declared_effect_is_never_guessed() {
        for effect in [Effect::ReadOnly, Effect::IdempotentWrite, Effect::Write, Effect::External] {
            let offer = Offer::new([Tool::new("write_file").effect(effect)]);
            assert!(
                !call("write_file", r#"{"path":"a","content":"x"}"#, &offer).seems_to_write("no"),
                "{effect:?}"
            );
        }
    }
}
