//! Files that are opened past the one way in, which has bounds.

use crate::finding::{Finding, Rule};
use crate::modules::Sources;
use crate::source::Scope;

/// What opens or reads a file.
const READING: [[&str; 2]; 3] = [["File", "open"], ["fs", "read"], ["fs", "read_to_string"]];

/// The module that may.
const WAY_IN: &str = "harness/src/input.rs";

/// Places in the program that open or read a file by themselves. Tests may.
pub(crate) fn reading(sources: &Sources) -> Vec<Finding> {
    let program = sources.iter().filter(|(path, _)| path.starts_with("harness/src/") && *path != WAY_IN);
    let program = program.filter(|(path, _)| !path.ends_with("tests.rs") && !path.contains("/tests/"));
    let finding = |path: &str, line: usize, named: &str| Finding {
        rule: Rule::Reading,
        path: path.to_owned(),
        line,
        key: named.to_owned(),
        found: format!("`{named}` reads past {WAY_IN}"),
    };
    program
        .flat_map(|(path, it)| {
            read(&it.scope).into_iter().map(move |(line, named)| finding(path, line, &named))
        })
        .collect()
}

/// The lines of a module, and of modules in it that are no tests, with what reads there.
fn read(scope: &Scope) -> Vec<(usize, String)> {
    let reads = |path: &[String]| READING.iter().any(|it| path.ends_with(&it.map(str::to_owned)));
    let mentions = scope.mentions.iter().map(|it| (&it.path, it.line));
    let imports = scope.imports.iter().map(|it| (&it.path, it.line));
    let here = mentions.chain(imports).filter(|(path, _)| reads(path));
    let mut found: Vec<_> = here.map(|(path, line)| (line, path.join("::"))).collect();
    let parts = scope.inline.iter().filter(|(name, _)| name != "tests");
    found.extend(parts.flat_map(|(_, part)| read(part)));
    found
}
