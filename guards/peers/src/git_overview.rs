//! Commands that only look at git as a whole, by the rule of qwen-code (00aa71b4a0; `docs/peers.md#qwen-code`).

use serde_json::Value;

use balk_contract::ToolCall;

/// Whether every part of the call's command asks git for its status, its files, or a diff of no named file.
pub(super) fn looks_at_git(call: &ToolCall) -> bool {
    if !call.arguments.contains("git") && !call.arguments.contains("GIT") {
        return false;
    }
    let arguments = serde_json::from_str::<Value>(&call.arguments).unwrap_or_default();
    arguments["command"].as_str().is_some_and(is_overview)
}

fn is_overview(command: &str) -> bool {
    // `&&` and `||` leave an empty part between their two characters.
    let mut parts =
        command.split([';', '&', '|', '\n']).map(str::trim).filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some() && parts.all(part_is_overview)
}

fn part_is_overview(part: &str) -> bool {
    let mut words = part.split_whitespace();
    if !words.next().is_some_and(|word| word.eq_ignore_ascii_case("git")) {
        return false;
    }
    let subcommand = loop {
        match words.next() {
            Some("--no-pager") => {}
            Some(option) if option.eq_ignore_ascii_case("-c") => {
                if words.next().is_none() {
                    return false;
                }
            }
            word => break word.unwrap_or(""),
        }
    };
    let (name, rest) = split_name(subcommand);
    match &*name {
        "status" | "ls-files" => true,
        "diff" => is_overview_diff(rest, words),
        _ => false,
    }
}

/// The name that the word begins with, and what is glued to it (`diff>out`).
fn split_name(word: &str) -> (String, &str) {
    let word_lower = word.to_ascii_lowercase();
    let names = ["status", "ls-files", "diff"];
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let found = names.into_iter().find(|name| word_lower.strip_prefix(name).is_some_and(is_end));
    found.map_or((word_lower.clone(), ""), |name| (name.to_owned(), &word[name.len()..]))
}

fn is_overview_diff<'w>(glued: &'w str, words: impl Iterator<Item = &'w str>) -> bool {
    let tokens: Vec<&str> = Some(glued).filter(|it| !it.is_empty()).into_iter().chain(words).collect();
    let names_files = tokens.iter().position(|token| *token == "--").is_some_and(|at| at + 1 < tokens.len());
    !names_files && tokens.iter().all(|token| token.starts_with('-') || is_revision(token))
}

/// `HEAD`, `@`, either of them with `~` and `^`, a hash, a range.
fn is_revision(token: &str) -> bool {
    let steps = token.strip_prefix("HEAD").or_else(|| token.strip_prefix('@'));
    let is_relative = steps.is_some_and(|it| {
        it.is_empty()
            || (it.starts_with(['~', '^']) && it.chars().all(|c| "~^".contains(c) || c.is_ascii_digit()))
    });
    let is_hash = (7..=40).contains(&token.len()) && token.chars().all(|c| c.is_ascii_hexdigit());
    let is_range = token.split_once("..").is_some_and(|(from, to)| {
        let to = to.strip_prefix('.').filter(|it| !it.is_empty()).unwrap_or(to);
        !from.is_empty() && !to.is_empty()
    });
    is_relative || is_hash || is_range
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_may_come_first_and_a_diff_of_files_is_no_overview() {
        for command in [
            "git status --short",
            "git -C . status --short",
            "GIT --no-pager -C sub Diff --stat HEAD~2^",
            "git diff --stat\ngit ls-files --modified",
            "git diff main..topic && git status || git diff 0a1b2c3d",
            "git diff --",
        ] {
            assert!(is_overview(command), "{command}");
        }
        for command in [
            "",
            "git log",
            "git -C",
            "git statuses",
            "git -c color.ui=never --paginate diff",
            "git diff -- src/a.ts",
            "git diff src/a.ts",
            "git status && make",
            "git add a && git status",
            "npm test",
        ] {
            assert!(!is_overview(command), "{command}");
        }
    }
}
