//! The record of `balk crash` as others read it: damage is found, and an older version is made new.

use std::fs;
use std::path::Path;

use balk::crash::record;
use balk_reports::records::crash::{CRASH_SCHEMA, Record, Run, Verdict};
use balk_scenarios::Kind;

use crate::common::program::{balk, ran};

/// A record of one run that did not come about, and of what it left.
fn record() -> Record {
    let run = Run {
        agent: "agent".to_owned(),
        scenario: "repeating".to_owned(),
        kind: Kind::Stubborn,
        seed: "7".to_owned(),
        folder: "agent/repeating-7".to_owned(),
        record: Some("2d06800538d394c2".to_owned()),
        verdict: Verdict::not_run("it never asked its model".to_owned()),
    };
    Record {
        schema: CRASH_SCHEMA,
        balk: "0".to_owned(),
        command: String::new(),
        isolated: true,
        planned: 1,
        agents: Vec::new(),
        runs: vec![run],
        in_process: Vec::new(),
    }
}

/// Writes such a folder. What the run left is an empty file.
fn made(folder: &Path) {
    record::write(folder, &record()).expect("it can be written");
    fs::create_dir_all(folder.join("agent/repeating-7")).expect("a folder");
    fs::write(folder.join("agent/repeating-7/record.jsonl"), "").expect("a file");
}

#[track_caller]
fn says(work: &Path, arguments: &[&str], code: i32, expected: &str) {
    let (found, out, err) = ran(&mut balk(work, arguments));
    let says = out.contains(expected) || err.contains(expected);
    assert!(found == code && says, "{arguments:?}: {found}\n{out}{err}");
}

#[test]
fn a_report_of_what_is_no_record_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let work = folder.path();
    let write = |text: &str| fs::write(work.join("a/runs.json"), text).expect("a file");
    fs::create_dir(work.join("a")).expect("a folder");
    write("[]");
    says(work, &["report", "a"], 3, "a/runs.json: line 1: expected a line with its checksum at the end");
    for (other, text) in [(1, r#"{"schema": 1}"#), (4, r#"{"schema": 4, "later": true}"#)] {
        write(text);
        says(work, &["report", "a"], 3, &format!("expected version 3 of the format, found {other}"));
    }
    made(&work.join("a"));
    let whole = fs::read(work.join("a/runs.json")).expect("a file");
    says(work, &["report", "a", "--out", "a/runs.json"], 3, "a part of the record that the report shows");
    let of_run = "a/agent/repeating-7/record.jsonl";
    says(work, &["report", "a", "--out", of_run], 3, "a part of the record that the report shows");
    assert_eq!(fs::read(work.join(of_run)).expect("a file"), b"");
    for new in ["a/agent/repeating-7/new/x.md", "a/agent/repeating-7/new/er/x.md"] {
        says(work, &["report", "a", "--out", new], 3, "a part of the record that the report shows");
    }
    assert_eq!(fs::read(work.join("a/runs.json")).expect("a file"), whole);
    says(work, &["report", "a", "./a"], 2, "DIR: expected different folders, found ./a twice");
    fs::create_dir(work.join("b")).expect("a folder");
    says(work, &["report", "a", "b"], 3, "b/runs.json");
    fs::remove_file(work.join("a/runs.json")).expect("it is there");
    says(work, &["report", "a", "b"], 2, "expected one folder of a bench");
    for command in [&["report", "b"][..], &["compare", "b", "b"]] {
        says(work, command, 3, "or of balk crash, with runs.json, found neither");
    }
}

#[test]
fn every_command_finds_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    let work = folder.path();
    ["a", "b"].iter().for_each(|it| made(&work.join(it)));
    says(work, &["verify", "a"], 0, "a: as it was written: 1 of 1 runs; what happened in 1 of them\n");
    let path = work.join("a/runs.json");
    let whole = fs::read_to_string(&path).expect("a file");
    fs::write(&path, whole.replacen("not-run", "reached", 1)).expect("a file");
    for command in [&["verify", "a"][..], &["report", "a"], &["compare", "a", "b"], &["compare", "b", "a"]] {
        says(work, command, 3, "a/runs.json: line 1: expected the line that was written");
    }
    fs::write(&path, whole.replacen("\"schema\":3", "\"schema\":2", 1)).expect("a file");
    says(work, &["report", "a"], 3, "a/runs.json: line 1: expected the line that was written");
    fs::write(&path, &whole).expect("a file");
    fs::write(work.join("a/agent/repeating-7/record.jsonl"), "{}\n").expect("a file");
    says(
        work,
        &["verify", "a"],
        3,
        "a/agent/repeating-7/record.jsonl: expected the file whose checksum runs.json has",
    );
}

#[test]
fn a_record_of_an_older_version_is_refused_by_name_and_made_new() {
    let folder = tempfile::tempdir().expect("a folder");
    let work = folder.path();
    made(&work.join("a"));
    let path = work.join("a/runs.json");
    let whole = fs::read(&path).expect("a file");
    let old = serde_json::to_string_pretty(&Record { schema: 2, ..record() }).expect("plain data");
    fs::write(&path, old).expect("a file");
    says(work, &["report", "a"], 3, "`balk migrate` with its folder makes it new");
    says(work, &["migrate", "a"], 0, "rewritten, with checksums");
    assert_eq!(fs::read(&path).expect("a file"), whole);
    says(work, &["migrate", "a"], 3, "expected records of an older version, found none");
}

/// Verdicts that have all words of their agent are written as they always were.
#[test]
fn a_record_without_a_word_too_many_is_as_it_was() {
    let text = serde_json::to_string(&record()).expect("plain data");
    assert!(text.contains("interventions") && !text.contains("more_"), "{text}");
}

/// Each run has a folder of its own, so two scenarios may not share one.
#[test]
fn two_scenarios_of_one_name_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let twice = ["--scenario", "repeating", "--scenario", "repeating", "--out", "a"];
    let crash = [&["crash", "--cmd", "true {task} {url}"][..], &twice].concat();
    says(folder.path(), &crash, 2, "--scenario: expected scenarios of different names");
    assert!(!folder.path().join("a").exists());
}

/// Nor may two agents, one of which is behind a proxy.
#[test]
fn two_agents_of_one_name_are_refused_behind_a_proxy_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let head = "format = 1\nagent = \"agent+proxy\"\nversion = \"1\"\n";
    let run = "[run]\napi = \"openai\"\ncommand = [\"true\", \"{task}\", \"{url}\"]\n";
    fs::write(folder.path().join("a.toml"), format!("{head}{run}")).expect("a file");
    let agents = ["crash", "--agent", "a.toml", "--cmd", "true {task} {url}", "--out", "a"];
    let crash = [&agents[..], &["--scenario", "repeating", "--through", "proxy"]].concat();
    let expected = "--agent: expected agents of different names, because each has a folder of its own, \
                    found two of the name `agent+proxy`";
    says(folder.path(), &crash, 2, expected);
    assert!(!folder.path().join("a").exists());
}
