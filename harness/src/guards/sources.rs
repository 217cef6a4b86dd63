//! The files of a command that the answers of its guard follow from, as far as its words name them.
//!
//! Not all files that a command names are such: a guard may write to one, and be as it was. So these are its program,
//! if it is named by its path, and its script: the first word after it that is a file. What comes after the script is
//! for the guard, and what follows an option with two dashes may be its value.

use std::collections::BTreeMap;
use std::path::Path;

use crate::input;

/// The digests of these files, by the words that name them.
pub(super) fn digests(words: &[String]) -> BTreeMap<String, String> {
    let digest = |word: &String| Some((word.clone(), input::digest(Path::new(word))?));
    let program = words.first().filter(|it| it.contains('/'));
    let takes_value = |word: &String| word.starts_with("--") && word != "--" && !word.contains('=');
    let mut others = words.windows(2).filter(|it| !takes_value(&it[0]));
    let script = others.find_map(|it| digest(&it[1]));
    program.and_then(digest).into_iter().chain(script).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::files::write_passing;

    /// The files that count of a command in a folder with these files, whose names there have `@/` before them.
    #[track_caller]
    fn check(command: &str, expected: &[&str]) {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = format!("{}/", folder.path().display());
        for name in ["python", "guard", "g.py", "g.log"] {
            write_passing(&folder.path().join(name), name).expect("a file");
        }
        fs::create_dir(folder.path().join("package")).expect("a folder");
        let words: Vec<String> = command.split(' ').map(|it| it.replace("@/", &inside)).collect();
        let found: Vec<String> = digests(&words).into_keys().map(|it| it.replace(&inside, "@/")).collect();
        assert_eq!(found, expected, "{command}");
    }

    #[test]
    fn a_program_by_its_path_and_its_script_count_and_what_they_are_given_does_not() {
        check("python3 @/g.py", &["@/g.py"]);
        check("python3 -u @/g.py --log @/g.log", &["@/g.py"]);
        check("python3 @/g.py -l @/g.log", &["@/g.py"]);
        check("env A=1 python3 -X dev @/g.py @/g.log", &["@/g.py"]);
        check("@/python @/g.py --log @/g.log", &["@/g.py", "@/python"]);
        check("@/python -u @/g.py @/g.log", &["@/g.py", "@/python"]);
        check("@/guard --log @/g.log", &["@/guard"]);
        check("@/guard --log=@/g.log", &["@/guard"]);
        check("guard --log @/g.log", &[]);
        check("python3 -m guard --log @/g.log", &[]);
        check("node --flag @/g.py", &[]);
        check("node --flag -- @/g.py", &["@/g.py"]);
        check("node --flag=1 @/g.py", &["@/g.py"]);
        check("python3 @/package --log @/g.log", &[]);
        check("python3 @/missing.py", &[]);
    }
}
