//! How a record names scenarios that were in files.

/// A suite that names scenarios of files by their names, as in `FILE#slow`: what was typed may say where a home folder
/// is, and one file can have two paths. `files` are the scenarios in files: as they were typed, and their names.
#[must_use]
pub fn without_paths(suite: &str, files: &[(&str, &str)]) -> String {
    let plain = |typed: &str| {
        let typed = typed.trim();
        let is_in = |target: &str, name: &str| {
            target.strip_prefix(typed).is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
                || typed.strip_prefix(target).is_some_and(|rest| rest.strip_prefix('#') == Some(name))
        };
        let its = files.iter().filter(|(target, name)| is_in(target, name));
        let mut names: Vec<String> = its.map(|(_, name)| in_file(name)).collect();
        names.dedup();
        if names.is_empty() { typed.to_owned() } else { names.join(",") }
    };
    suite.split(',').map(plain).collect::<Vec<_>>().join(",")
}

/// A scenario of a file on a command line.
pub(super) fn in_file(name: &str) -> String {
    format!("FILE#{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_of_files_are_named_by_their_names() {
        let files = [("/home/me/a.toml", "a"), ("/home/me/a.toml#a-control", "a-control"), ("b.toml", "b")];
        let plain = |suite| without_paths(suite, &files);
        assert_eq!(plain("all, /home/me/a.toml,b.toml#b"), "all,FILE#a,FILE#a-control,FILE#b");
        assert_eq!(plain("/home/me/a.tom"), "/home/me/a.tom");
    }
}
