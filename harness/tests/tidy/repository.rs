//! The files of the repository, as text. A rule reads a value, so a test can write one as a literal.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Folders and endings without handwritten files.
const SKIPPED: [&str; 3] = ["target", ".git", "node_modules"];

/// Text files by their path from the root, with `/` between the parts.
pub(crate) struct Repository {
    pub(crate) files: BTreeMap<String, String>,
}

impl Repository {
    /// Reads every text file below `root`.
    pub(crate) fn read(root: &Path) -> Self {
        let mut files = BTreeMap::new();
        walk(root, "", &mut files);
        Self { files }
    }

    /// A repository of literal files.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        Self { files: files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect() }
    }

    /// The files whose name ends in `.ending`.
    pub(crate) fn ending(&self, ending: &str) -> impl Iterator<Item = (&str, &str)> {
        self.files
            .iter()
            .filter(move |(path, _)| path.rsplit_once('.').is_some_and(|(_, found)| found == ending))
            .map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Whether `path` is a file, or a folder with a file in it.
    pub(crate) fn has(&self, path: &str) -> bool {
        let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
        self.files.contains_key(path) || self.files.keys().any(|file| file.starts_with(&folder))
    }
}

fn walk(folder: &Path, prefix: &str, files: &mut BTreeMap<String, String>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let entry = entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let name = entry.file_name().into_string().expect("names of files are UTF-8");
        let path = format!("{prefix}{name}");
        let kind = entry.file_type().unwrap_or_else(|error| panic!("{path}: {error}"));
        if kind.is_dir() && !SKIPPED.contains(&name.as_str()) {
            walk(&entry.path(), &format!("{path}/"), files);
        } else if kind.is_file() && !name.ends_with(".snap.new") {
            let bytes = fs::read(entry.path()).unwrap_or_else(|error| panic!("{path}: {error}"));
            // A packed file is not text and has no lines to check, but a link can lead to it.
            files.insert(path, String::from_utf8(bytes).unwrap_or_default());
        }
    }
}
