//! Which tool a name means, and which names are near it.

use rapidfuzz::distance::levenshtein;

use super::offered::{Offered, Tools};

/// What stands before a name without being part of it: templates and servers that put tools into a namespace. A
/// provider takes no dot in a name, so `functions.read` arrives as `functions_read`.
const NAMESPACES: [&str; 6] = ["functions", "function", "default_api", "tools", "tool", "api"];

/// The one tool that this name means: the same letters and digits, but for case and separators; else the same without
/// the namespace of either. Two namespaces must agree: `shell__run` is no `terminal.run`.
pub(super) fn meant<'o>(called: &str, offered: &'o Tools) -> Option<&'o Offered> {
    let offered = offered.compared()?;
    let one = |fits: &dyn Fn(&Offered) -> bool| {
        let mut all = offered.iter().filter(|it| fits(it));
        all.next().filter(|_| all.next().is_none())
    };
    let plain = folded(called);
    if plain.is_empty() {
        return None;
    }
    let same = |it: &Offered| folded(&it.name) == plain || folded(&it.original) == plain;
    if offered.iter().any(same) {
        return one(&same);
    }
    let (space, bare) = parts(called);
    one(&|it| {
        let (their_space, theirs) = parts(&it.original);
        let agree = their_space.ends_with(&space) || space.ends_with(&their_space);
        !theirs.is_empty() && (theirs == bare && agree || theirs == plain || folded(&it.name) == bare)
    })
}

/// The namespace and the name in it, letters and digits alone.
fn parts(name: &str) -> (String, String) {
    let bare = without_namespace(name);
    let space = &name[..name.len() - bare.len()];
    (folded(if is_general(space) { "" } else { space }), folded(bare))
}

/// Whether a namespace says nothing about the tool.
fn is_general(space: &str) -> bool {
    NAMESPACES.contains(&space.trim_end_matches(|c: char| !c.is_alphanumeric()))
}

/// Letters and digits alone, in lower case.
fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn without_namespace(name: &str) -> &str {
    // `mcp__server__name` and `server__name`, as clients of the Model Context Protocol write it.
    if let Some((_, last)) = name.rsplit_once("__") {
        return last;
    }
    if let Some((_, last)) = name.rsplit_once(['.', '/', ':']) {
        return last;
    }
    let behind = |it: &&str| name.strip_prefix(*it).and_then(|rest| rest.strip_prefix(['_', '-']));
    NAMESPACES.iter().find_map(behind).unwrap_or(name)
}

/// How many letters differ, and how many the tool's name has.
fn distance(called: &str, tool: &str) -> (usize, usize) {
    let name: Vec<char> = folded(tool).chars().collect();
    let length = name.len();
    (levenshtein::distance(folded(called).chars().collect::<Vec<_>>(), name), length)
}

/// Whether two names that begin with the same words go on in nearly the same way: of what follows, at most half of the
/// letters differ. `files_save` has most of its letters from `files_read`, and means another tool.
fn goes_on_alike(called: &str, tool: &str) -> bool {
    let words = |name: &str| -> Vec<String> {
        let parts = name.split(|c: char| !c.is_alphanumeric());
        parts.filter(|it| !it.is_empty()).map(str::to_owned).collect()
    };
    let (called, tool) = (words(called), words(tool));
    let same = called.iter().zip(&tool).take_while(|(one, other)| one.eq_ignore_ascii_case(other)).count();
    let (called, tool) = (called[same..].concat(), tool[same..].concat());
    let (distance, letters) = distance(&called, &tool);
    same == 0 || called.is_empty() || tool.is_empty() || distance * 2 <= letters
}

/// The tools whose names are nearly this one (at most a third of their letters differ), the nearest first.
pub(super) fn near<'o>(called: &str, offered: &'o Tools) -> Vec<&'o Offered> {
    let mut all: Vec<(usize, &Offered)> = offered
        .compared()
        .into_iter()
        .flatten()
        .map(|it| (distance(called, &it.name), it))
        .filter(|((distance, letters), it)| distance * 3 <= *letters && goes_on_alike(called, &it.name))
        .map(|((distance, _), it)| (distance, it))
        .collect();
    all.sort_by_key(|(distance, _)| *distance);
    all.into_iter().map(|(_, it)| it).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use balk_contract::{Offer, Tool};

    fn offered(names: &[&str]) -> Tools {
        Tools::of(&Offer::new(names.iter().map(|it| Tool::new(it))))
    }

    #[test]
    fn x3_a_name_means_the_one_tool_with_the_same_letters() {
        let tools = offered(&["write_file", "read", "mcp__files__list", "fs.move"]);
        for (called, meant) in [
            ("Write-File", "write_file"),
            ("writeFile", "write_file"),
            ("WRITE_FILE", "write_file"),
            ("functions_write_file", "write_file"),
            ("default_api_write_file", "write_file"),
            ("mcp__local__write_file", "write_file"),
            ("list", "mcp__files__list"),
            ("move", "fs_move"),
            ("mcp__fs__move", "fs_move"),
            ("tools.list", "mcp__files__list"),
            ("functions_read", "read"),
        ] {
            assert_eq!(super::meant(called, &tools).map(|it| &*it.name), Some(meant), "{called}");
        }
        for called in [
            "write",
            "write_files",
            "write_file_tool",
            "overwrite_file",
            "",
            "_",
            "reader",
            "save",
            "mcp__shell__move",
            "shell.list",
        ] {
            assert_eq!(super::meant(called, &tools), None, "{called}");
        }
    }

    #[test]
    fn x3_of_two_tools_none_is_meant() {
        let tools = offered(&["a__read", "b__read", "write-file", "write_file"]);
        for called in ["read", "c__read", "WriteFile"] {
            assert_eq!(meant(called, &tools), None, "{called}");
        }
    }

    #[test]
    fn x3_names_are_not_looked_for_among_more_than_1024_tools() {
        let others: Vec<String> = (0..1024).map(|at| format!("other{at}")).collect();
        let of = |others: &[String]| {
            let names: Vec<&str> = others.iter().map(|it| &**it).chain(["write_file"]).collect();
            let tools = offered(&names);
            let meant = meant("WriteFile", &tools).map(|it| it.name.to_string());
            (meant, near("write_filez", &tools).iter().map(|it| it.name.to_string()).collect())
        };
        assert_eq!(of(&others[1..]), (Some("write_file".to_owned()), vec!["write_file".to_owned()]));
        assert_eq!(of(&others), (None, Vec::new()));
    }

    #[test]
    fn x3_the_nearest_name_comes_first_and_others_are_left_out() {
        let tools = offered(&["bash", "read_file", "write_file", "write_files_at", "finish"]);
        let names = |called: &str| near(called, &tools).iter().map(|it| &*it.name).collect::<Vec<_>>();
        assert_eq!(names("write_filez"), ["write_file", "write_files_at"]);
        assert_eq!(names("finish_it"), ["finish"]);
        assert!(names("browser_open").is_empty());
    }
}
