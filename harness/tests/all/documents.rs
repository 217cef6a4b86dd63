//! Documents show what their commands print. The test runs the commands of each block below a `run` mark, and compares
//! the rest of the block with the output of the last one; those before it write a file with `>`. In every other block
//! of commands it checks the options of the lines that begin with `balk`, without running them. A command that ends in
//! `\` continues on the next line.
//!
//! `INSTA_UPDATE=always cargo test -p balk documents` rewrites the blocks below marks.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, iter};

use balk_reports::records::crash::CRASH_SCHEMA;
use balk_reports::records::{BENCH_SCHEMA, GAP_SCHEMA, SCHEMA};
use balk_reports::report::REPORT_SCHEMA;
use balk_reports::report::crash::CRASH_REPORT_SCHEMA;

const MARK: &str = "<!-- run -->";
const OPEN: &str = "```console";
const CLOSE: &str = "```";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The documents that people read: those of the root, of `docs`, and the README of every crate.
fn documents() -> Vec<PathBuf> {
    let reference = ["reports/reference", "reports/reference/live"];
    let folders = ["", "docs", "guards", "scenarios", "reports", "harness", "benches"];
    let mut found: Vec<_> = folders
        .iter()
        .chain(&reference)
        .flat_map(|folder| fs::read_dir(root().join(folder)).expect("the folder is there"))
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|it| it == "md") && !path.ends_with("report.md"))
        .collect();
    found.sort();
    found
}

/// A block, with the range between its first line and its last.
struct Block {
    /// A mark above it says that its command is run.
    marked: bool,
    body: std::ops::Range<usize>,
}

fn blocks(text: &str, opens: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let (mut at, mut marked, mut open) = (0, false, None);
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        match (open, line.trim_end()) {
            (Some(begin), CLOSE) => {
                blocks.push(Block { marked, body: begin..at });
                (open, marked) = (None, false);
            }
            (None, line) if line == opens => open = Some(next),
            (None, line) if line.starts_with("<!-- run") => {
                assert_eq!(line, MARK, "the command is in the block below the mark");
                marked = true;
            }
            (Some(_) | None, _) => {}
        }
        at = next;
    }
    blocks
}

#[test]
fn documents_show_what_their_commands_print() {
    let mut run = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).expect("it can be read");
        let mut expected = text.clone();
        for block in blocks(&text, OPEN).into_iter().filter(|it| it.marked).rev() {
            let shown = shown_by(&text[block.body.clone()], &path);
            expected.replace_range(block.body, &shown);
            run += 1;
        }
        if text == expected {
            continue;
        }
        assert!(
            update(),
            "{} is out of date; read what changed after INSTA_UPDATE=always cargo test -p balk documents",
            path.display()
        );
        fs::write(&path, expected).expect("it can be written");
    }
    assert!(run >= 10, "the documents have lost their marks: {run}");
}

#[test]
fn commands_of_other_blocks_are_ones_that_there_are() {
    let mut read = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).expect("it can be read");
        for block in blocks(&text, OPEN).into_iter().filter(|it| !it.marked) {
            for (command, words, _) in commands(&text[block.body]) {
                // With `--help` a command checks its other options first, and then does nothing else.
                let output = balk().args(words).arg("--help").output().expect("the program runs");
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{}: {command}\n{said}", path.display());
                read += 1;
            }
        }
    }
    assert!(read >= 5, "{read}");
}

