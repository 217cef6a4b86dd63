//! Limits of size: columns of a line, lines of a function, lines of a file.

use unicode_width::UnicodeWidthStr;

use crate::finding::{Finding, Rule};
use crate::modules::Sources;
use crate::repository::Repository;

const COLUMNS: usize = 120;
const FUNCTION_LINES: usize = 70;
const FILE_LINES: usize = 450;

/// Whether a file is written by hand and read as text. Scenarios and messages of tools are data: a line is as long as
/// the message in it.
fn is_prose_or_code(path: &str) -> bool {
    let data = [
        "scenarios/catalog/",
        "scenarios/field/",
        "scenarios/drawn/",
        "scenarios/texts/",
        "reports/reference/",
    ];
    let data = data.iter().any(|folder| path.starts_with(folder) && path != "scenarios/texts/README.md");
    let examples = ["/tests/bad/", "/tests/finds/", "/tests/scenarios/"];
    let examples = examples.iter().any(|folder| path.contains(folder));
    let kinds = [".rs", ".md", ".toml", ".sh", ".yml"];
    !data && !examples && (kinds.iter().any(|kind| path.ends_with(kind)) || path.starts_with(".ci/"))
}

/// Lines that are too wide. Tables and addresses cannot be broken, and output of a program in a document (in a block
/// of code, or between the marks of `balk report --splice`) has the width that the program printed.
pub(crate) fn lines(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in repository.files.iter().filter(|(path, _)| is_prose_or_code(path)) {
        let (mut shown, mut spliced) = (false, false);
        for (at, line) in text.lines().enumerate() {
            shown ^= path.ends_with(".md") && line.trim_start().starts_with("```");
            spliced = path.ends_with(".md")
                && (spliced || line.starts_with("<!-- balk report "))
                && line != "<!-- end -->";
            let said = line.trim_start().trim_start_matches(['/', '!']).trim_start();
            let columns = line.width();
            if columns > COLUMNS && !shown && !spliced && !said.starts_with('|') && !line.contains("://") {
                findings.push(Finding {
                    rule: Rule::LongLine,
                    path: path.clone(),
                    line: at + 1,
                    key: String::new(),
                    found: format!("a line of {columns} columns, where {COLUMNS} fit"),
                });
            }
        }
    }
    findings
}

/// Functions that are too long. Tests are functions.
pub(crate) fn functions(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in sources {
        for function in &source.functions {
            let lines = function.last - function.first + 1;
            if lines > FUNCTION_LINES {
                findings.push(Finding {
                    rule: Rule::LongFunction,
                    path: path.clone(),
                    line: function.first,
                    key: function.name.clone(),
                    found: format!("`{}` has {lines} lines, of at most {FUNCTION_LINES}", function.name),
                });
            }
        }
    }
    findings
}

/// Files that are too long.
pub(crate) fn files(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in repository.files.iter().filter(|(path, _)| is_prose_or_code(path)) {
        let lines = text.lines().count();
        if lines > FILE_LINES {
            findings.push(Finding {
                rule: Rule::LongFile,
                path: path.clone(),
                line: 1,
                key: String::new(),
                found: format!("{lines} lines, of at most {FILE_LINES}"),
            });
        }
    }
    findings
}

/// Second names of fields in the program. An object that has both names is refused as one with a member twice, and
/// libraries write both: the old one and the new one, one of them often null.
pub(crate) fn aliased(sources: &Sources) -> Vec<Finding> {
    let program = sources.iter().filter(|(path, _)| path.starts_with("harness/src/"));
    let finding = |path: &str, (line, name): &(usize, String)| Finding {
        rule: Rule::Alias,
        path: path.to_owned(),
        line: *line,
        key: name.trim_matches('"').to_owned(),
        found: format!("a field has {name} as a second name"),
    };
    program.flat_map(|(path, source)| source.aliased.iter().map(|it| finding(path, it))).collect()
}

/// Fields that flatten a struct into its parent, and enums that are chosen by what fits: they accept a wrong key
/// silently.
pub(crate) fn flattened(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in sources {
        findings.extend(source.flattened.iter().map(|(line, word)| Finding {
            rule: Rule::Flatten,
            path: path.clone(),
            line: *line,
            key: word.clone(),
            found: format!("`#[serde({word})]` in a wire type"),
        }));
    }
    findings
}
