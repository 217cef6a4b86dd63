//! Runs that an author wrote by hand, who had read no guard: what `default` makes of them. Rules may be made with the
//! open half in view. Do not read the kept half if you change rules: only its counts say how well they generalise.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The messages at which `default` speaks, for each run of this file.
fn firings(file: &Path) -> BTreeMap<String, Vec<u64>> {
    let mut balk = Command::new(env!("CARGO_BIN_EXE_balk"));
    balk.arg("replay").arg(file).args(["--guard", "default", "--format", "json"]);
    let output = balk.output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("the program writes UTF-8");
    let mut firings = BTreeMap::<String, Vec<u64>>::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("a line is JSON");
        if line["type"] == "firing" {
            let id = line["id"].as_str().expect("a run has an id").to_owned();
            firings.entry(id).or_default().push(line["message"].as_u64().expect("a firing has a place"));
        }
    }
    firings
}

/// How many runs of a file are as their author expects, and the others: a healthy one has no firing, a stuck one has
/// one between the message with which the pattern begins and the one by which a guard should have spoken.
fn as_expected(name: &str) -> (usize, Vec<String>) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/written").join(name);
    let firings = firings(&file);
    let text = std::fs::read_to_string(&file).expect("the file is there");
    let runs = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON"));
    let is_expected = |run: &Value| {
        let expect = &run["expect"];
        let said = firings.get(run["id"].as_str().expect("a run has an id"));
        match (expect["onset"].as_u64(), expect["by"].as_u64()) {
            (Some(onset), Some(by)) => said.is_some_and(|it| it.iter().any(|at| (onset..=by).contains(at))),
            _ => said.is_none(),
        }
    };
    let (right, wrong): (Vec<_>, Vec<_>) = runs.partition(is_expected);
    (right.len(), wrong.iter().map(|it| it["id"].as_str().unwrap_or_default().to_owned()).collect())
}

#[test]
fn of_the_open_runs_all_are_as_their_author_expects() {
    assert_eq!(as_expected("healthy-open.jsonl"), (62, Vec::new()));
    assert_eq!(as_expected("stuck-open.jsonl"), (34, Vec::new()));
}

/// The figures of docs/labels.md. A change that lowers one is worse for runs that were not in view.
#[test]
fn of_the_kept_runs_as_many_as_the_docs_say_are() {
    let count = |name: &str| as_expected(name).0;
    assert_eq!((count("healthy-kept.jsonl"), count("stuck-kept.jsonl")), (60, 21));
}
