//! What names of tools and of their arguments mean: `words/tools.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::format::roles::role_name;
use crate::scenario::Role;

const FILE: &str = include_str!("../../words/tools.toml");

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    toml::from_str(FILE).unwrap_or_else(|wrong| panic!("the built-in words are bad: {wrong}"))
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    /// Words that say nothing about what a tool does.
    neutral: Vec<String>,
    /// The names of members, by what is meant, the best first.
    members: BTreeMap<String, Vec<String>>,
    /// The names of tools, by role.
    tools: BTreeMap<String, Names>,
}

/// The names of tools for a role.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    names: Vec<String>,
    never: Vec<String>,
}

/// What a member of a tool's arguments is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Means {
    Path,
    Folder,
    Content,
    Old,
    New,
    Command,
    Action,
    Task,
    Seconds,
    Items,
    Question,
    Summary,
    Query,
    /// Something that a name alone does not say, such as a number of an object: never an argument by being alone.
    Key,
}

impl Means {
    /// What an argument of a role is for.
    pub(super) fn of(role: Role, argument: &str) -> Self {
        match (role, argument) {
            (Role::List, _) => Self::Folder,
            (_, "path") => Self::Path,
            (_, "content") => Self::Content,
            (_, "old") => Self::Old,
            (_, "new") => Self::New,
            (_, "command") => Self::Command,
            (_, "task") => Self::Task,
            (_, "seconds") => Self::Seconds,
            (_, "items") => Self::Items,
            (_, "question") => Self::Question,
            (_, "summary") => Self::Summary,
            (_, "query") => Self::Query,
            _ => Self::Key,
        }
    }

    /// Its name in the file.
    fn key(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Folder => "folder",
            Self::Content => "content",
            Self::Old => "old",
            Self::New => "new",
            Self::Command => "command",
            Self::Action => "action",
            Self::Task => "task",
            Self::Seconds => "seconds",
            Self::Items => "items",
            Self::Question => "question",
            Self::Summary => "summary",
            Self::Query => "query",
            Self::Key => "key",
        }
    }

    /// How well a name fits; the lower, the better. `None` if it does not.
    pub(super) fn rank(self, name: &str) -> Option<usize> {
        let name = squeezed(name);
        WORDS.members[self.key()].iter().position(|it| *it == name)
    }
}

/// What the name of a member says that it is for, whatever the role.
pub(super) fn means(name: &str) -> Option<Means> {
    use Means::{Action, Command, Content, Folder, Key, New, Old, Path};
    let squeezed = squeezed(name);
    let known = [Path, Folder, Old, New, Content, Command, Action, Key];
    let is_key = squeezed.ends_with("id") || squeezed.ends_with("ids");
    known.into_iter().find(|it| it.rank(name).is_some()).or(is_key.then_some(Key))
}

/// A name without capitals and punctuation: `file_path` and `filePath` are `filepath`.
pub(super) fn squeezed(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// How well the name of a tool fits a role: which of the role's names it has, and how many other words. The lower, the
/// better.
pub(super) fn fit(role: Role, tool: &str) -> Option<(usize, usize)> {
    // What some roles do, no name says.
    let Names { names, never } = WORDS.tools.get(role_name(role))?;
    let words = words(tool);
    if words.iter().any(|it| never.contains(it)) {
        return None;
    }
    names.iter().enumerate().find_map(|(rank, name)| {
        let (is_whole, name) = name.strip_prefix('=').map_or((false, &**name), |name| (true, name));
        let has = |word: &str| words.iter().any(|it| it == word);
        let is_other =
            |it: &&String| !name.split(' ').any(|word| word == **it) && !WORDS.neutral.contains(it);
        let other = words.iter().filter(is_other).count();
        (name.split(' ').all(has) && (!is_whole || other == 0)).then_some((rank, other))
    })
}

/// The words of a tool's own name, without those of its server: `fs__writeFile` is `write`, `file`.
pub(super) fn words(tool: &str) -> Vec<String> {
    let own = tool.rsplit(['.', '/', ':']).next().unwrap_or(tool);
    let own = own.rsplit("__").find(|it| !it.is_empty()).unwrap_or(own);
    let chars: Vec<char> = own.chars().collect();
    let mut words: Vec<String> = vec![String::new()];
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1);
        let begins = c.is_uppercase()
            && before.is_some_and(|it| {
                it.is_lowercase() || it.is_uppercase() && after.is_some_and(|it| it.is_lowercase())
            });
        if begins || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().expect("it begins with one").extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_its_words_however_it_is_written() {
        for (name, expected) in [
            ("run_shell_command", "run shell command"),
            ("ReadFile", "read file"),
            ("mcp__fs__write-file", "write file"),
            ("filesystem.listDirectory", "list directory"),
            ("LS", "ls"),
            ("MCPTool", "mcp tool"),
            ("", ""),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn a_tool_that_only_sounds_alike_is_not_the_one() {
        let unlike = [
            (Role::Shell, ["BashOutput", "KillShell", "write_stdin", "read_terminal", "run_tests"]),
            (Role::Write, ["todo_write", "TodoWrite", "write_stdin", "create_directory", "create_issue"]),
            (Role::Read, ["ReadMcpResource", "read_web_page", "read_console", "get_weather", "read_lints"]),
            (Role::List, ["list_mcp_resources", "list_invoices", "list_agents", "glob", "list_skills"]),
            (Role::Finish, ["complete_goal", "submit_order", "TaskStop", "finish_step", "exit_plan_mode"]),
            (Role::Delegate, ["TaskStop", "task_complete", "list_agents", "send_message", "wait_agent"]),
        ];
        for (role, names) in unlike {
            for name in names {
                assert_eq!(fit(role, name), None, "{role:?} {name}");
            }
        }
    }
}
