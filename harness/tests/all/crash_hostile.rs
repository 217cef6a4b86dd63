//! `balk crash` with agents that do harm: their runs keep their verdicts, and the files of others stay as they are.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::Command;

use balk::crash::isolation;
use serde_json::Value;

use crate::common::program::{balk, ran};
use crate::crash::agent;

/// `balk crash` with one run at a time, whose temporary files are in a folder of the test.
fn crash(folder: &Path, command: &str, more: &[&str]) -> Command {
    let temporary = folder.join("tmp");
    fs::create_dir_all(&temporary).expect("a folder");
    let mut started = balk(folder, &[&["crash", "--cmd", command, "--out", "out"], more].concat());
    started.env("TMPDIR", temporary);
    started
}

fn runs(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("out/runs.json")).expect("a record");
    let mut record: Value = serde_json::from_str(&text).expect("it is JSON");
    serde_json::from_value(record["runs"].take()).expect("a list")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = entries.map(|it| it.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Without namespaces, the mount would be one of this machine.
#[test]
fn what_an_agent_mounts_in_its_folders_is_left_alone() {
    if isolation::available().is_err() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let precious = folder.path().join("precious");
    fs::create_dir(&precious).expect("a folder");
    fs::write(precious.join("thesis.txt"), "all of it").expect("a file");
    let mounts = format!(
        "mkdir ../home/cache && mount --bind {} ../home/cache && mount -t tmpfs none ../var && : > ../var/a",
        precious.display()
    );
    let command = agent(&format!("--turns 2; {mounts} && echo mounted"));
    let (code, _, said) = ran(&mut crash(folder.path(), &command, &["--scenario", "repeating"]));
    assert_eq!((code, runs(folder.path())[0]["verdict"]["word"].as_str()), (0, Some("told")), "{said}");
    let printed = fs::read_to_string(folder.path().join("out/agent/repeating-7/stdout-0.txt"));
    assert!(printed.expect("a file").ends_with("mounted\n"));
    assert_eq!(names(&precious), ["thesis.txt"]);
    assert_eq!(names(&folder.path().join("tmp")), [""; 0], "{said}");
}

/// Behind a proxy it is the same.
#[test]
fn no_file_that_an_agent_leaves_or_removes_changes_its_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let leaves = "mkdir -p ../proxy ../a.txt ../stderr-0.txt; mkfifo ../b.txt ../proxy/b.jsonl; \
                  ln -s /etc/passwd ../c.txt; truncate -s 3G ../d.txt; rm -f ../stdout-0.txt";
    let command = agent(&format!("; {leaves}"));
    let more = ["--scenario", "abandonment", "--through", "proxy=duplicate", "--fail-on", "silent"];
    let (code, _, said) = ran(&mut crash(folder.path(), &command, &more));
    let runs = runs(folder.path());
    let words: Vec<&str> = runs.iter().filter_map(|it| it["verdict"]["word"].as_str()).collect();
    assert_eq!((code, &*words), (4, &["silent", "silent"][..]), "{said}");
    let own = ["record.jsonl", "stderr-0.txt", "stdout-0.txt", "transcript.jsonl", "verdict.json"];
    assert_eq!(names(&folder.path().join("out/agent/abandonment-7")), own);
    let behind = folder.path().join("out/agent+proxy/abandonment-7");
    assert!(names(&behind).contains(&"proxy".to_owned()));
    assert!(names(&behind.join("proxy")).iter().all(|it| it != "b.jsonl"), "{:?}", names(&behind));
    assert_eq!(names(&folder.path().join("tmp")), [""; 0], "{said}");
}

/// Together they would be longer in the record than any line that is read. JSON has two bytes for a quotation mark.
#[test]
fn long_lines_of_an_agent_lose_no_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let command = ": {url} {task}; printf a; head -c 2900000 /dev/zero | tr '\\0' '\"'";
    let more = ["--scenario", "repeating", "--seeds", "1-3"];
    let (code, _, said) = ran(&mut crash(folder.path(), command, &more));
    assert_eq!(code, 0, "{}", said.lines().last().unwrap_or_default());
    let runs = runs(folder.path());
    let lengths: Vec<usize> =
        runs.iter().filter_map(|it| Some(it["verdict"]["line"].as_str()?.len())).collect();
    assert!(lengths.len() == 3 && lengths.iter().all(|it| (30_000..64_000).contains(it)), "{lengths:?}");
    let whole = fs::metadata(folder.path().join("out/agent/repeating-1/stdout-0.txt")).expect("a file");
    assert_eq!(whole.len(), 2_900_001);
}

/// Nothing leads to the process but what it holds: it has left the agent, and has another environment.
#[test]
fn a_process_that_holds_an_output_costs_no_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let command = agent("--turns 2; (setsid env -i sleep 1000 &)");
    let mut started = crash(folder.path(), &command, &["--scenario", "repeating"]);
    // No `unshare` is found there.
    let (code, _, said) = ran(started.env("PATH", folder.path()));
    let runs = runs(folder.path());
    let verdict = &runs[0]["verdict"];
    assert_eq!((code, verdict["word"].as_str()), (0, Some("told")), "{said}");
    let left: Vec<&Value> = verdict["left"].as_object().expect("an object").values().collect();
    assert_eq!(left, [&Value::from(1)], "{verdict:#}");
}

/// Without namespaces it can end the program that judges it.
#[test]
fn an_agent_that_ends_its_judge_passes_no_gate() {
    let folder = tempfile::tempdir().expect("a folder");
    let second = folder.path().join("second");
    let second = second.display();
    let command = agent(&format!("; if [ -e {second} ]; then kill -9 $PPID; fi; : > {second}"));
    let more = ["--scenario", "abandonment", "--seeds", "1-2", "--fail-on", "crashed"];
    let mut started = crash(folder.path(), &command, &more);
    let (code, _, said) = ran(started.env("PATH", folder.path()));
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("found 1 whose program broke, the first agent/abandonment-2"), "{said}");
}

#[test]
fn what_an_earlier_command_played_is_not_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    let again = || ran(&mut crash(folder.path(), ": {url} {task}", &["--scenario", "repeating"]));
    assert_eq!(again().0, 0);
    let (code, _, said) = again();
    assert_eq!(code, 3, "{said}");
    let expected = "expected an empty or new folder, found 1 of 1 runs of an earlier `balk crash`";
    assert!(said.contains(expected) && said.contains("delete the folder, or name another one"), "{said}");
}
