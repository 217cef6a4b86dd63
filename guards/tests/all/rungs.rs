//! A rung that is removed turns a named test red. `rungs.tsv` names a test for each rung; the audit reads it, too.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use crate::common::rungs::{WITHOUT, all};

/// The tests of these names that fail if the guards lack a rung.
fn red(rung: Option<&str>, tests: &[&str]) -> Vec<String> {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.arg("--exact").args(tests);
    if let Some(rung) = rung {
        command.env(WITHOUT, rung);
    }
    let output = command.output().expect("this program runs again");
    let text = String::from_utf8(output.stdout).expect("names of tests are text");
    let lines = || text.lines().filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "));
    assert_eq!(lines().count(), tests.len(), "a test of `tests/rungs.tsv` is not there: {tests:?}");
    lines().filter(|(_, end)| *end == "FAILED").map(|(name, _)| name.to_owned()).collect()
}

fn table() -> BTreeMap<String, String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/rungs.tsv");
    let text = fs::read_to_string(path).expect("the table");
    let rows = text.lines().skip(1).map(|line| line.split_once('\t').expect("a rung, a tab, a test"));
    rows.map(|(rung, test)| (rung.to_owned(), test.to_owned())).collect()
}

#[test]
fn every_rung_that_is_removed_turns_the_named_test_red() {
    let table = table();
    let mut names: Vec<&str> = table.values().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(red(None, &names), [""; 0], "tests that fail anyway");
    let rungs = all();
    let mut wrong = Vec::new();
    for rung in &rungs {
        match table.get(rung) {
            None => wrong.push(format!("{rung}: no test is named")),
            Some(test) if red(Some(rung), &[test]).is_empty() => {
                wrong.push(format!("{rung}: {test} stays green without it"));
            }
            Some(_) => {}
        }
    }
    let gone = table.keys().filter(|rung| !rungs.contains(rung));
    wrong.extend(gone.map(|rung| format!("{rung}: no such rung")));
    let hint = format!("name a test that `{WITHOUT}=RUNG cargo test -p balk-guards-tests` shows red");
    assert!(wrong.is_empty(), "{}\n{hint} in tests/rungs.tsv", wrong.join("\n"));
}
