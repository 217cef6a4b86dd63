//! The reference reports follow from their records, byte for byte, and so do the parts of the first in documents. The
//! records of live models are played again without these models.
//!
//! `INSTA_UPDATE=always cargo test -p balk reference` rewrites both.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::same::same;

const FOLDER: &str = "reports/reference";
const LIVE: &[&str] = &["reports/reference/live/qwen2.5-coder", "reports/reference/live/smollm2"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[track_caller]
fn run(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_balk"))
        .current_dir(root())
        .args(arguments)
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "balk {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is text")
}

#[test]
fn the_reference_report_is_what_its_record_says() {
    let report = run(&["report", FOLDER]);
    assert!(report.lines().count() <= 300, "it is read in five minutes: {} lines", report.lines().count());
    same(&root().join(FOLDER).join("report.md"), &report);
}

/// It has to go through mail and as an artefact of continuous integration.
#[test]
fn the_page_of_the_reference_is_small() {
    let bytes = run(&["report", FOLDER, "--format", "html"]).len();
    assert!(bytes <= 2_000_000, "{bytes} bytes");
}

#[test]
fn the_live_reports_are_what_their_records_say() {
    for folder in LIVE {
        same(&root().join(folder).join("report.md"), &run(&["report", folder]));
    }
}

/// A record has every completion that its rows follow from. `default` is left out: a rule of it that changes may ask
/// for completions that no record has.
#[test]
fn the_live_records_are_played_again_without_their_models() {
    let played = ["none", "cline", "forge", "hermes-like"];
    let work = tempfile::tempdir().expect("a directory can be made");
    for folder in LIVE {
        let again = work.path().join(Path::new(folder).file_name().expect("it has a name"));
        let mut line = vec!["live", "--offline", folder, "--out", again.to_str().expect("a plain path")];
        line.extend(played[1..].iter().flat_map(|stack| ["--guard", *stack]));
        run(&line);
        assert_eq!(rows(&again, &played), rows(&root().join(folder), &played), "{folder}");
    }
}

#[test]
fn the_runs_to_judge_are_read_by_replay() {
    for folder in LIVE {
        let [runs, table] = ["judge.jsonl", "judge.tsv"].map(|file| format!("{folder}/{file}"));
        let shown = run(&["replay", &runs, "--labels", &table, "--guard", "cline"]);
        let counts = |what: &str| {
            let line = shown.lines().find(|line| line.starts_with(what)).expect("it is counted");
            line.split_whitespace().next_back().map(str::to_owned)
        };
        for nothing in ["bad lines", "points of transcripts not in the input"] {
            assert_eq!(counts(nothing).as_deref(), Some("0"), "{folder}: {nothing}");
        }
    }
}

/// The rows of a record that are about one of these stacks.
fn rows(folder: &Path, stacks: &[&str]) -> Vec<String> {
    let all = read(&folder.join("bench.jsonl"));
    let about = |line: &&str| stacks.iter().any(|stack| line.contains(&format!("\"stack\":\"{stack}\"")));
    // The checksum of a line depends on its number.
    let without_sum = |line: &str| line.split(",\"sum\":").next().unwrap_or_default().to_owned();
    let rows: Vec<_> = all.lines().skip(1).filter(about).map(without_sum).collect();
    assert!(rows.len() >= 20 * stacks.len(), "{}: {} rows", folder.display(), rows.len());
    rows
}

#[test]
fn documents_take_their_tables_from_the_reference_record() {
    let work = tempfile::tempdir().expect("a directory can be made");
    let mut spliced = 0;
    for folder in ["", "docs"] {
        for entry in fs::read_dir(root().join(folder)).expect("the folder is there") {
            let path = entry.expect("it can be read").path();
            if path.extension().is_none_or(|it| it != "md") || !read(&path).contains("\n<!-- balk report ") {
                continue;
            }
            let copy = work.path().join("copy.md");
            fs::copy(&path, &copy).expect("it can be copied");
            run(&["report", FOLDER, "--splice", copy.to_str().expect("a plain path")]);
            same(&path, &read(&copy));
            spliced += 1;
        }
    }
    assert!(spliced > 0, "no document has a mark");
}

/// The README of the folder has the command that made the record.
#[test]
fn the_record_says_how_it_is_made() {
    let record: serde_json::Value =
        serde_json::from_str(&run(&["report", FOLDER, "--format", "json"])).expect("JSON");
    let command = record["head"]["command"].as_str().expect("a command");
    let about = read(&root().join(FOLDER).join("README.md"));
    let typed = command.strip_prefix("balk ").expect("it is ours");
    assert!(about.contains(typed), "{FOLDER}/README.md does not say how to make its record: {command}");
    assert_eq!(record["head"]["missing"], serde_json::json!([]));
}