/// The examples of the scenario format, taken together, are a scenario.
#[test]
fn the_examples_of_the_format_are_a_scenario() {
    let text = fs::read_to_string(root().join("scenarios/README.md")).expect("it can be read");
    let scenario: String = blocks(&text, "```toml").into_iter().map(|it| &text[it.body]).collect();
    let work = tempfile::tempdir().expect("a directory can be made");
    let file = work.path().join("locked-page.toml");
    fs::write(&file, scenario).expect("it can be written");
    let output = balk().arg("check").arg(&file).output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Guards accept the settings that a document shows.
#[test]
fn the_examples_of_settings_are_read() {
    let text = fs::read_to_string(root().join("docs/guards.md")).expect("it can be read");
    let examples = blocks(&text, "```toml");
    assert!(!examples.is_empty(), "the document has lost its examples");
    for example in examples {
        let work = tempfile::tempdir().expect("a directory can be made");
        let file = work.path().join("balk.toml");
        fs::write(&file, &text[example.body]).expect("it can be written");
        let output = balk().args(["scenario", "repeating", "--config"]).arg(&file).output();
        let output = output.expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The versions that the changelog names are those of the program.
#[test]
fn the_changelog_has_the_versions_of_the_formats() {
    let text = fs::read_to_string(root().join("CHANGELOG.md")).expect("it can be read");
    for (constant, version) in [
        ("`SCHEMA`", SCHEMA),
        ("`BENCH_SCHEMA`", BENCH_SCHEMA),
        ("`GAP_SCHEMA`", GAP_SCHEMA),
        ("`REPORT_SCHEMA`", REPORT_SCHEMA),
        ("`CRASH_SCHEMA`", CRASH_SCHEMA),
        ("`CRASH_REPORT_SCHEMA`", CRASH_REPORT_SCHEMA),
    ] {
        let row = text.lines().find(|line| line.contains(constant)).expect("the format has a row");
        assert!(
            row.contains(&format!("| {version} | {constant}")),
            "found {row}, expected version {version}"
        );
    }
}

/// The commands of a marked block, and what the last one prints. Files that those before it write are in a folder of
/// their own.
fn shown_by(block: &str, path: &Path) -> String {
    let work = tempfile::tempdir().expect("a directory can be made");
    let place = |file: &str| work.path().join(file).display().to_string();
    let mut shown = String::new();
    let mut files: Vec<String> = Vec::new();
    for (command, mut words, written) in commands(block) {
        shown += command;
        assert!(block.starts_with(&shown), "{}: the block begins with its commands", path.display());
        words.iter_mut().filter(|it| files.contains(it)).for_each(|it| *it = place(it));
        let printed = printed(&words);
        match written {
            None => {
                let named = files.iter().fold(printed, |text, file| text.replace(&place(file), file));
                return shown + &named;
            }
            Some(file) => {
                fs::write(place(&file), printed).expect("it can be written");
                files.push(file);
            }
        }
    }
    panic!("{}: the block has a command that prints", path.display());
}

/// The commands of a block: the lines of each, its arguments after `balk`, without comments and redirections, and the
/// file that it writes.
fn commands(block: &str) -> impl Iterator<Item = (&str, Vec<String>, Option<String>)> {
    let mut rest = block;
    iter::from_fn(move || {
        let mut end = 0;
        for line in rest.split_inclusive('\n') {
            end += line.len();
            if !line.ends_with("\\\n") {
                break;
            }
        }
        let (command, after) = rest.split_at(end);
        rest = after;
        (!command.is_empty()).then_some(command)
    })
    .filter_map(|command| {
        let joined = command.replace("\\\n", "");
        let arguments = joined.trim_start_matches("$ ").strip_prefix("balk ")?;
        // The shell, not the program, reads what follows one of these.
        let end = [" #", " > "].into_iter().filter_map(|it| arguments.find(it)).min();
        let written = arguments.split_once(" > ").map(|(_, file)| file.trim().to_owned());
        Some((command, words(&arguments[..end.unwrap_or(arguments.len())]), written))
    })
}

/// The words of a command line, with single quotes as in a shell.
fn words(line: &str) -> Vec<String> {
    let mut parts = line.split('\'');
    let mut words: Vec<String> = Vec::new();
    let outside = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    words.extend(outside(parts.next().unwrap_or("")));
    for (quoted, text) in iter::repeat([true, false]).flatten().zip(parts) {
        if quoted { words.push(text.to_owned()) } else { words.extend(outside(text)) }
    }
    words
}

#[expect(clippy::disallowed_methods, reason = "whether to write is asked for as with the snapshots")]
fn update() -> bool {
    std::env::var("INSTA_UPDATE").is_ok_and(|it| it == "always")
}

fn balk() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_balk"));
    command.current_dir(root());
    command
}

#[track_caller]
fn printed(words: &[String]) -> String {
    let output = balk().args(words).output().expect("the program runs");
    assert!(output.status.success(), "balk {words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is text")
}

/// A crate cannot have a file of another folder in it, so the guide stands twice.
#[test]
fn the_guide_that_a_reader_gets_is_the_documents() {
    let document = fs::read_to_string(root().join("docs/labels.md")).expect("it can be read");
    let (_, guide) = document.split_once("## How points were judged\n").expect("it has the guide");
    let guide = guide.split("\n## ").next().expect("a part");
    assert_eq!(guide.trim(), balk::label::guide());
}
